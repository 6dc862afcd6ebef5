"""The elimination algorithm: what is left is exactly what no negative example holds."""

import numpy as np
import pytest

from linnet import _core

HALF = -np.nextafter(np.float32(0.5), np.float32(0))  # reaching the threshold is enough


def test_survivors() -> None:
    rng = np.random.default_rng(0)
    X = (rng.random((80, 20)) < 0.2).astype(np.float32)
    y = X[:, [3, 7]].any(axis=1).astype(np.int32)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 2, True)
    learner = _core.Elimination(dim=data.dim)
    np.testing.assert_array_equal(learner.weights(), np.append(HALF, np.ones(20)))
    assert learner.epoch(data, shuffle=False).mistakes <= 20
    survivors = ~X[y == 0].any(axis=0)
    np.testing.assert_array_equal(learner.weights(), np.append(HALF, survivors))
    assert learner.epoch(data).mistakes == 0


def test_predictions_before_each_removal() -> None:
    rng = np.random.default_rng(1)
    X = (rng.random((60, 10)) < 0.3).astype(np.float32)
    y = rng.integers(2, size=60).astype(np.int32)  # no disjunction: positives are missed too
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 2, True)
    left, mistakes = np.ones(10, dtype=bool), 0
    for x, label in zip(X, y, strict=True):
        mistakes += (x[left] > 0).any() != label
        if label == 0:
            left &= x == 0
    learner = _core.Elimination(dim=data.dim)
    assert learner.epoch(data, shuffle=False).mistakes == mistakes
    np.testing.assert_array_equal(learner.weights(), np.append(HALF, left))


def test_sparse_rows_and_new_features() -> None:
    indptr = np.array([0, 2, 3])
    indices, values = np.array([0, 2], dtype=np.int64), np.ones(2, dtype=np.float32)
    rows = _core.Rows.csr(indptr[:2], indices, values, 3, bias=1.0)
    learner = _core.Elimination(dim=3)
    learner.epoch(_core.BlockData(rows, np.array([0], dtype=np.int32), 2, True))
    np.testing.assert_array_equal(learner.weights(), [HALF, 0, 1, 0])


def test_refuses_what_is_not_boolean() -> None:
    X = np.array([[1, 0.5]], dtype=np.float32)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), np.array([0], dtype=np.int32), 2, True)
    with pytest.raises(ValueError, match="0 or 1: feature 1 of row 0"):
        _core.Elimination(dim=3).epoch(data)
