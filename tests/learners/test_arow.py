"""AROW against its statement, step by step."""

import numpy as np
import pytest

from linnet import _core


def naive(candidates, gold, weights, r, dim):
    w, S = np.zeros(dim), np.ones(dim)
    for f, y, c in zip(candidates, gold, weights, strict=True):
        scores = f @ w + (np.arange(len(f)) != y)
        best = int(np.argmax(scores))
        loss, g = scores[best] - scores[y], f[y] - f[best]
        if c > 0 and loss > 0:
            beta = 1 / (g @ (S * g) + r / c)
            w, S = w + loss * beta * S * g, S - beta * (S * g) ** 2
    return w, S


def check(data, candidates, gold, weights, r, loss="hinge"):
    learner = _core.Arow(loss, data.dim, r=r)
    learner.epoch(data, shuffle=False)
    w, S = naive(candidates, gold, weights, r, data.dim)
    np.testing.assert_allclose(learner.weights(), w, atol=3e-5)
    np.testing.assert_allclose(learner.covariance, S, atol=1e-5)


@pytest.mark.parametrize("r", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_binary(r: float, loss: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8)).astype(np.float32)
    y = rng.integers(2, size=60).astype(np.int32)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], size=60)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 2, True, weights)
    f = [np.array([np.zeros(9), np.append(1, x)]) for x in X]
    check(data, f, y, weights, r, loss)


@pytest.mark.parametrize("r", [0.1, 1.0, 10.0])
def test_multiclass(r: float) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 8)).astype(np.float32)
    y = rng.integers(3, size=60).astype(np.int32)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 3, False)
    f = [
        np.array([np.outer(np.append(1, x), np.arange(4) == k).ravel() for k in range(3)])
        for x in X
    ]
    check(data, f, y, np.ones(60), r)


@pytest.mark.parametrize("r", [0.1, 1.0, 10.0])
def test_candidates(r: float) -> None:
    rng = np.random.default_rng(2)
    counts = rng.integers(1, 6, size=40)
    offsets = np.append(0, np.cumsum(counts)).astype(np.int64)
    F = rng.normal(size=(offsets[-1], 6)).astype(np.float32)
    gold = np.array([rng.integers(k) for k in counts], dtype=np.int32)
    data = _core.CandidateData(_core.Rows.dense(F), offsets, gold)
    f = np.split(np.hstack([np.zeros((len(F), 1)), F]), offsets[1:-1])
    check(data, f, gold, np.ones(40), r)


@pytest.mark.parametrize("r", [1e-6, 1.0])
def test_covariance_stays_positive_and_never_grows(r: float) -> None:
    rng = np.random.default_rng(3)
    X = (rng.normal(size=(300, 4)) * [1e-3, 1, 1, 1e3]).astype(np.float32)
    y = rng.integers(2, size=300).astype(np.int32)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 2, True)
    learner = _core.Arow("hinge", data.dim, r=r)
    before = learner.covariance
    for _ in range(5):
        learner.epoch(data)
        after = learner.covariance
        assert (after > 0).all()
        assert (after <= before).all()
        before = after


def test_new_features_start_uncertain() -> None:
    learner = _core.Arow("hinge", 2)
    X, y = np.ones((1, 1), dtype=np.float32), np.array([1], dtype=np.int32)
    learner.epoch(_core.BlockData(_core.Rows.dense(X, bias=1.0), y, 2, True))
    learner.grow(4)
    assert (learner.covariance[:2] < 1).all()
    np.testing.assert_array_equal(learner.covariance[2:], 1)


@pytest.mark.parametrize("loss", ["perceptron", "logistic", "squared"])
def test_other_losses_are_refused(loss: str) -> None:
    with pytest.raises(ValueError, match="hinge"):
        _core.Arow(loss, 4)
