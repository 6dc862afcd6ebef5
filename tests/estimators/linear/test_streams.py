"""Streams: new words and new labels, batch by batch."""

from itertools import pairwise

import numpy as np
import pytest

import linnet
from linnet.errors import RefusedError
from linnet.learners import SGD

ONLINE = [linnet.AROW, linnet.MIRA, linnet.PassiveAggressive, linnet.Perceptron, linnet.Winnow]
SEEN = [{"red forehead": 1}, {"tiny": 1}, {"hoot": 1}]
BIRDS = ["linnet", "wren", "owl"]


@pytest.mark.parametrize("kind", ONLINE)
def test_new_words_and_labels(kind: type[linnet.LinearClassifier]) -> None:
    model = kind()
    for n in (1, 2, 2, 3, 3, 3, 3):
        model.partial_fit(SEEN[:n], BIRDS[:n])
    assert model.classes_.tolist() == BIRDS
    assert model.predict(SEEN).tolist() == BIRDS


# Without an intercept, which would move with every new label, for new words move nothing old.
@pytest.mark.parametrize("kind", [linnet.AROW, linnet.PassiveAggressive, linnet.Perceptron])
def test_a_third_label_leaves_the_first_two_as_they_were(kind: type[linnet.LinearClassifier]) -> None:
    model = kind(fit_intercept=False)
    for _ in range(5):
        model.partial_fit(SEEN[:2], BIRDS[:2])
    assert model.predict(SEEN[:2]).tolist() == BIRDS[:2]
    for _ in range(5):
        model.partial_fit(SEEN[2:], BIRDS[2:])
    assert model.classes_.tolist() == BIRDS
    assert model.predict(SEEN).tolist() == BIRDS


@pytest.mark.parametrize("kind", [linnet.AROW, linnet.PassiveAggressive, linnet.Perceptron])
def test_a_third_label_after_fit(kind: type[linnet.LinearClassifier]) -> None:
    model = kind(fit_intercept=False).fit(SEEN[:2], BIRDS[:2])
    assert model.model_.width == 1
    for _ in range(5):
        model.partial_fit(SEEN[2:], BIRDS[2:])
    assert model.predict(SEEN).tolist() == BIRDS


def test_what_knows_only_yes_and_no() -> None:
    model = linnet.Winnow("positive", threshold=1.5)
    for _ in range(5):
        model.partial_fit(SEEN[:2], BIRDS[:2])
    assert model.predict(SEEN[:2]).tolist() == BIRDS[:2]
    with pytest.raises(ValueError, match="two labels only"):
        model.partial_fit(SEEN, BIRDS)


def test_a_stream_is_refused_as_training_is() -> None:
    with pytest.raises(RefusedError, match="pa does not take penalty 'l2'"):
        linnet.LinearClassifier("hinge", "pa", "l2").partial_fit(SEEN, BIRDS)


def test_labels_come_one_at_a_time() -> None:
    model = linnet.Perceptron()
    for bird, features in zip(BIRDS, SEEN, strict=True):
        for _ in range(3):
            model.partial_fit([features], [bird])
        assert model.predict([features]).tolist() == [bird]


def test_a_stream_is_one_pass_of_training() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = (X @ rng.normal(size=5) > 0).astype(int)
    whole = linnet.Perceptron(max_iter=1, shuffle=False).fit(X, y)
    stream = linnet.Perceptron(shuffle=False)
    for at in range(0, 60, 7):
        stream.partial_fit(X[at : at + 7], y[at : at + 7], classes=[0, 1])
    np.testing.assert_array_equal(whole.coef_, stream.coef_)
    assert whole.record_.mistakes == stream.record_.mistakes


def test_the_step_is_reduced_when_held_out_likelihood_falls() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 10))
    y = X[:, 0] + rng.normal(size=200) > 0
    learner = SGD("reduce", eta0=2.0, factor=0.5)
    model = linnet.LinearClassifier("logistic", learner, max_iter=20).fit(X, y)
    scores = [row.dev_score for row in model.record_.epochs]
    falls = sum(b < a for a, b in pairwise(scores))
    assert falls > 0
    assert model._stream.solver.learner.eta == pytest.approx(2.0 * 0.5**falls)
    with pytest.raises(ValueError, match="factor must be between 0 and 1"):
        linnet.LinearClassifier("logistic", SGD("reduce", factor=2)).fit(X, y)
