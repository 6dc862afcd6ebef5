"""Generalised iterative scaling: never uphill, and to the optimum of L-BFGS."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from linnet import _core


def problem(shape, density=0.6, seed=0, negative=False):
    rng = np.random.default_rng(seed)
    n = 80
    sizes = rng.integers(2, 5, n)
    m = sizes.sum() if shape == "candidates" else n
    X = sp.random(m, 6, density, "csr", rng=rng, dtype=np.float64).astype(np.float32)
    if negative:
        X.data[0] = -1
    r = _core.Rows.csr(X.indptr, X.indices, X.data, 6, 0.0 if shape == "candidates" else 1.0)
    if shape == "candidates":
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return _core.CandidateData(r, offsets, (rng.random(n) * sizes).astype(np.int32))
    labels = 2 if shape == "binary" else 3
    y = rng.integers(0, labels, n, dtype=np.int32)
    return _core.BlockData(r, y, labels, shape == "binary")


@pytest.mark.parametrize("l2", [0.0, 0.5])
@pytest.mark.parametrize("shape", ["binary", "multiclass", "candidates"])
def test_monotone_and_to_the_same_optimum(shape, l2):
    data = problem(shape)
    f = _core.BatchObjective(data, "logistic", l2=l2)
    lbfgs = _core.LBFGS(f, tol=1e-9, decrease_tol=0)
    while not lbfgs.epoch().converged:
        pass
    best = f.evaluate(lbfgs.weights)[0]
    gis = _core.GIS(f, tol=1e-7, decrease_tol=0)
    values = []
    for _ in range(50000):
        stats = gis.epoch()
        values.append(stats.objective)
        if stats.converged:
            break
    assert stats.converged
    assert all(b <= a for a, b in pairwise(values))
    assert values[-1] == pytest.approx(best, rel=1e-9)


def test_the_textbook_step():
    """Two outputs, one feature each: w = log(observed / expected) / M, from p = ½."""
    X = sp.csr_matrix(np.array([[2.0]] * 4, np.float32))
    y = np.array([0, 1, 1, 1], np.int32)
    data = _core.BlockData(_core.Rows.csr(X.indptr, X.indices, X.data, 1), y, 2, False)
    gis = _core.GIS(_core.BatchObjective(data, "logistic", l2=0.0))
    assert gis.constant == 2
    gis.epoch()
    np.testing.assert_allclose(gis.weights[2:], [np.log(2 / 4) / 2, np.log(6 / 4) / 2])
    # With Σ f = M for every output, one step solves this problem.
    p = np.exp(2 * gis.weights[2:])
    np.testing.assert_allclose(p / p.sum(), [0.25, 0.75])


def test_unobserved_features_stay_out_without_a_penalty():
    X = sp.csr_matrix(np.eye(3, dtype=np.float32))
    y = np.array([0, 1, 2], np.int32)
    data = _core.BlockData(_core.Rows.csr(X.indptr, X.indices, X.data, 3), y, 3, False)
    gis = _core.GIS(_core.BatchObjective(data, "logistic", l2=0.0))
    for _ in range(20):
        gis.epoch()
    W = gis.weights.reshape(4, -1)[1:, :3]
    assert (W[~np.eye(3, dtype=bool)] == 0).all()
    assert (np.diag(W) > 1).all()


def test_refusals():
    with pytest.raises(ValueError, match="not negative"):
        _core.GIS(_core.BatchObjective(problem("binary", negative=True), "logistic"))
    with pytest.raises(ValueError, match="logistic loss"):
        _core.GIS(_core.BatchObjective(problem("binary"), "hinge"))
