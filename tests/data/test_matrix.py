"""Matrices of any kind become rows of the core."""

import numpy as np
import pytest
from scipy import sparse

import linnet
import linnet._core as _core
from linnet.data import CsrRows, as_rows


def test_repeated_features_are_added_up() -> None:
    rng = np.random.default_rng(0)
    X = sparse.random(40, 12, 0.4, format="csr", random_state=1)
    y = rng.integers(0, 2, 40)
    thrice = sparse.csr_matrix(
        (np.repeat(X.data / 3, 3), np.repeat(X.indices, 3), X.indptr * 3), shape=X.shape
    )
    assert as_rows(thrice, 0.0).nonzeros == X.nnz
    expected = linnet.LinearSVM(tol=1e-8).fit(X, y)
    np.testing.assert_allclose(
        linnet.LinearSVM(tol=1e-8).fit(thrice, y).coef_, expected.coef_, atol=1e-4
    )
    assert thrice.nnz == 3 * X.nnz  # the caller's matrix is left alone


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_rows_that_are_not_sorted_are_read_in_place(index: type) -> None:
    X = sparse.csr_matrix([[1.0, 2.0, 3.0], [0.0, 4.0, 5.0]])
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    X.indices[:3], X.data[:3] = X.indices[:3][::-1].copy(), X.data[:3][::-1].copy()
    X.has_sorted_indices = False
    rows = as_rows(X, 0.0)
    assert not rows.has_duplicates()
    assert rows.nonzeros == 5


def test_the_last_of_many_rows_is_searched_too() -> None:
    n = 70_000  # more rows than a 16-bit stamp can number
    indices = np.tile(np.array([1, 0], dtype=np.int32), n)
    indices[-2:] = 1
    X = sparse.csr_matrix((np.ones(2 * n), indices, np.arange(0, 2 * n + 1, 2)), shape=(n, 2))
    assert as_rows(X, 0.0).nonzeros == 2 * n - 1


def test_values_that_are_all_one_take_no_memory() -> None:
    indptr, indices = np.array([0, 2, 2, 5]), np.array([3, 0, 1, 2, 3], np.int32)
    ones = CsrRows.of_ones(indptr, indices, 4, distinct=True)
    full = CsrRows(indptr, indices, np.ones(5, np.float32), 4, distinct=True)
    assert ones.all_ones
    assert not full.all_ones
    assert not CsrRows(indptr, indices, np.broadcast_to(np.float32(2), 5), 4, distinct=True).all_ones
    assert ones.scipy().toarray().tolist() == full.scipy().toarray().tolist()
    y, factors = np.array([0, 1, 0], np.int32), np.arange(4, dtype=np.float32)
    learnt = []
    for X in (ones, full):
        step, dual = _core.Perceptron("perceptron", 5), _core.DualBinary(as_rows(X, 1.0), y, np.ones(3))
        step.epoch(_core.BlockData(as_rows(X, 1.0), y, 2, True))
        dual.epoch()
        learnt.append([*step.weights().tolist(), *np.ravel(dual.weights).tolist()])
    assert learnt[0] == learnt[1]
    assert any(learnt[0])
    assert ones[np.array([2, 0])].scipy().toarray().tolist() == [[0, 1, 1, 1], [1, 0, 0, 1]]
    assert ones.scaled(factors).values.tolist() == [3, 0, 1, 2, 3]
