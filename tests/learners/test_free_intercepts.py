"""Support vector machines whose intercepts are not penalised, against LIBSVM and interior points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

import linnet
from linnet import _core
from linnet.errors import RefusedError


def far_from_the_origin(seed, n=80, K=2, noise=1.0):
    """Labels of unlike size around a point to which no plane through the origin is near."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).astype(np.float32).astype(float)
    y = (X @ rng.normal(size=(4, K)) + noise * rng.normal(size=(n, K)) + np.arange(K)).argmax(1)
    return X + 4, y


def exact(X, y, C, K):
    """Min ½‖W‖² + C Σ ξ as a margin programme with an intercept for each label but the first."""
    d, e = [], []
    for x, gold in zip(X, y, strict=True):
        for k in range(K):
            if k != gold:
                d.append(np.outer(np.eye(K)[gold] - np.eye(K)[k], x).ravel())
                e.append((np.eye(K)[gold] - np.eye(K)[k])[1:])
    d, e = np.array(d), np.array(e)
    if K == 2:  # one column of weights, for two labels
        sign = np.where(y == 1, 1.0, -1.0)
        d, e = sign[:, None] * X, sign[:, None].copy()
    sizes, prices = np.full(len(X), K - 1), np.full(len(X), float(C))
    a, _, _ = _core.solve_margins(d, np.ones(len(d)), sizes, prices, e)
    return a.sum() - 0.5 * np.sum((a @ d) ** 2)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_the_optimum_is_found(C, K, seed):
    X, y = far_from_the_origin(seed, K=K)
    model = linnet.LinearSVM(C=C, penalize_intercept=False, tol=1e-5).fit(X, y)
    record = model.record_
    assert (record.learner, record.stopped) == ("dual", "converged")
    assert 0 <= record.gap <= 1e-5 * record.objective
    assert record.objective == pytest.approx(exact(X, y, C, K), rel=2e-5)


@pytest.mark.parametrize("C", [0.1, 1.0])
def test_libsvm_agrees(C):
    X, y = far_from_the_origin(5)
    model = linnet.LinearSVM(C=C, penalize_intercept=False, tol=1e-8).fit(X, y)
    peer = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-3)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=5e-3)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["hinge", "squared_hinge"]), st.integers(2, 4))
def test_the_gap_bounds_the_distance_at_any_time(seed, loss, K):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    X = (rng.normal(size=(n, 3)) + 2).astype(np.float32)
    y = rng.integers(0, K, n).astype(np.int32)
    rows, c = _core.Rows.dense(X, 1.0), rng.uniform(0, 3, n)

    def solver(tol):
        if K == 2:
            return _core.DualBinary(rows, y, c, loss, tol=tol, free_intercept=True)
        return _core.CrammerSingerDual(rows, y, c, K, tol=tol, free_intercept=True)

    to_the_end = solver(1e-7)
    for _ in range(3000):
        if (best := to_the_end.epoch()).converged:
            break
    assert best.converged
    on_its_way = solver(1e-7)
    for _ in range(10):
        on_its_way.epoch()
        stats = on_its_way.certify()
        assert stats.gap >= -1e-9 * stats.objective
        assert stats.dual <= best.objective * (1 + 1e-9)
        assert stats.objective >= best.dual * (1 - 1e-9)


@pytest.mark.parametrize("K", [2, 3])
def test_a_single_label_needs_no_weights(K):
    rows = _core.Rows.dense(np.ones((3, 2), np.float32), 1.0)
    y, c = np.ones(3, np.int32), np.ones(3)
    if K == 2:
        solver = _core.DualBinary(rows, y, c, free_intercept=True)
    else:
        solver = _core.CrammerSingerDual(rows, y, c, K, free_intercept=True)
    stats = solver.epoch()
    assert (stats.converged, stats.objective) == (True, 0)
    W = np.asarray(solver.weights)
    assert not W[1:].any()
    assert W[0, -1 if K == 2 else 1] == 1


def test_what_is_not_there_is_not_free():
    X, y = far_from_the_origin(2)
    rows = _core.Rows.dense(X.astype(np.float32), 0.0)
    found = []
    for free in (False, True):
        solver = _core.DualBinary(rows, y.astype(np.int32), np.ones(80), tol=1e-6, free_intercept=free)
        while not (stats := solver.epoch()).converged:
            pass
        found.append(stats.objective)
    assert found[0] == found[1]


def test_logistic_loss_is_for_other_learners():
    X, y = far_from_the_origin(3)
    with pytest.raises(RefusedError, match="'newton' or 'lbfgs'"):
        linnet.LinearClassifier("logistic", "dual", penalize_intercept=False).fit(X, y)
