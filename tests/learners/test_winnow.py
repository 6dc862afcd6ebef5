"""The Winnow family against its statement, step by step."""

import numpy as np
import pytest

import linnet
from linnet import _core


def below(threshold: float) -> np.float32:
    """Row 0 holds the largest float below the threshold, so that reaching it is enough."""
    return -np.nextafter(np.float32(threshold), np.float32(0))


def positive(X, y, weights, promotion, demotion, theta, initial=1.0, eliminate=False):
    w, mistakes = np.full(X.shape[1], initial), 0
    for x, label, c in zip(X, y, weights, strict=True):
        said = w @ x >= theta
        if c == 0 or said == label:
            continue
        mistakes += 1
        if label:
            w = w * promotion ** (c * x)
        else:
            w = np.where(x > 0, 0, w) if eliminate else w / demotion ** (c * x)
    return w, mistakes


def stream(n, features, seed, boolean):
    rng = np.random.default_rng(seed)
    X = (rng.random((n, features)) < 0.4).astype(np.float32)
    if not boolean:
        X *= rng.random(X.shape).astype(np.float32) * 2
    y = (X[:, :3].sum(axis=1) > 0.8).astype(np.int32)
    y[rng.random(n) < 0.1] ^= 1
    return X, y


@pytest.mark.parametrize("boolean", [True, False])
@pytest.mark.parametrize("eliminate", [True, False])
@pytest.mark.parametrize(("promotion", "demotion"), [(2.0, 2.0), (1.3, 1.7)])
@pytest.mark.parametrize("weighted", [False, True])
def test_positive(boolean, eliminate, promotion, demotion, weighted) -> None:
    X, y = stream(200, 12, 0, boolean)
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0], 200) if weighted else np.ones(200)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 2, True, weights)
    learner = _core.Winnow(
        "perceptron",
        dim=data.dim,
        promotion=promotion,
        demotion=demotion,
        eliminate=eliminate,
        threshold=3.7,
    )
    stats = learner.epoch(data, shuffle=False)
    w, mistakes = positive(X, y, weights, promotion, demotion, 3.7, eliminate=eliminate)
    assert stats.mistakes == mistakes
    assert learner.threshold == 3.7
    np.testing.assert_allclose(learner.weights(), np.append(-3.7, w), rtol=2e-5)


def test_doubling_and_halving_are_exact() -> None:
    X, y = stream(300, 16, 2, True)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 2, True)
    learner = _core.Winnow("perceptron", dim=data.dim)
    assert learner.threshold == 16
    np.testing.assert_array_equal(learner.weights(), np.append(below(16), np.ones(16)))
    learner.epoch(data, shuffle=False)
    w, _ = positive(X, y, np.ones(300), 2, 2, 16)
    np.testing.assert_array_equal(learner.weights(), np.append(below(16), w))


def test_a_tie_is_a_yes() -> None:
    X, y = np.ones((1, 4), dtype=np.float32), np.array([1], dtype=np.int32)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 2, True)
    assert _core.Winnow("perceptron", dim=data.dim).epoch(data).mistakes == 0


def test_averaging_and_growing() -> None:
    X, y = stream(40, 6, 3, True)
    averaged = _core.Winnow("perceptron", dim=5, averaging=True, threshold=3.0)
    plain = _core.Winnow("perceptron", dim=5, threshold=3.0)
    history = []
    for i in range(40):
        # The last two features appear only after twenty instances.
        columns = 4 if i < 20 else 6
        x = np.ascontiguousarray(X[i : i + 1, :columns])
        one = _core.BlockData(_core.Rows.dense(x, bias=1.0), y[i : i + 1], 2, True)
        averaged.epoch(one)
        plain.epoch(one)
        history.append(np.append(plain.weights(), np.ones(6 - columns)))
    assert plain.dim == 7
    np.testing.assert_allclose(averaged.weights(), np.mean(history, axis=0), rtol=1e-5)


def test_thick_winnow_moves_on_small_margins() -> None:
    X, y = np.ones((2, 4), dtype=np.float32), np.array([1, 1], dtype=np.int32)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 2, True)
    learner = _core.Winnow("hinge", data.dim, margin=2.0)
    stats = learner.epoch(data)
    assert (stats.mistakes, stats.updates) == (0, 1)
    np.testing.assert_array_equal(learner.weights(), [below(4), 2, 2, 2, 2])


def balanced(candidates, gold, promotion, demotion, dim):
    plus, minus, mistakes = np.ones(dim), np.ones(dim), 0
    for f, y in zip(candidates, gold, strict=True):
        scores = f @ (plus - minus)
        best = int(np.argmax(scores))
        mistakes += best != y
        t = f[y] - f[best]
        plus = plus * np.where(t > 0, promotion**t, demotion**t)
        minus = minus * np.where(t < 0, promotion**-t, demotion**-t)
    return plus, minus, mistakes


def check_balanced(data, candidates, gold, promotion=1.5, demotion=1.2):
    learner = _core.BalancedWinnow("perceptron", dim=data.dim, promotion=promotion, demotion=demotion)
    stats = learner.epoch(data, shuffle=False)
    plus, minus, mistakes = balanced(candidates, gold, promotion, demotion, data.dim)
    assert stats.mistakes == mistakes
    np.testing.assert_allclose(learner.positive, plus, rtol=2e-5)
    np.testing.assert_allclose(learner.negative, minus, rtol=2e-5)
    np.testing.assert_allclose(learner.weights(), plus - minus, rtol=1e-4, atol=1e-5)


def test_balanced_binary_with_signed_features() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 6)).astype(np.float32)
    y = (X[:, 0] > X[:, 1]).astype(np.int32)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 2, True)
    check_balanced(data, [np.array([np.zeros(7), np.append(1, x)]) for x in X], y)


def test_balanced_multiclass() -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(80, 6)).astype(np.float32)
    y = rng.integers(3, size=80).astype(np.int32)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 3, False)
    f = [np.array([np.outer(np.append(1, x), np.arange(4) == k).ravel() for k in range(3)]) for x in X]
    check_balanced(data, f, y)


def test_balanced_candidates() -> None:
    rng = np.random.default_rng(7)
    counts = rng.integers(1, 6, size=60)
    offsets = np.append(0, np.cumsum(counts)).astype(np.int64)
    F = rng.normal(size=(offsets[-1], 6)).astype(np.float32)
    gold = np.array([rng.integers(k) for k in counts], dtype=np.int32)
    data = _core.CandidateData(_core.Rows.dense(F), offsets, gold)
    f = np.split(np.hstack([np.zeros((len(F), 1)), F]), offsets[1:-1])
    check_balanced(data, f, gold)


def test_balanced_learns_what_positive_cannot() -> None:
    rng = np.random.default_rng(8)
    X = rng.integers(0, 2, size=(200, 10)).astype(np.float32)
    y = (X[:, 0] + (1 - X[:, 1]) >= 1).astype(np.int32)  # x0 or not x1
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 2, True)
    both, alone = (
        _core.BalancedWinnow("perceptron", dim=data.dim),
        _core.Winnow("perceptron", dim=data.dim),
    )
    for _ in range(50):
        mistakes = [learner.epoch(data).mistakes for learner in (both, alone)]
    assert mistakes[0] == 0
    assert mistakes[1] > 0


def test_balanced_goes_on_from_given_weights() -> None:
    start = np.array([0, 3, -2, 0.5], dtype=np.float32)
    X, y = np.array([[-1.0, 0, 1]], dtype=np.float32), np.array([1], dtype=np.int32)
    data = _core.BlockData(_core.Rows.dense(X), y, 2, True)
    learner = _core.BalancedWinnow("perceptron", dim=4, promotion=2.0, demotion=2.0)
    learner.set_weights(start)
    assert learner.epoch(data).mistakes == 1
    # w = 2 sinh z, and a step moves z by ln 2 against the sign of the feature
    z = np.arcsinh(start / 2) + np.log(2) * np.array([0, -1, 0, 1])
    np.testing.assert_allclose(learner.weights(), 2 * np.sinh(z), rtol=1e-5)


def test_hopeless_data_keeps_finite_weights() -> None:
    X = np.full((2, 2), 30, dtype=np.float32)
    y = np.array([0, 1], dtype=np.int32)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 2, True)
    for learner in (
        _core.Winnow("perceptron", dim=3),
        _core.BalancedWinnow("perceptron", dim=3, promotion=3.0),
    ):
        for _ in range(200):
            learner.epoch(data)
        assert np.isfinite(learner.weights()).all()


def test_refusals() -> None:
    y = np.array([1], dtype=np.int32)
    X = np.array([[1, -0.5]], dtype=np.float32)
    with pytest.raises(ValueError, match="feature 1 of row 0"):
        _core.Winnow("perceptron", dim=3).epoch(
            _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 2, True)
        )
    X = np.ones((1, 2), dtype=np.float32)
    with pytest.raises(ValueError, match="two labels"):
        _core.Winnow("perceptron", dim=9).epoch(
            _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 3, False)
        )
    with pytest.raises(ValueError, match="bias of 1"):
        _core.Winnow("perceptron", dim=3).epoch(_core.BlockData(_core.Rows.dense(X), y, 2, True))
    for make in (_core.Winnow, _core.BalancedWinnow):
        with pytest.raises(ValueError, match="logistic"):
            make("logistic", 3)
        with pytest.raises(ValueError, match="above 1"):
            make("perceptron", dim=3, promotion=1.0)
    with pytest.raises(ValueError, match="threshold"):
        _core.Winnow("perceptron", dim=3, threshold=0.0)


def test_balanced_without_an_intercept() -> None:
    X, y = np.array([[1.0, 0], [0, 1], [1, 1]]), [1, 1, 0]
    assert linnet.Winnow().fit(X, y).intercept_[0] > 0
    assert linnet.Winnow(fit_intercept=False).fit(X, y).intercept_.tolist() == [0]
    assert linnet.Winnow("positive", fit_intercept=False).fit(X, y).intercept_[0] == pytest.approx(-2)


def test_initial_weights() -> None:
    X, y = np.array([[1.0, 0], [0, 1]]), [0, 1]
    low = linnet.Winnow("positive", initial=0.25, threshold=1.0, max_iter=1).fit(X, y)
    assert low.coef_.tolist() == [[0.25, 0.5]]
