"""The voted perceptron as an estimator: it predicts by votes, however it was made or stored."""

import copy
import pickle

import numpy as np
import pytest

import linnet
from linnet.errors import RefusedError


def blobs(labels: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, labels, 120)
    return rng.normal(size=(labels, 6))[y] + 1.2 * rng.normal(size=(120, 6)), y


def by_hand(model: linnet.LinearClassifier, X: np.ndarray) -> np.ndarray:
    """Replay the state: every vector there was, and how long it survived."""
    width, survived, row_end, feature, value, bias, moved_end, label, by = (
        model.model_.votes.votes.state()
    )
    W = np.zeros((X.shape[1] + 1, width))
    x = np.hstack([np.ones((len(X), 1)), X.astype(np.float32)])
    votes, rows = np.zeros((len(X), max(2, width))), np.arange(len(X))
    for k, count in enumerate(survived):
        if k > 0:
            a, b = (row_end[k - 2], moved_end[k - 2]) if k > 1 else (0, 0)
            step = np.zeros(X.shape[1] + 1)
            step[0], step[feature[a : row_end[k - 1]] + 1] = bias[k - 1], value[a : row_end[k - 1]]
            for y in range(b, moved_end[k - 1]):
                W[:, label[y]] += by[y] * step
        scores = x @ W
        best = (scores[:, 0] > 0).astype(int) if width == 1 else scores.argmax(axis=1)
        votes[rows, best] += count
    return votes


@pytest.mark.parametrize("labels", [2, 3])
def test_preset_and_generic_agree_with_a_replay(labels: int) -> None:
    X, y = blobs(labels)
    preset = linnet.VotedPerceptron().fit(X, y)
    generic = linnet.LinearClassifier("perceptron", "voted", "none", max_iter=10).fit(X, y)
    np.testing.assert_array_equal(preset.decision_function(X), generic.decision_function(X))
    votes = by_hand(preset, X)
    shares = votes / votes.sum(axis=1, keepdims=True)
    expected = shares[:, 1] - shares[:, 0] if labels == 2 else shares
    np.testing.assert_allclose(preset.decision_function(X), expected, atol=1e-12)
    np.testing.assert_array_equal(preset.predict(X), votes.argmax(axis=1))
    # and the last vector alone would have said something else
    assert (preset.model_.linear_scores(X) != preset.model_.scores(X)).any()


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("stored", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_vote_alike(labels: int, stored: object) -> None:
    X, y = blobs(labels)
    model = linnet.VotedPerceptron().fit(X, y)
    np.testing.assert_array_equal(stored(model).decision_function(X), model.decision_function(X))


def test_votes_outlive_the_training_data() -> None:
    X, y = blobs(2)
    model = linnet.VotedPerceptron().fit(X.copy(), y)
    before = model.decision_function(X)
    model.fit(*blobs(2, seed=1)).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), before)


def test_probabilities_only_when_calibrated() -> None:
    X, y = blobs(3)
    assert not hasattr(linnet.VotedPerceptron(), "predict_proba")
    model = linnet.VotedPerceptron(calibration="isotonic").fit(X, y)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (proba.argmax(axis=1) == y).mean() > 0.7
    two = linnet.VotedPerceptron(calibration="sigmoid").fit(X, y > 0)
    order = np.argsort(two.decision_function(X), kind="stable")
    assert (np.diff(two.predict_proba(X)[order, 1]) >= 0).all()
    assert (two.predict_proba(X)[:, 1] > 0.5)[y > 0].mean() > 0.7


def test_early_stopping_keeps_the_votes_of_the_best_epoch() -> None:
    X, y = blobs(3)
    X_dev, y_dev = blobs(3, seed=0)
    model = linnet.VotedPerceptron(max_iter=15, patience=2, early_stopping=True)
    model.fit(X[:60], y[:60], dev=(X_dev[60:], y_dev[60:]))
    best = max(e.dev_score for e in model.record_.epochs)
    assert model.score(X_dev[60:], y_dev[60:]) == pytest.approx(best)


def test_warm_start_is_refused() -> None:
    X, y = blobs(2)
    model = linnet.VotedPerceptron(warm_start=True).fit(X, y)
    with pytest.raises(RefusedError, match="warm start"):
        model.fit(X, y)


WRONG_STATES = {
    "width": lambda s: (0, *s[1:]),
    "negative width": lambda s: (-(2**31), *s[1:]),
    "survived": lambda s: (s[0], s[1][:-1], *s[2:]),
    "negative count": lambda s: (s[0], -s[1] - 1, *s[2:]),
    "row ends short": lambda s: (*s[:2], s[2][:-1], *s[3:]),
    "row ends past": lambda s: (*s[:2], s[2] + 1000, *s[3:]),
    "row ends before": lambda s: (*s[:2], s[2] - 1000, *s[3:]),
    "row ends disordered": lambda s: (*s[:2], s[2][::-1].copy(), *s[3:]),
    "features short": lambda s: (*s[:3], s[3][:-1], *s[4:]),
    "features negative": lambda s: (*s[:3], s[3] - 1000, *s[4:]),
    "values short": lambda s: (*s[:4], s[4][:0], *s[5:]),
    "bias": lambda s: (*s[:5], s[5][:0], *s[6:]),
    "moved ends": lambda s: (*s[:6], s[6] + 10**12, *s[7:]),
    "labels": lambda s: (*s[:7], s[7] + 99, s[8]),
    "steps": lambda s: (*s[:8], s[8][:0]),
    "few": lambda s: s[:4],
    "nothing": lambda s: s[:0],
    "matrix": lambda s: (*s[:8], s[8][:, None]),
    "text": lambda s: (*s[:8], "steps"),
}


@pytest.mark.parametrize("wrong", WRONG_STATES)
def test_a_hostile_state_is_refused(wrong: str) -> None:
    X, y = blobs(3)
    votes = linnet.VotedPerceptron().fit(X, y).model_.votes.votes
    Votes = type(votes)
    again = Votes.from_state(votes.state())
    for a, b in zip(votes.state(), again.state(), strict=True):
        np.testing.assert_array_equal(a, b)
    bad = WRONG_STATES[wrong](votes.state())
    with pytest.raises((ValueError, TypeError)):
        Votes.from_state(bad)
    with pytest.raises((ValueError, TypeError)):
        Votes.__new__(Votes).__setstate__(bad)
    with pytest.raises((TypeError, RuntimeError)), pytest.warns(RuntimeWarning):
        Votes.__new__(Votes).state()
