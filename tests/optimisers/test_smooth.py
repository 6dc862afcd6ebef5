"""L-BFGS, Newton-CG, nonlinear CG and gradient ascent against SciPy."""

import gc
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from linnet import _core

SMOOTH = [_core.LBFGS, _core.NewtonCG, _core.NonlinearCG, _core.GradientAscent]
FAST = SMOOTH[:3]


def rosenbrock(dim):
    at = np.zeros(dim)

    def evaluate(w):
        at[:] = w
        return float(optimize.rosen(w)), optimize.rosen_der(w)

    return _core.FunctionObjective(dim, evaluate, lambda v: optimize.rosen_hess_prod(at, v))


@pytest.mark.parametrize("dim", [2, 10])
@pytest.mark.parametrize("optimiser", FAST)
def test_rosenbrock(optimiser, dim, run):
    solver = optimiser(rosenbrock(dim), tol=1e-9, decrease_tol=0)
    solver.weights[:] = np.where(np.arange(dim) % 2 == 0, -1.2, 1.0) if dim == 2 else 0.0
    epochs = run(solver)
    assert epochs[-1].objective < 1e-10
    np.testing.assert_allclose(solver.weights, 1, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("optimiser", SMOOTH)
def test_logistic_reaches_the_optimum_of_scipy(optimiser, seed, logistic, run):
    problem = logistic(seed)
    best = optimize.minimize(
        problem.evaluate, np.zeros(problem.dim), jac=True, method="L-BFGS-B", tol=1e-14
    )
    epochs = run(optimiser(problem.objective(), tol=1e-7, decrease_tol=0))
    assert epochs[-1].objective == pytest.approx(best.fun, rel=1e-8)
    values = [e.objective for e in epochs]
    assert all(b <= a * (1 + 1e-14) for a, b in itertools.pairwise(values))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    dim=st.integers(1, 30),
    spread=st.floats(0, 4),
    optimiser=st.sampled_from(FAST),
)
def test_convex_quadratics(seed, dim, spread, optimiser):
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.normal(size=(dim, dim)))
    A = (Q * np.logspace(0, spread, dim)) @ Q.T
    A = (A + A.T) / 2
    b = rng.normal(size=dim)
    f = _core.FunctionObjective(
        dim, lambda w: (float(0.5 * w @ A @ w - b @ w), A @ w - b), lambda v: A @ v
    )
    solver = optimiser(f, tol=1e-8, decrease_tol=0)
    for _ in range(3000):
        if solver.epoch().converged:
            break
    best = np.linalg.solve(A, b)
    least = -0.5 * b @ best
    assert solver.epoch().objective == pytest.approx(least, rel=1e-8, abs=1e-12)


def test_newton_converges_faster_than_linearly(logistic, run):
    solver = _core.NewtonCG(logistic(1, n=300, dim=20).objective(), tol=1e-11, decrease_tol=0)
    norms = [e.gradient_norm for e in run(solver)]
    assert len(norms) < 12
    ratios = [b / a for a, b in itertools.pairwise(norms)]
    assert ratios[-2] < 0.03
    assert ratios[-2] < ratios[0]
    assert solver.hessian_products < 200


def test_newton_refuses_an_objective_without_a_hessian():
    f = _core.FunctionObjective(1, lambda w: (float(w @ w), 2 * w))
    with pytest.raises(ValueError, match="L-BFGS"):
        _core.NewtonCG(f)


@pytest.mark.parametrize("optimiser", SMOOTH)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_undefined_values_are_stepped_back_from(optimiser, bad, run):
    """Minimise w − log w, defined for w > 0 only; at 1."""
    at = np.ones(1)

    def evaluate(w):
        at[:] = w
        if w[0] <= 0:
            return bad, np.full(1, bad)
        return float(w[0] - np.log(w[0])), 1 - 1 / w

    solver = optimiser(_core.FunctionObjective(1, evaluate, lambda v: v / at**2), tol=1e-8)
    solver.weights[:] = 30.0
    run(solver)
    np.testing.assert_allclose(solver.weights, 1, atol=1e-5)


@pytest.mark.parametrize("optimiser", SMOOTH)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_undefined_start_is_an_error(optimiser, bad):
    f = _core.FunctionObjective(2, lambda w: (bad, w), lambda v: v)
    with pytest.raises(ValueError, match="starting point"):
        optimiser(f).epoch()
    fine = _core.FunctionObjective(2, lambda w: (0.0, w), lambda v: v)
    solver = optimiser(fine)
    solver.weights[0] = bad
    with pytest.raises(ValueError, match="starting point"):
        solver.epoch()


@pytest.mark.parametrize("optimiser", SMOOTH)
def test_an_exception_of_the_objective_leaves_the_last_good_point(optimiser, logistic, run):
    problem = logistic(2)
    calls = 0

    def evaluate(w):
        nonlocal calls
        calls += 1
        if calls == 4:
            raise KeyboardInterrupt
        return problem.evaluate(w)

    solver = optimiser(_core.FunctionObjective(problem.dim, evaluate, problem.hessian_times))
    before = [solver.weights.copy()]
    for _ in range(3):
        try:
            solver.epoch()
        except KeyboardInterrupt:
            break
        before.append(solver.weights.copy())
    assert calls == 4
    np.testing.assert_array_equal(solver.weights, before[-1])
    assert run(solver)[-1].converged


@pytest.mark.parametrize("optimiser", SMOOTH)
def test_starting_at_the_optimum(optimiser, logistic, run):
    problem = logistic(3)
    first = optimiser(problem.objective(), tol=1e-10, decrease_tol=0)
    run(first, 20000)
    again = optimiser(problem.objective(), tol=1e-6)
    again.weights[:] = first.weights
    assert len(run(again)) < 30
    reference = np.linalg.norm(problem.evaluate(np.zeros(problem.dim))[1])
    warm = optimiser(problem.objective(), tol=1e-6, reference=reference)
    warm.weights[:] = first.weights
    assert warm.epoch().converged
    assert warm.evaluations == 1


def test_restart_after_moving_the_weights(logistic, run):
    solver = _core.LBFGS(logistic(4).objective(), tol=1e-9, decrease_tol=0)
    best = run(solver)[-1].objective
    solver.weights[:] = 5.0
    solver.restart()
    assert run(solver)[-1].objective == pytest.approx(best, rel=1e-12)
    solver.restart(np.full(len(solver.weights), -3.0))
    assert (solver.weights == -3).all()
    assert run(solver)[-1].objective == pytest.approx(best, rel=1e-12)
    with pytest.raises(ValueError, match="one starting weight"):
        solver.restart(np.zeros(3))


def test_views_keep_their_solver_alive(logistic):
    solver = _core.LBFGS(logistic().objective())
    w = solver.weights
    solver.epoch()
    expected = w.copy()
    del solver
    gc.collect()
    np.testing.assert_array_equal(w, expected)


def test_wrong_shapes_are_errors(logistic):
    f = logistic().objective()
    with pytest.raises(ValueError, match="expected an array of 12"):
        f.evaluate(np.zeros(3))
    wrong = _core.FunctionObjective(2, lambda _: (0.0, np.zeros(5)))
    with pytest.raises(ValueError, match="expected an array of 2"):
        _core.LBFGS(wrong).epoch()
