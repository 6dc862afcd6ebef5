"""Probabilities from scores: softmax where the loss is one of likelihood, calibration elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import warn_of_training
from linnet.losses import LOSSES
from linnet.model import LinearModel, best_labels
from linnet.structures import Problem
from linnet.training.calibration import Calibrator, calibrated, fit_calibrators
from linnet.training.diagnostics import moments
from linnet.training.record import TrainingRecord

Array = NDArray[np.float64]


def probabilities(estimator: Any, scores: Array) -> Array:
    """(n, labels), rows summing to one."""
    if len(estimator.classes_) == 1:  # a stream that has shown one class so far
        return np.ones((len(scores), 1))
    if estimator.calibration is not None:
        return calibrated(estimator.calibrators_, scores)
    scale = LOSSES[estimator.loss].probability_scale
    if estimator.trains_one_against_rest() and scores.shape[1] > 1:
        each = sigmoid(scale * scores)
        return np.asarray(each / each.sum(axis=1, keepdims=True))
    return softmax(scale * scores, fallback=estimator.model_.intercept)


def softmax(scores: Array, fallback: Any = None) -> Array:
    """Over columns; a single column is the log odds of the second label.

    Where every label is impossible (log-probabilities of −inf) the fallback's scores decide.
    """
    scores = two_columns(scores)
    top = scores.max(axis=1, keepdims=True)
    if fallback is not None and np.isneginf(top).any():
        scores = np.where(np.isneginf(top), np.asarray(fallback, dtype=np.float64), scores)
        top = scores.max(axis=1, keepdims=True)
    e = np.exp(scores - top)
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def sigmoid(scores: Array) -> Array:
    """1 / (1 + e^−s), each label by itself."""
    return np.asarray(1 / (1 + np.exp(-np.clip(scores, -700, 700))))


def two_columns(scores: Array) -> Array:
    """A single column scores the second of two labels against a 0 for the first."""
    return np.hstack([np.zeros_like(scores), scores]) if scores.shape[1] == 1 else scores


def difference(scores: Array) -> Array:
    """Two columns as one score; two impossible labels are a tie."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(scores[:, 1] - scores[:, 0], nan=0.0, posinf=np.inf, neginf=-np.inf)


def calibrate(
    estimator: Any, X: Any, labels: NDArray[np.int32], weights: Array, folds: int = 5
) -> list[Calibrator] | None:
    """Scores of each fold by a model that has not seen it, then one calibrator per column.

    None if training was interrupted, here or before: who wants to stop shall not wait for five more.
    """
    from sklearn.model_selection import StratifiedKFold

    smallest = int(np.bincount(labels).min())
    if smallest < 2:
        raise ValueError(
            "calibration needs at least two instances of every class; one class has a single one"
        )
    scores = np.empty((len(labels), estimator.model_.width))
    if estimator.record_.stopped == "interrupted":
        return None
    split = StratifiedKFold(min(folds, smallest), shuffle=True, random_state=0)
    for kept, held in split.split(np.zeros(len(labels)), labels):
        part = estimator.__sklearn_clone__().set_params(
            calibration=None,
            diagnostics=False,
            warm_start=False,
            class_weight=None,
            progressive=False,
        )
        part.fit(X[kept], labels[kept], sample_weight=weights[kept])
        if part.record_.stopped == "interrupted":
            return None
        scores[held] = part.model_.scores(X[held])
    return fit_calibrators(estimator.calibration, scores, labels, weights)


def maxent(
    model: LinearModel,
    X: Any,
    labels: NDArray[np.int32],
    problem: Problem,
    scores: Array,
    record: TrainingRecord,
) -> dict[str, Any]:
    """Moment matching and entropy of a log-linear model; warns of an optimum at infinity."""
    warn_of_no_minimum(record)
    if not matches_moments(record):
        return {}
    penalized = problem.penalize_intercept
    return moments(softmax(scores), X, labels, problem.costs, model, problem.l2, penalized)


def warn_of_no_minimum(record: TrainingRecord) -> None:
    """Weights that separate the data can only grow where nothing holds them back."""
    unbounded = record.loss in ("logistic", "softmax_margin", "exponential")
    if unbounded and record.penalty == "none" and record.diagnostics.get("separates"):
        warn_of_training(
            f"the data are separable and there is no penalty: the {record.loss} loss has no minimum, "
            f"the weights grow without bound; use penalty='l2'"
        )


def matches_moments(record: TrainingRecord) -> bool:
    """Is it a model of maximum entropy, whose gradient is known everywhere?"""
    return record.loss == "logistic" and record.penalty in ("none", "l2")


def dev_metric(metric: Any) -> Callable[[NDArray[np.int32], Array], float]:
    """A held-out score from labels and scores; higher is better."""
    if callable(metric):
        return lambda y, scores: float(metric(y, best_labels(scores)))
    if metric == "accuracy":
        return lambda y, scores: float((best_labels(scores) == y).mean())
    if metric == "log_likelihood":
        return lambda y, scores: float(_log_likelihood(scores, y).mean())
    if metric == "macro_f1":
        from sklearn.metrics import f1_score

        return lambda y, scores: float(f1_score(y, best_labels(scores), average="macro"))
    raise ValueError(
        f"dev_metric must be 'accuracy', 'macro_f1', 'log_likelihood' or a function, not {metric!r}"
    )


def _log_likelihood(scores: Array, labels: NDArray[np.int32]) -> Array:
    scores = two_columns(scores)
    top = scores.max(axis=1)
    log_z = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
    return np.asarray(scores[np.arange(len(labels)), labels] - log_z)
