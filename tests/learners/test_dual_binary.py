"""Dual coordinate descent against LIBLINEAR (in scikit-learn), SciPy and the plain formulas."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from linnet import _core

LOSSES = ("hinge", "squared_hinge", "logistic")


def make_problem(seed, n=80, d=30, density=0.3):
    """A noisy problem: sparse rows, labels 0/1, weights c of every size, some of them 0."""
    rng = np.random.default_rng(seed)
    X = sp.random(n, d, density, "csr", np.float32, rng, data_rvs=rng.standard_normal)
    y = (X @ rng.standard_normal(d) + 0.5 * rng.standard_normal(n) > 0).astype(np.int32)
    c = rng.uniform(0.1, 3, n) * (rng.random(n) > 0.1)
    return X, y, c


def rows_of(X, bias=0.0):
    return _core.Rows.csr(X.indptr, X.indices, X.data, X.shape[1], bias)


def fit(X, y, c, loss, bias=0.0, epochs=20000, **settings):
    solver = _core.DualBinary(rows_of(X, bias), y, c, loss=loss, **({"tol": 1e-9} | settings))
    for _ in range(epochs):
        stats = solver.epoch()
        if stats.converged or solver.separable is False:
            break
    return solver, stats


def signed(X, y, bias):
    """Rows y·x with the constant feature in front, dense and exact."""
    Z = np.hstack([np.full((X.shape[0], 1), bias), X.toarray().astype(float)])
    return np.where(y > 0, 1.0, -1.0)[:, None] * Z


def primal(w, Z, c, loss):
    m = Z @ w
    value = {
        "hinge": lambda: np.maximum(0, 1 - m),
        "squared_hinge": lambda: np.maximum(0, 1 - m) ** 2,
        "logistic": lambda: np.logaddexp(0, -m),
    }[loss]()
    return 0.5 * w @ w + c @ value


def dual(a, Z, c, loss):
    a, Z, c = a[c > 0], Z[c > 0], c[c > 0]
    w = a @ Z
    if loss == "hinge":
        value = a.sum()
    elif loss == "squared_hinge":
        value = np.sum(a - a * a / (4 * c))
    else:
        p = np.clip(a / c, 1e-300, 1 - 1e-16)
        value = -np.sum(c * (p * np.log(p) + (1 - p) * np.log1p(-p)))
    return value - 0.5 * w @ w


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("bias", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_objectives_are_the_formulas_and_the_optimum_is_liblinears(loss, bias, seed):
    X, y, c = make_problem(seed)
    solver, stats = fit(X, y, c, loss, bias)
    w, Z = solver.weights[:, 0], signed(X, y, bias)
    assert stats.converged
    assert stats.gap <= 1e-9 * stats.objective
    assert stats.objective == pytest.approx(primal(w, Z, c, loss), rel=1e-10)
    assert stats.dual == pytest.approx(dual(solver.alpha, Z, c, loss), rel=1e-10)
    np.testing.assert_allclose(solver.alpha @ Z, w, atol=1e-9)

    common = {"dual": True, "tol": 1e-9, "fit_intercept": bias > 0, "max_iter": 10**6}
    if loss == "logistic":
        peer = LogisticRegression(solver="liblinear", **common)
    else:
        peer = LinearSVC(loss=loss, **common)
    peer.fit(X.astype(float), y, sample_weight=c)
    theirs = np.concatenate([np.atleast_1d(peer.intercept_), peer.coef_[0]])
    assert stats.objective == pytest.approx(primal(theirs, Z, c, loss), rel=1e-6)
    np.testing.assert_allclose(w, theirs, atol=1e-3)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_weighted_optimum_is_scipys(loss):
    X, y, c = make_problem(7)
    _, stats = fit(X, y, c, loss)
    Z = signed(X, y, 0.0)
    found = scipy.optimize.minimize(
        primal, np.zeros(Z.shape[1]), (Z, c, loss), options={"gtol": 1e-7, "maxiter": 2000}
    )
    assert stats.objective == pytest.approx(found.fun, rel=1e-6)


def test_weighted_hinge_is_its_quadratic_programme():
    X, y, c = make_problem(8, n=40, d=10)
    _, stats = fit(X, y, c, "hinge")
    Z = signed(X, y, 0.0)
    found = scipy.optimize.minimize(
        lambda a: -dual(a, Z, c, "hinge"),
        np.zeros(len(y)),
        jac=lambda a: Z @ (a @ Z) - 1,
        bounds=[(0, b) for b in c],
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5000},
    )
    assert stats.dual == pytest.approx(-found.fun, rel=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_optimality_conditions_hold(loss):
    X, y, c = make_problem(3)
    solver, _ = fit(X, y, c, loss, 1.0, tol=1e-12)
    a, m = solver.alpha, signed(X, y, 1.0) @ solver.weights[:, 0]
    assert (a[c == 0] == 0).all()
    on = c > 0
    if loss == "hinge":
        assert (m[on & (a == 0)] >= 1 - 1e-4).all()
        assert (m[on & (a == c)] <= 1 + 1e-4).all()
        np.testing.assert_allclose(m[on & (a > 0) & (a < c)], 1, atol=1e-4)
    elif loss == "squared_hinge":
        np.testing.assert_allclose(a, 2 * c * np.maximum(0, 1 - m), atol=1e-4)
    else:
        np.testing.assert_allclose(a, c / (1 + np.exp(m)), atol=1e-4)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    loss=st.sampled_from(LOSSES),
    scale=st.sampled_from([1e-3, 1.0, 30.0]),
    C=st.sampled_from([1e-4, 1.0, 1e3]),
    passes=st.integers(0, 6),
    shuffle=st.booleans(),
)
def test_gap_bounds_both_objectives_at_any_time(seed, loss, scale, C, passes, shuffle):
    X, y, c = make_problem(seed, n=25, d=8)
    X, c = X * np.float32(scale), c * C
    solver = _core.DualBinary(rows_of(X, 1.0), y, c, loss, tol=1e-9, seed=seed, shuffle=shuffle)
    for _ in range(passes):
        solver.epoch()
    stats, Z = solver.certify(), signed(X, y, 1.0)
    assert stats.gap >= -1e-12 * abs(stats.objective)
    assert stats.gap == stats.objective - stats.dual
    assert stats.objective == pytest.approx(primal(solver.weights[:, 0], Z, c, loss), rel=1e-9)
    assert stats.dual == pytest.approx(
        dual(solver.alpha, Z, c, loss), rel=1e-9, abs=1e-9 * stats.objective
    )


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_hard_margin_is_the_limit_of_large_c(loss):
    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.standard_normal((30, 60)))  # fewer points than dimensions: separable
    y = rng.integers(0, 2, 30).astype(np.int32)
    solver, stats = fit(X, y, np.full(30, np.inf), loss, tol=1e-7)
    w, Z = solver.weights[:, 0], signed(sp.csr_matrix(X.astype(np.float32)), y, 0.0)
    assert stats.converged
    assert solver.separable
    assert (Z @ w).min() >= 1 - 1e-12  # feasible, not nearly so
    assert stats.objective == pytest.approx(0.5 * w @ w, rel=1e-12)
    support = np.linalg.lstsq(Z, np.ones(30), rcond=None)[0]  # a lower bound: all margins equal
    assert stats.objective <= 0.5 * support @ support * (1 + 1e-6)
    _, soft = fit(X, y, np.full(30, 1e5), "hinge", tol=1e-8)  # c times the rounding of a margin: 1e-11
    assert stats.objective == pytest.approx(soft.objective, rel=1e-6)


def test_hard_margin_of_two_points_is_known():
    X = sp.csr_matrix(np.array([[2.0, 0], [0, 0]]))
    solver, stats = fit(X, np.array([1, 0], np.int32), np.full(2, np.inf), "hinge", 1.0)
    # Points (2, 0) and (0, 0) with a penalised constant: margins 2w + b = 1 and −b = 1.
    np.testing.assert_allclose(solver.weights[:, 0], [-1, 1, 0], atol=1e-6)
    assert stats.objective == pytest.approx(1.0)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_hard_margin_mixes_with_soft(loss):
    X, y, c = make_problem(5, n=30, d=60)
    c[:10] = np.inf
    solver, stats = fit(X, y, c, loss, 1.0, tol=1e-7)
    w, Z = solver.weights[:, 0], signed(X, y, 1.0)
    assert stats.converged
    assert (Z[:10] @ w).min() >= 1 - 1e-12
    big, weights = c.copy(), c.copy()
    big[:10], weights[:10] = 1e7, 0
    assert stats.objective == pytest.approx(primal(w, Z, weights, loss), rel=1e-9)
    if loss == "hinge":
        _, soft = fit(X, y, big, loss, 1.0, tol=1e-8)
        assert stats.objective == pytest.approx(soft.objective, rel=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("case", ["contradiction", "xor", "noise", "empty row"])
def test_inseparable_data_are_detected(loss, case):
    rng = np.random.default_rng(1)
    X, y = {
        "contradiction": (np.array([[1.0, 2], [1, 2]]), [0, 1]),
        "xor": (np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]),
        "noise": (rng.standard_normal((200, 5)), rng.integers(0, 2, 200)),
        "empty row": (np.array([[1.0, 0], [0, 0]]), [1, 0]),
    }[case]
    bias = 0.0 if case == "empty row" else 1.0
    X, y = sp.csr_matrix(X), np.asarray(y, np.int32)
    solver, stats = fit(X, y, np.full(len(y), np.inf), loss, bias, epochs=200_000)
    assert not solver.separable
    assert not stats.converged
    assert np.isfinite(solver.weights).all()


def test_a_narrow_margin_is_not_called_inseparable():
    X = sp.csr_matrix(np.array([[1.0, 0.01], [1.0, -0.01]]))
    solver, stats = fit(
        X, np.array([1, 0], np.int32), np.full(2, np.inf), "hinge", 0.0, 200_000, tol=1e-6
    )
    assert solver.separable
    assert stats.converged
    np.testing.assert_allclose(solver.weights[:, 0], [0, 0, 100], rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_same_seed_same_bits_and_other_seeds_agree(loss):
    X, y, c = make_problem(11)
    early = [fit(X, y, c, loss, seed=s, epochs=3)[0].weights for s in (1, 2)]
    assert (early[0] != early[1]).any()
    first, again, other = (fit(X, y, c, loss, seed=s)[0].weights for s in (1, 1, 2))
    assert (first == again).all()
    np.testing.assert_allclose(first, other, atol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_types_of_the_input_do_not_matter(loss):
    X, y, c = make_problem(12)
    expected = fit(X, y, c, loss, 1.0, epochs=5)[0].weights
    for index in (np.int32, np.int64):
        for value in (np.float32, np.float64):
            rows = _core.Rows.csr(
                X.indptr.astype(index), X.indices.astype(index), X.data.astype(value), X.shape[1], 1
            )
            solver = _core.DualBinary(rows, y, c, loss=loss, tol=1e-9)
            for _ in range(5):
                solver.epoch()
            assert (solver.weights == expected).all()
    dense = _core.DualBinary(_core.Rows.dense(X.toarray(), 1.0), y, c, loss=loss, tol=1e-9)
    while not (stats := dense.epoch()).converged:
        pass
    assert stats.objective == pytest.approx(fit(X, y, c, loss, 1.0)[1].objective, rel=1e-8)


@pytest.mark.parametrize("loss", LOSSES)
def test_duplicate_empty_and_zero_rows(loss):
    X, y, c = make_problem(13, n=20)
    zero = sp.csr_matrix((np.zeros(2, np.float32), [0, 1], [0, 2]), shape=(1, X.shape[1]))
    X = sp.vstack([X, X, sp.csr_matrix((2, X.shape[1]), dtype=np.float32), zero], "csr")
    y = np.concatenate([y, y, [0, 1, 0]]).astype(np.int32)
    c = np.concatenate([c, c, [1, 1, 1]])
    solver, stats = fit(X, y, c, loss)
    assert stats.converged
    assert np.isfinite(solver.weights).all()
    at_zero = {"hinge": 1.0, "squared_hinge": 2.0, "logistic": 0.5}[loss]
    np.testing.assert_allclose(solver.alpha[-3:], at_zero, rtol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_warm_start_continues_where_it_stopped(loss):
    X, y, c = make_problem(15)
    solver, stats = fit(X, y, c, loss, 1.0)
    warm = _core.DualBinary(rows_of(X, 1.0), y, c, loss=loss, alpha=solver.alpha, tol=1e-9)
    assert warm.certify().gap == pytest.approx(stats.gap, abs=1e-12 * stats.objective)
    assert warm.certify().converged
    np.testing.assert_allclose(warm.weights, solver.weights, atol=1e-4)


@pytest.mark.parametrize("loss", LOSSES)
def test_shrinking_changes_the_work_but_not_the_answer(loss):
    X, y, c = make_problem(16, n=400)
    shrunk, stats = fit(X, y, c, loss)
    _, full = fit(X, y, c, loss, shrink=False)
    assert stats.objective == pytest.approx(full.objective, rel=1e-8)
    assert shrunk.active <= np.count_nonzero(c)


def test_extreme_weights_and_values_stay_finite():
    X, y, c = make_problem(17)
    for loss in LOSSES:
        for scale, C in ((1e-6, 1e6), (1e4, 1e3), (1e4, 1e-8), (1e-6, 1e-8)):
            solver, stats = fit(X * np.float32(scale), y, c * C, loss, epochs=50)
            assert np.isfinite(solver.weights).all()
            assert np.isfinite(solver.alpha).all()
            stats = solver.certify()
            assert stats.gap >= -1e-10 * abs(stats.objective)


def test_bad_input_is_refused():
    X, y, c = make_problem(18)
    with pytest.raises(ValueError, match="one entry per row"):
        _core.DualBinary(rows_of(X), y[1:], c)
    with pytest.raises(ValueError, match="negative or NaN"):
        _core.DualBinary(rows_of(X), y, -c)
    with pytest.raises(ValueError, match="infinite"):
        _core.DualBinary(rows_of(X), y, c + np.inf, loss="logistic")
    with pytest.raises(ValueError, match="between 0 and c"):
        _core.DualBinary(rows_of(X), y, c, alpha=c + 1)
    with pytest.raises(ValueError, match="loss must be"):
        _core.DualBinary(rows_of(X), y, c, loss="exponential")
    X.data[3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        fit(X, y, np.ones(len(y)), "hinge")


@pytest.mark.parametrize("loss", LOSSES)
def test_nothing_to_learn_from(loss):
    X = sp.csr_matrix((0, 3), dtype=np.float32)
    solver, stats = fit(X, np.zeros(0, np.int32), np.zeros(0), loss, epochs=30)
    assert stats.converged
    assert (solver.weights == 0).all()


@pytest.mark.parametrize("scale", [1e2, 1e4, 1e6])
def test_logistic_with_large_c_never_loses_ground(scale):
    """On a wide range of margins the step must find its root, not swing between the ends."""
    X, y, c = make_problem(3, n=60, d=400)
    solver = _core.DualBinary(rows_of(X, 0.3), y, scale * c, loss="logistic", tol=1e-6)
    start = float(scale * c.sum() * np.log(2))  # P(0)
    found = [solver.certify().dual for _ in range(30) if not solver.epoch().interrupted]
    assert (np.diff(found) >= -1e-6 * start).all()
    assert solver.certify().objective < 0.01 * start
