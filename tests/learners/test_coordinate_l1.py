"""L1 and elastic net by coordinate descent: peers, optimality, certificates."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import ElasticNet, LogisticRegression

from linnet import _core

LOSSES = {
    "logistic": _core.CoordinateL1Logistic,
    "squared_hinge": _core.CoordinateL1SquaredHinge,
    "squared": _core.CoordinateL1Squared,
}
VALUE = {
    "logistic": lambda m: np.logaddexp(0, -m),
    "squared_hinge": lambda m: np.maximum(0, 1 - m) ** 2,
    "squared": lambda m: 0.5 * (1 - m) ** 2,
}
SLOPE = {
    "logistic": lambda m: -1 / (1 + np.exp(m)),
    "squared_hinge": lambda m: -2 * np.maximum(0, 1 - m),
    "squared": lambda m: m - 1,
}
LIBLINEAR = {"squared_hinge": 5, "logistic": 6}


def make(seed=0, n=300, d=80, density=0.1, signed=False):
    """A sparse problem with a few true features, an empty row and an empty column."""
    rng = np.random.default_rng(seed)
    X = sp.random(n, d, density, format="csr", dtype=np.float32, random_state=rng)
    if signed:
        X.data -= 0.5
    keep = sp.diags((np.arange(n) != 3).astype(np.float32)) @ X
    X = sp.csr_matrix(keep @ sp.diags((np.arange(d) != 5).astype(np.float32)), dtype=np.float32)
    X.eliminate_zeros()
    w = np.where(rng.random(d) < 0.2, rng.normal(size=d) * 4, 0)
    y = (X @ w + 0.3 * rng.normal(size=n) > 0).astype(np.int32)
    return X, y


def fit(X, y, loss, costs=None, bias=0.0, tol=1e-8, epochs=100, **penalty):
    rows = _core.Rows.csr(X.indptr, X.indices, X.data, X.shape[1], bias)
    costs = np.ones(len(y)) if costs is None else np.asarray(costs, dtype=np.float64)
    learner = LOSSES[loss](rows, y, costs, tol=tol, **penalty)
    history = []
    for _ in range(epochs):
        history.append(learner.epoch())
        if history[-1].converged:
            break
    return learner, history


def objective(X, y, w, loss, costs, bias=0.0, l1=1.0, l2=0.0, penalize_intercept=True):
    margins = (2 * y - 1) * (X.astype(np.float64) @ w[1:] + bias * w[0])
    penalised = w if penalize_intercept else w[1:]
    penalty = l1 * np.abs(penalised).sum() + 0.5 * l2 * (penalised**2).sum()
    return penalty + (costs * VALUE[loss](margins)).sum()


@pytest.mark.parametrize("loss", LIBLINEAR)
@pytest.mark.parametrize("C", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_objective_of_liblinear(loss, C, bias):
    liblinear = pytest.importorskip("liblinear.liblinearutil")
    X, y = make(1)
    options = f"-s {LIBLINEAR[loss]} -c {C} -e 1e-8 -q" + (f" -B {bias}" if bias else "")
    there = liblinear.problem(2 * y - 1, X.astype(np.float64).tocsr(), bias or -1)
    model = liblinear.train(there, liblinear.parameter(options))
    theirs, intercept = model.get_decfun()
    theirs = np.concatenate([[intercept / (bias or 1)], theirs])
    costs = np.full(len(y), C)
    learner, history = fit(X, y, loss, costs, bias)
    best = objective(X, y, theirs, loss, costs, bias)
    assert history[-1].converged
    assert history[-1].objective == pytest.approx(best, rel=1e-6)
    ours = objective(X, y, learner.weights[:, 0], loss, costs, bias)
    assert history[-1].objective == pytest.approx(ours, rel=1e-9)


@pytest.mark.parametrize("ratio", [0.2, 0.7, 1.0])
def test_elastic_net_of_sklearn_saga(ratio):
    X, y = make(2)
    peer = LogisticRegression(
        l1_ratio=ratio, C=2.0, solver="saga", tol=1e-10, max_iter=20000, random_state=0
    ).fit(X.astype(np.float64), y)
    w = np.concatenate([peer.intercept_, peer.coef_[0]])
    costs = np.full(len(y), 2.0)
    form = {"l1": ratio, "l2": 1 - ratio, "penalize_intercept": False}
    _, history = fit(X, y, "logistic", costs, 1.0, **form)
    best = objective(X, y, w, "logistic", costs, 1.0, **form)
    assert history[-1].converged
    assert history[-1].objective == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("l2", [0.0, 0.5])
def test_lasso_of_sklearn(l2):
    X, y = make(3)
    n, l1 = len(y), 0.8
    peer = ElasticNet(alpha=(l1 + l2) / n, l1_ratio=l1 / (l1 + l2), tol=1e-12, max_iter=100000)
    peer.fit(X.astype(np.float64), 2.0 * y - 1)
    w = np.concatenate([[peer.intercept_], peer.coef_])
    form = {"l1": l1, "l2": l2, "penalize_intercept": False}
    _, history = fit(X, y, "squared", bias=1.0, **form)
    best = objective(X, y, w, "squared", np.ones(n), 1.0, **form)
    assert history[-1].objective == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("l2", [0.0, 0.3])
@pytest.mark.parametrize("penalize_intercept", [True, False])
def test_subgradient_contains_zero(loss, l2, penalize_intercept):
    X, y = make(4, signed=True)
    costs = np.random.default_rng(0).choice([0.0, 0.5, 3.0], size=len(y))
    l1, bias = 0.4, 2.0
    learner, history = fit(
        X, y, loss, costs, bias, 1e-9, l1=l1, l2=l2, penalize_intercept=penalize_intercept
    )
    assert history[-1].converged
    w = learner.weights[:, 0]
    Z = sp.hstack([np.full((len(y), 1), bias), X.astype(np.float64)]).multiply((2 * y - 1)[:, None])
    slope = Z.T @ (costs * SLOPE[loss](Z @ w))
    l1s, l2s = np.full(len(w), l1), np.full(len(w), l2)
    if not penalize_intercept:
        l1s[0] = l2s[0] = 0
    zero = w == 0
    assert np.all(np.abs(slope[zero]) <= l1s[zero] + 1e-3)
    np.testing.assert_allclose((slope + l2s * w + l1s * np.sign(w))[~zero], 0, atol=1e-3)
    assert learner.nonzeros == np.count_nonzero(w)
    assert 0 < learner.nonzeros < len(w)


@pytest.mark.parametrize("loss", LOSSES)
def test_everything_is_zero_from_lambda_max(loss):
    X, y = make(5)
    costs = np.linspace(0, 2, len(y))
    slope_at_zero = X.astype(np.float64).T @ (costs * SLOPE[loss](0.0) * (2 * y - 1))
    l1 = np.abs(slope_at_zero).max()
    learner, history = fit(X, y, loss, costs, l1=l1 * (1 + 1e-6))
    assert history[0].converged
    assert np.all(learner.weights == 0)
    learner, _ = fit(X, y, loss, costs, l1=l1 * 0.99)
    assert learner.nonzeros >= 1


@pytest.mark.parametrize("loss", LOSSES)
def test_cost_zero_is_absence_and_cost_two_is_repetition(loss):
    X, y = make(6)
    costs = np.random.default_rng(1).integers(0, 3, len(y))
    where = np.repeat(np.arange(len(y)), costs)
    _, weighted = fit(X, y, loss, costs)
    _, repeated = fit(X[where], y[where], loss)
    assert weighted[-1].objective == pytest.approx(repeated[-1].objective, rel=1e-7)


@given(
    loss=st.sampled_from(sorted(LOSSES)),
    seed=st.integers(0, 10**6),
    l1=st.floats(0.01, 5),
    l2=st.sampled_from([0.0, 1e-3, 1.0]),
    bias=st.sampled_from([0.0, 1.0]),
    penalize_intercept=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_gap_is_a_bound_and_closes(loss, seed, l1, l2, bias, penalize_intercept):
    X, y = make(seed, n=60, d=30, density=0.2, signed=seed % 2 == 0)
    form = {"l1": l1, "l2": l2, "penalize_intercept": penalize_intercept}
    learner, history = fit(X, y, loss, bias=bias, tol=1e-7, **form)
    best = history[-1].objective
    assert history[-1].converged
    for stats in history:
        assert stats.gap == stats.objective - stats.dual
        assert stats.gap >= -1e-9 * abs(stats.objective)
        assert stats.dual <= best * (1 + 1e-9)
    objectives = np.array([stats.objective for stats in history])
    assert np.all(np.diff(objectives) <= 1e-12 * objectives[:-1])
    ours = objective(X, y, learner.weights[:, 0], loss, np.ones(len(y)), bias, **form)
    assert best == pytest.approx(ours, rel=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_same_bits_on_repeat(loss):
    X, y = make(7)
    first, _ = fit(X, y, loss, bias=1.0)
    second, _ = fit(X, y, loss, bias=1.0)
    assert np.array_equal(first.weights, second.weights)


@pytest.mark.parametrize("loss", LOSSES)
def test_dense_float64_and_wide_indices_agree(loss):
    X, y = make(8)
    sparse, _ = fit(X, y, loss)
    dense = LOSSES[loss](_core.Rows.dense(X.toarray().astype(np.float64)), y, np.ones(len(y)), tol=1e-8)
    while not dense.epoch().converged:
        pass
    assert np.array_equal(sparse.weights, dense.weights)


@pytest.mark.parametrize("loss", LOSSES)
def test_copied_columns_and_large_values(loss):
    X, y = make(9)
    X = sp.csr_matrix(sp.hstack([X, X, 100 * X]), dtype=np.float32)
    learner, history = fit(X, y, loss, tol=1e-6)
    assert history[-1].converged
    ours = objective(X, y, learner.weights[:, 0], loss, np.ones(len(y)))
    assert history[-1].objective == pytest.approx(ours, rel=1e-8)


@pytest.mark.parametrize("loss", LOSSES)
def test_no_rows_no_features_one_class(loss):
    empty = sp.csr_matrix((0, 4), dtype=np.float32)
    learner, history = fit(empty, np.zeros(0, np.int32), loss)
    assert history[-1].converged
    assert np.all(learner.weights == 0)
    blank = sp.csr_matrix((5, 4), dtype=np.float32)
    learner, history = fit(blank, np.ones(5, np.int32), loss)
    assert history[-1].converged
    assert learner.weights.shape == (5, 1)
    X, y = make(10)
    learner, history = fit(X, np.ones_like(y), loss, bias=1.0)
    assert history[-1].converged
    assert np.isfinite(learner.weights).all()


def test_weights_are_a_view_that_keeps_the_learner():
    X, y = make(11)
    learner, _ = fit(X, y, "logistic")
    weights = learner.weights
    copy = weights.copy()
    del learner
    assert np.array_equal(weights, copy)
    assert weights.dtype == np.float64


def test_bad_settings_are_refused():
    X, y = make(12)
    with pytest.raises(ValueError, match="l1 must be positive"):
        fit(X, y, "logistic", l1=0.0)
    with pytest.raises(ValueError, match="l2 must not be negative"):
        fit(X, y, "logistic", l2=-1.0)
    with pytest.raises(ValueError, match="differ in length"):
        fit(X, y[:-1], "logistic")
    with pytest.raises(ValueError, match="finite and not negative"):
        fit(X, y, "logistic", np.full(len(y), -1.0))
