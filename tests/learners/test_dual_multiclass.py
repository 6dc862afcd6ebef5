"""Crammer–Singer and maxent by dual block coordinate descent, against peers and brute force."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression

from linnet import _core

SOLVERS = {"hinge": _core.CrammerSingerDual, "logistic": _core.MaxEntDual}
both = pytest.mark.parametrize("loss", sorted(SOLVERS))


def problem_of(n, features, K, seed, density=0.3, dtype=np.float64):
    """Random sparse rows whose labels depend on them, with noise."""
    rng = np.random.default_rng(seed)
    X = sp.random(n, features, density=density, random_state=rng, format="csr", dtype=np.float64)
    y = (X @ rng.normal(size=(features, K)) + 0.3 * rng.normal(size=(n, K))).argmax(axis=1)
    return X.astype(dtype), y.astype(np.int32)


def rows_of(X, bias=0.0):
    return _core.Rows.csr(X.indptr, X.indices, X.data, X.shape[1], bias)


def solver_of(loss, X, y, costs, K, *, bias=0.0, tol=1e-3, seed=0):
    rows = rows_of(X, bias)
    return SOLVERS[loss](rows, y, np.asarray(costs, dtype=np.float64), K, tol, seed)


def solve(loss, X, y, costs, K, passes=3000, **settings):
    solver = solver_of(loss, X, y, costs, K, **settings)
    for _ in range(passes):
        stats = solver.epoch()
        if stats.converged:
            break
    return solver, solver.certify()


def objective(loss, X, y, costs, W):
    """½‖W‖² + Σ c_i ℓ_i, all in float64; W is (features, K)."""
    scores = X.astype(np.float64) @ W.astype(np.float64)
    gold = scores[np.arange(len(y)), y]
    if loss == "hinge":
        augmented = scores + 1
        augmented[np.arange(len(y)), y] -= 1
        losses = augmented.max(axis=1) - gold
    else:
        losses = logsumexp(scores, axis=1) - gold
    return 0.5 * np.sum(W.astype(np.float64) ** 2) + costs @ losses


@both
@pytest.mark.parametrize("K", [2, 3, 7])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_reports_the_objective_of_its_weights_and_leaves_padding_zero(loss, K, dtype):
    X, y = problem_of(120, 25, K, seed=K, dtype=dtype)
    costs = np.random.default_rng(K).uniform(0, 2, len(y))
    solver, stats = solve(loss, X, y, costs, K, tol=1e-4)
    assert solver.weights.shape == (26, _core.padded(K))
    assert not solver.weights[:, K:].any()
    assert not solver.weights[0].any()
    ours = objective(loss, X, y, costs, solver.weights[1:, :K])
    assert stats.objective == pytest.approx(ours, rel=1e-9 if dtype == np.float32 else 1e-6)
    assert stats.converged
    assert stats.gap == pytest.approx(stats.objective - stats.dual)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e3, 1e5, 1e8])
def test_no_price_is_too_high(C):
    """Seven separable points: from some C on the optimum is that of hard margins."""
    rng = np.random.default_rng(0)
    y = np.array([0, 0, 1, 1, 1, 2, 2], np.int32)
    X = sp.csr_matrix(3 * rng.normal(size=(3, 2))[y] + 0.3 * rng.normal(size=(7, 2)))
    solver, stats = solve("hinge", X, y, np.full(7, C), 3, passes=200, tol=1e-6)
    assert stats.converged
    assert 0 <= stats.gap <= 1e-6 * stats.objective
    exact = X.astype(np.float32).astype(float)
    W = np.asarray(solver.weights, float)[1:, :3]
    assert stats.objective == pytest.approx(objective("hinge", exact, y, np.full(7, C), W), rel=1e-9)
    if C >= 1e3:
        hard = solve("hinge", X, y, np.full(7, np.inf), 3, passes=200, tol=1e-6)[1]
        assert stats.objective == pytest.approx(hard.objective, rel=1e-5)


@pytest.mark.parametrize("noise", [0.3, 2.0])
@pytest.mark.parametrize("C", [1.0, 100.0, 1e4])
def test_dense_rows_at_any_price(C, noise):
    rng = np.random.default_rng(1)
    X = sp.csr_matrix(rng.normal(size=(200, 20)).astype(np.float32))
    y = (X @ rng.normal(size=(20, 4)) + noise * rng.normal(size=(200, 4))).argmax(1).astype(np.int32)
    costs = np.full(200, C)
    _, stats = solve("hinge", X, y, costs, 4, passes=1000, tol=1e-3)
    assert stats.converged
    exact = solve("hinge", X, y, costs, 4, passes=1000, tol=1e-6)[1]
    assert exact.converged
    assert exact.dual <= stats.objective <= exact.objective * (1 + 1.1e-3)


@pytest.mark.parametrize("C", [1.0, 1e4, 1e6])
def test_maxent_calls_converged_what_is(C):
    """Weights in float cannot vouch for a gap that large costs magnify."""
    rng = np.random.default_rng(1)
    X = sp.random(300, 1500, 0.02, "csr", np.float32, rng)
    y = (X @ rng.normal(size=(1500, 4))).argmax(axis=1).astype(np.int32)
    _, stats = solve("logistic", X, y, np.full(300, C), 4, tol=1e-3)
    exact = _core.BatchObjective(
        _core.BlockData(rows_of(X), y, 4, False, np.full(300, C)), "logistic", 1.0
    )
    minimiser = _core.LBFGS(exact, tol=1e-10, decrease_tol=0)
    for _ in range(3000):
        if (best := minimiser.epoch()).converged:
            break
    assert stats.converged
    assert stats.dual <= best.objective * (1 + 1e-9)
    assert stats.objective <= best.objective * (1 + 1.1e-3)


@pytest.mark.parametrize("K", [3, 7])
def test_crammer_singer_agrees_with_liblinear(K):
    X, y = problem_of(200, 40, K, seed=K)
    costs = np.random.default_rng(0).uniform(0.2, 2, len(y))
    _, stats = solve("hinge", X, y, costs, K, tol=2e-7)
    liblinear = pytest.importorskip("liblinear.liblinearutil")
    there = liblinear.problem(y.astype(float), X)
    model = liblinear.train(there, liblinear.parameter("-s 4 -e 1e-8 -q"))
    peer = np.zeros((X.shape[1], K))
    peer[:, model.get_labels()] = np.ctypeslib.as_array(model.w, (X.shape[1], K))
    _, plain = solve("hinge", X, y, np.ones(len(y)), K, tol=2e-7)
    assert plain.objective == pytest.approx(objective("hinge", X, y, np.ones(len(y)), peer), rel=1e-6)
    assert stats.gap <= 1e-6 * stats.objective


@pytest.mark.parametrize("K", [3, 7])
def test_maxent_agrees_with_scikit_learn(K):
    X, y = problem_of(200, 40, K, seed=K)
    costs = np.random.default_rng(0).uniform(0, 3, len(y))
    _, stats = solve("logistic", X, y, costs, K, tol=2e-7)
    peer = LogisticRegression(fit_intercept=False, tol=1e-10, max_iter=10000)
    peer.fit(X, y, sample_weight=costs)
    assert stats.objective == pytest.approx(objective("logistic", X, y, costs, peer.coef_.T), rel=1e-6)


@both
def test_binary_problem_in_two_columns_agrees_with_scipy(loss):
    X, y = problem_of(60, 8, 2, seed=1, density=0.8)
    costs = np.random.default_rng(1).uniform(0.5, 2, len(y))
    _, stats = solve(loss, X, y, costs, 2, tol=2e-7)
    # The optimum is w₁ = −w₀, so half the squared norm is ‖w₁‖². The hinge is solved with slacks.
    sign = 2.0 * y - 1
    if loss == "logistic":
        found = minimize(
            lambda w: w @ w + costs @ np.logaddexp(0, -2 * sign * (X @ w)), np.zeros(8), tol=1e-12
        ).fun
    else:
        wide = np.hstack([2 * sign[:, None] * X.toarray(), np.eye(60)])
        found = minimize(
            lambda v: v[:8] @ v[:8] + costs @ v[8:],
            np.ones(68),
            jac=lambda v: np.concatenate([2 * v[:8], costs]),
            bounds=[(None, None)] * 8 + [(0, None)] * 60,
            constraints={"type": "ineq", "fun": lambda v: wide @ v - 1, "jac": lambda _: wide},
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 1000},
        ).fun
    assert stats.objective == pytest.approx(found, rel=1e-6)


@settings(max_examples=50, deadline=None)
@given(
    loss=st.sampled_from(sorted(SOLVERS)),
    n=st.integers(1, 30),
    K=st.integers(1, 9),
    scale=st.sampled_from([1e-8, 1e-3, 1.0, 30.0]),
    C=st.sampled_from([1e-2, 1.0, 100.0]),
    bias=st.sampled_from([0.0, 1.0]),
    seed=st.integers(0, 1000),
)
# An instance without features, solved exactly: it holds all of its price.
@example(loss="hinge", n=3, K=2, scale=1.0, C=1.0, bias=0.0, seed=1)
def test_gap_is_never_negative_and_shrinks(loss, n, K, scale, C, bias, seed):
    X, y = problem_of(n, 6, K, seed)
    X = (X * scale).tocsr()
    costs = C * np.random.default_rng(seed).integers(0, 3, n)
    solver = solver_of(loss, X, y, costs, K, bias=bias, tol=1e-12, seed=seed)
    first = last = solver.certify()
    for _ in range(60):
        solver.epoch()
        before, last = last, solver.certify()
        assert last.gap >= -1e-12 * last.objective
        assert last.dual >= before.dual - 1e-5 * max(1, first.objective)
        assert np.isfinite(solver.weights).all()
    if scale == 1 and C <= 1:
        assert last.gap <= 0.1 * first.gap + 1e-6 * first.objective
    duals = solver.duals[:, :K]
    np.testing.assert_allclose(duals.sum(axis=1), 1, rtol=1e-5)
    assert (duals >= 0).all()
    margins = np.eye(K)[y] - duals
    expected = X.T @ (costs[:, None] * margins)
    found = np.asarray(solver.weights[1:, :K], float)
    if loss == "hinge" and found.any():  # the best multiple of them is handed out
        found *= (found * expected).sum() / (found * found).sum()
    atol = 1e-4 * (1 + np.abs(expected).max())
    np.testing.assert_allclose(found, expected, atol=atol)


@both
@pytest.mark.parametrize("cost", [0.1, 1.0, 50.0])
def test_one_block_is_solved_exactly_in_one_visit(loss, cost):
    """With one instance the block is the whole problem: its dual by SLSQP over the simplex."""
    K, gold = 5, 3
    x = np.array([0.5, -1.0, 0.25])
    B = cost * x @ x
    margin = np.where(np.arange(K) == gold, 0.0, 1.0)
    start = np.eye(K)[gold]

    def negative_dual(a):
        value = 0.5 * B * np.sum((a - start) ** 2)
        if loss == "hinge":
            return value - a @ margin
        return value + np.sum(a * np.log(np.maximum(a, 1e-300)))

    found = minimize(
        negative_dual,
        np.full(K, 1 / K),
        bounds=[(0, 1)] * K,
        constraints={"type": "eq", "fun": lambda a: a.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    solver = solver_of(loss, sp.csr_matrix(x), np.array([gold], np.int32), [cost], K)
    solver.epoch()
    np.testing.assert_allclose(solver.duals[0, :K], found.x, atol=2e-4)
    assert solver.certify().dual == pytest.approx(-cost * found.fun, rel=1e-5, abs=1e-6)


@both
def test_same_seed_same_bits(loss):
    X, y = problem_of(150, 30, 5, seed=3)
    runs = [solver_of(loss, X, y, np.ones(150), 5, seed=s) for s in (7, 7, 8)]
    for solver in runs:
        for _ in range(5):
            solver.epoch()
    assert runs[0].weights.tobytes() == runs[1].weights.tobytes()
    assert runs[0].weights.tobytes() != runs[2].weights.tobytes()


@both
def test_empty_rows_unseen_labels_and_zero_costs(loss):
    X, y = problem_of(80, 20, 3, seed=4)
    X = sp.vstack([X, sp.csr_matrix((5, 20))]).tocsr()
    y = np.concatenate([y, np.zeros(5, np.int32)]).astype(np.int32)
    costs = np.ones(85)
    costs[::7] = 0
    K = 6
    solver, stats = solve(loss, X, y, costs, K, tol=1e-6)
    assert stats.converged
    assert stats.objective == pytest.approx(
        objective(loss, X, y, costs, solver.weights[1:, :K]), rel=1e-6
    )
    kept = costs > 0
    _, alone = solve(loss, X[kept], y[kept], costs[kept], K, tol=1e-6)
    assert alone.objective == pytest.approx(stats.objective, rel=2e-6)
    assert kept[solver.support].all()


def test_support_is_where_a_wrong_label_has_mass():
    X, y = problem_of(100, 30, 4, seed=5)
    solver, _ = solve("hinge", X, y, np.full(100, 0.5), 4)
    wrong = solver.duals[:, :4].copy()
    wrong[np.arange(100), y] = 0
    assert solver.support.dtype == np.int32
    np.testing.assert_array_equal(solver.support, np.flatnonzero(wrong.any(axis=1)))


@both
def test_bad_input_is_refused(loss):
    X, y = problem_of(10, 5, 3, seed=0)
    with pytest.raises(ValueError, match="outside"):
        solver_of(loss, X, y, np.ones(10), 1 + int(y.max()) - 1)
    with pytest.raises(ValueError, match="length"):
        solver_of(loss, X, y, np.ones(9), 3)
    with pytest.raises(ValueError, match="finite"):
        solver_of(loss, X, y, np.full(10, np.nan), 3)
