"""Passive-aggressive steps against the textbook, written out over explicit joint features."""

import warnings

import numpy as np
import pytest
from scipy.special import logsumexp

from linnet import _core

inf = np.inf


def blocks(n: int, features: int, labels: int, seed: int):
    """Random rows with a bias; f(x, y) puts (1, x) into column y of the weight block."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, features)).astype(np.float32)
    X[rng.random(X.shape) < 0.3] = 0
    y = rng.integers(labels, size=n).astype(np.int32)
    weights = rng.choice([0.0, 0.5, 1.0, 2.0], size=n)
    return X, y, weights


def joint(x, y, stride):
    f = np.zeros((len(x) + 1, stride))
    f[:, y] = np.append(1, x)
    return f.ravel()


def tau(loss, norm, C, squared_slack):
    return loss / (norm + 1 / (2 * C)) if squared_slack else min(C, loss / norm)


def naive(candidates, gold, weights, C, squared_slack, dim):
    """Candidates: for every instance, the list of its f(x, y)."""
    w = np.zeros(dim)
    for f, y, c in zip(candidates, gold, weights, strict=True):
        scores = f @ w + 1
        scores[y] -= 1
        best = int(np.argmax(scores))
        g = f[best] - f[y]
        loss = scores[best] - scores[y]
        if c > 0 and loss > 0 and g @ g > 0:
            w -= tau(loss, g @ g, C * c, squared_slack) * g
    return w


SETTINGS = [(0.05, False), (0.05, True), (1.0, False), (1.0, True), (inf, False), (inf, True)]


@pytest.mark.parametrize(("C", "squared_slack"), SETTINGS)
@pytest.mark.parametrize("labels", [3, 5])
def test_multiclass(C: float, squared_slack: bool, labels: int) -> None:
    X, y, weights = blocks(60, 8, labels, labels)
    stride = _core.padded(labels)
    rows = _core.Rows.dense(X, bias=1.0)
    data = _core.BlockData(rows, y, labels, False, weights)
    learner = _core.PassiveAggressive("hinge", data.dim, C=C, squared_slack=squared_slack)
    learner.epoch(data, shuffle=False)
    candidates = [np.array([joint(x, k, stride) for k in range(labels)]) for x in X]
    expected = naive(candidates, y, weights, C, squared_slack, data.dim)
    np.testing.assert_allclose(learner.weights(), expected, atol=2e-5)


@pytest.mark.parametrize(("C", "squared_slack"), SETTINGS)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_binary(C: float, squared_slack: bool, loss: str) -> None:
    X, y, weights = blocks(60, 8, 2, 0)
    data = _core.BlockData(_core.Rows.dense(X, bias=0.5), y, 2, True, weights)
    learner = _core.PassiveAggressive(loss, data.dim, C=C, squared_slack=squared_slack)
    learner.epoch(data, shuffle=False)
    w = np.zeros(9)
    for x, sign, c in zip(X, 2 * y - 1, weights, strict=True):
        f = np.append(0.5, x)
        hinge = max(0, 1 - sign * (w @ f))
        if c > 0:
            w += tau(hinge, f @ f, C * c, squared_slack) * sign * f
    np.testing.assert_allclose(learner.weights(), w, atol=2e-5)


@pytest.mark.parametrize(("C", "squared_slack"), SETTINGS)
def test_candidates_share_features(C: float, squared_slack: bool) -> None:
    rng = np.random.default_rng(3)
    counts = rng.integers(1, 6, size=50)
    offsets = np.append(0, np.cumsum(counts)).astype(np.int64)
    F = rng.normal(size=(offsets[-1], 6)).astype(np.float32)
    gold = np.array([rng.integers(k) for k in counts], dtype=np.int32)
    weights = rng.choice([0.5, 1.0], size=50)
    data = _core.CandidateData(_core.Rows.dense(F, bias=1.0), offsets, gold, weights)
    learner = _core.PassiveAggressive("hinge", data.dim, C=C, squared_slack=squared_slack)
    learner.epoch(data, shuffle=False)
    joined = np.hstack([np.ones((len(F), 1)), F])
    candidates = np.split(joined, offsets[1:-1])
    expected = naive(candidates, gold, weights, C, squared_slack, data.dim)
    np.testing.assert_allclose(learner.weights(), expected, atol=2e-5)


@pytest.mark.parametrize("loss", ["logistic", "softmax_margin"])
def test_log_losses_take_the_capped_polyak_step(loss: str) -> None:
    X, y, weights = blocks(60, 8, 3, 4)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 3, False, weights)
    learner = _core.PassiveAggressive(loss, data.dim, C=0.7)
    learner.epoch(data, shuffle=False)
    W = np.zeros((9, 4))
    for x, gold, c in zip(X, y, weights, strict=True):
        f = np.append(1, x)
        theta = f @ W[:, :3] + (loss == "softmax_margin") * (np.arange(3) != gold)
        value = logsumexp(theta) - theta[gold]
        g = np.outer(f, np.exp(theta - logsumexp(theta)) - (np.arange(3) == gold))
        if c > 0:
            W[:, :3] -= min(0.7 * c, value / (g**2).sum()) * g
    np.testing.assert_allclose(learner.weights(), W.ravel(), atol=2e-5)


@pytest.mark.parametrize("squared_slack", [False, True])
def test_agrees_with_scikit_learn(squared_slack: bool) -> None:
    from sklearn.linear_model import PassiveAggressiveClassifier

    X, y, _ = blocks(200, 10, 2, 7)
    y = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(np.int32)
    data = _core.BlockData(_core.Rows.dense(X), y, 2, True)
    learner = _core.PassiveAggressive("hinge", data.dim, C=0.3, squared_slack=squared_slack)
    for _ in range(3):
        learner.epoch(data, shuffle=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = PassiveAggressiveClassifier(
            C=0.3,
            loss="squared_hinge" if squared_slack else "hinge",
            fit_intercept=False,
            shuffle=False,
            max_iter=3,
            tol=None,
        ).fit(X, y)
    np.testing.assert_allclose(learner.weights()[1:], peer.coef_[0], atol=2e-5)


def test_without_slack_the_margin_holds_after_the_step() -> None:
    X, y, _ = blocks(1, 8, 4, 1)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 4, False)
    learner = _core.PassiveAggressive("hinge", data.dim, C=inf)
    # A step repairs one wrong label at a time; a few visits to the same row repair them all.
    for _ in range(50):
        stats = learner.epoch(data)
    assert stats.objective == pytest.approx(0, abs=1e-5)


def test_same_features_for_gold_and_wrong_is_no_division_by_zero() -> None:
    F = np.ones((2, 3), dtype=np.float32)
    for y in (0, 1):
        gold = np.array([y], dtype=np.int32)
        data = _core.CandidateData(_core.Rows.dense(F), np.array([0, 2]), gold)
        learner = _core.PassiveAggressive("hinge", data.dim, C=inf)
        learner.epoch(data)
        np.testing.assert_array_equal(learner.weights(), 0)
    empty = _core.Rows.dense(np.zeros((1, 3), dtype=np.float32))
    data = _core.BlockData(empty, np.array([1], dtype=np.int32), 3, False)
    learner = _core.PassiveAggressive("hinge", data.dim, C=inf)
    learner.epoch(data)
    np.testing.assert_array_equal(learner.weights(), 0)


def test_averaging_is_the_mean_of_the_past() -> None:
    X, y, _ = blocks(30, 5, 3, 9)
    rows = _core.Rows.dense(X, bias=1.0)
    data = _core.BlockData(rows, y, 3, False)
    averaged = _core.PassiveAggressive("hinge", data.dim, averaging=True)
    averaged.epoch(data, shuffle=False)
    learner = _core.PassiveAggressive("hinge", data.dim)
    history = []
    for i in range(30):
        one = _core.BlockData(_core.Rows.dense(X[i : i + 1], bias=1.0), y[i : i + 1], 3, False)
        learner.epoch(one)
        history.append(learner.weights())
    np.testing.assert_allclose(averaged.weights(), np.mean(history, axis=0), atol=1e-5)


@pytest.mark.parametrize("loss", ["perceptron", "probability", "exponential", "squared"])
def test_losses_without_a_margin_are_refused(loss: str) -> None:
    with pytest.raises(ValueError, match=loss):
        _core.PassiveAggressive(loss, 4)


def test_log_loss_without_slack_is_refused() -> None:
    with pytest.raises(ValueError, match="finite C"):
        _core.PassiveAggressive("logistic", 4, C=inf)
    with pytest.raises(ValueError, match="positive"):
        _core.PassiveAggressive("hinge", 4, C=0.0)
