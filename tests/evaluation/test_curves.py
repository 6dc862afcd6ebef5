"""Curves, losses of probabilities, abstention and worst errors."""

import numpy as np
import pytest
import sklearn.metrics as reference

from linnet.errors import DataError
from linnet.evaluation import brier, log_loss, precision_recall, selective, worst_errors
from linnet.evaluation.curves import columns, label_losses


def test_precision_recall_runs_from_the_best_scores_down() -> None:
    rng = np.random.default_rng(1)
    positive = rng.random(500) < 0.3
    scores = rng.normal(size=500) + positive
    curve = precision_recall(positive, scores)
    assert curve.recall[-1] == 1
    assert (np.diff(curve.recall) >= 0).all()
    assert (np.diff(curve.threshold) < 0).all()
    i = 40
    said = scores >= curve.threshold[i]
    assert curve.precision[i] == pytest.approx(positive[said].mean())
    assert curve.recall[i] == pytest.approx(positive[said].sum() / positive.sum())
    assert curve.average_precision == pytest.approx(reference.average_precision_score(positive, scores))
    thin = curve.thinned(11)
    assert len(thin.recall) <= 12
    assert (thin.recall[0], thin.recall[-1]) == (curve.recall[0], curve.recall[-1])
    with pytest.raises(DataError, match="no example has the label"):
        precision_recall(np.zeros(3, dtype=bool), np.zeros(3))


def test_losses_of_probabilities() -> None:
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.ones(3), size=50)
    gold = rng.integers(0, 3, 50)
    assert log_loss(gold, p) == pytest.approx(reference.log_loss(gold, p, labels=[0, 1, 2]))
    assert brier(gold, p) == pytest.approx(np.square(p - np.eye(3)[gold]).sum(axis=1).mean())
    two = p[:, :2] / p[:, :2].sum(axis=1, keepdims=True)
    y = gold % 2
    assert brier(y, two) == pytest.approx(2 * reference.brier_score_loss(y, two[:, 1]))
    assert brier(np.array([2]), np.array([[1.0, 0.0]])) == 2  # a label the model does not know
    assert log_loss(np.array([2]), np.array([[1.0, 0.0]])) == pytest.approx(-np.log(2.0**-52))
    assert label_losses(np.array([[True, False]]), np.array([[0.5, 0.5]])) == pytest.approx(
        (np.log(2), 0.25)
    )


def test_unsure_below_a_threshold() -> None:
    correct = np.array([True, True, False, False])
    rows = selective(correct, np.array([0.9, 0.8, 0.8, 0.5]), [0.0, 0.8, 0.85, 1.0])
    assert [row.coverage for row in rows] == [1, 0.75, 0.25, 0]
    assert [row.accuracy for row in rows] == [0.5, pytest.approx(2 / 3), 1, None]


def test_worst_errors_come_largest_first() -> None:
    scores = np.array([[3.0, 0, 0], [0, 9, 0], [0, 1, 0], [5, 0, 0]])
    found = worst_errors(np.array([0, 2, 0, 3]), scores.argmax(axis=1), scores)
    assert [(m.example, m.margin) for m in found] == [(1, 9.0), (2, 1.0)]
    assert len(worst_errors(np.array([1, 2, 0, 1]), scores.argmax(axis=1), scores, n=2)) == 2


def test_one_score_is_two_columns() -> None:
    assert columns(np.array([2.0, -1])).tolist() == [[-1, 1], [0.5, -0.5]]
    assert columns(np.array([[2.0]])).tolist() == [[-1, 1]]
    assert columns(np.eye(3)).shape == (3, 3)
