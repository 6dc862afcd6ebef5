"""The numbers the theory speaks of, measured on the training data with the final weights."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.model import LinearModel, best_labels

Array = NDArray[np.float64]


def diagnose(
    model: LinearModel,
    X: Any,
    labels: NDArray[np.integer[Any]],
    scores: Array | None = None,
    weights: Array | None = None,
) -> dict[str, Any]:
    """Margins, R, the perceptron's bound, norms and non-zero weights.

    R is the largest ‖f(x, y) − f(x, y′)‖: ‖x‖ with one weight per feature, √2‖x‖ with a block per
    label (the constant feature counted). Instances of weight 0 are not looked at.
    """
    scores = model.linear_scores(X) if scores is None else scores
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        X, labels, scores, weights = X[kept], labels[kept], scores[kept], weights[kept]
    R = math.sqrt((1 if model.width == 1 else 2) * max_squared_norm(X, model.bias))
    errors = int((best_labels(scores) != labels).sum())
    return _theory(model, R, functional_margins(scores, labels), errors, weights)


def diagnose_candidates(
    model: LinearModel,
    X: Any,
    offsets: NDArray[np.int64],
    gold: NDArray[np.integer[Any]],
    scores: Array,
    weights: Array,
) -> dict[str, Any]:
    """The same for lists of candidates, rows [o_i, o_i+1) of X, of which the gold one is right."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    right = np.repeat(starts + gold, lengths)  # of every candidate the one that should win
    others = right != np.arange(len(right))
    counted = np.repeat(weights > 0, lengths)
    difference = X[right[others & counted]] - X[others & counted]
    margins = np.full(len(gold), np.inf)  # a list of one cannot be wrong
    np.minimum.at(
        margins, np.repeat(np.arange(len(gold)), lengths)[others], (scores[right] - scores)[others]
    )
    best = np.maximum.reduceat(scores, starts)
    first = np.minimum.reduceat(
        np.where(scores == np.repeat(best, lengths), np.arange(len(scores)), len(scores)), starts
    )
    kept = weights > 0
    errors = int((first != starts + gold)[kept].sum())
    R = math.sqrt(max_squared_norm(difference, 0.0))
    return _theory(model, R, margins[kept & (lengths > 1)], errors, weights[kept])


def _theory(
    model: LinearModel, R: float, margins: Array, errors: int, weights: Array | None
) -> dict[str, Any]:
    """The functional margin is the largest γ such that every instance's gold score exceeds every
    other by γ; divided by ‖w‖ it is geometric. Where the weights separate the data, no perceptron
    makes more than R²/γ² mistakes on it (Novikoff 1962), times the ratio of the largest to the
    smallest weight where instances are weighted: a step c_i (f(x, y) − f(x, y′)) takes u·w up by
    c_i γ and ‖w‖² by at most c_i² R².
    """
    w = model.weights[:, : model.width].astype(np.float64)
    norm = float(np.linalg.norm(w))
    functional = float(margins.min()) if len(margins) else math.nan
    geometric = functional / norm if 0 < norm < math.inf else 0.0  # counting may know log 0
    separates = functional > 0
    ratio = 1.0 if weights is None else float(weights.max() / weights.min())
    return {
        "errors": errors,
        "R": R,
        "functional_margin": functional,
        "geometric_margin": geometric,
        "separates": separates,
        "mistake_bound": ratio * (R / geometric) ** 2 if separates and geometric > 0 else None,
        "norm_l1": float(np.abs(w).sum()),
        "norm_l2": norm,
        "norm_max": float(np.abs(w).max(initial=0.0)),
        "nonzero_weights": int(np.count_nonzero(w)),
    }


def functional_margins(scores: Array, labels: NDArray[np.integer[Any]]) -> Array:
    """s(y) − max over y′ ≠ y of s(y′), for each instance."""
    if scores.shape[1] == 1:
        return np.asarray(np.where(labels == 1, 1.0, -1.0) * scores[:, 0])
    rows = np.arange(len(labels))
    gold = scores[rows, labels]
    others = scores.copy()
    others[rows, labels] = -np.inf
    with np.errstate(invalid="ignore"):  # log-probabilities of zero: −inf − −inf
        margins = gold - others.max(axis=1)
    return np.asarray(np.where(np.isnan(margins), 0.0, margins))


def max_squared_norm(X: Any, bias: float) -> float:
    """The largest ‖x‖², the constant feature included."""
    squares = X.multiply(X).sum(axis=1) if hasattr(X, "multiply") else np.square(X).sum(axis=1)
    return float(np.max(np.asarray(squares), initial=0.0)) + bias * bias


def moments(
    probabilities: Array,
    X: Any,
    labels: NDArray[np.integer[Any]],
    c: Array,
    model: LinearModel,
    l2: float,
    penalize_intercept: bool = True,
) -> dict[str, Any]:
    """Maximum entropy: how well expected feature counts match the observed ones.

    ``moment_difference`` is the largest |Σ c (observed − expected)|, λ‖w‖ in size at the optimum of
    the penalised likelihood; ``moment_residual`` is the largest |Σ c (observed − expected) − λw|,
    zero at the optimum, λ = 0 for an intercept that is not penalised. ``conditional_entropy`` is the
    mean entropy of P(y|x) in nats, instances weighted as in training.
    """
    observed = np.zeros_like(probabilities)
    observed[np.arange(len(labels)), labels] = 1
    delta = (observed - probabilities) * c[:, None]
    if model.width == 1:
        delta = delta[:, 1:]
    difference = np.vstack([model.bias * delta.sum(axis=0), np.asarray(X.T @ delta)])
    penalty = l2 * model.weights[:, : model.width].astype(np.float64)
    if not penalize_intercept:
        penalty[0] = 0
    entropy = _plogp(probabilities).sum(axis=1)
    return _matched(difference, penalty, float(np.average(entropy, weights=c)))


def moments_of_candidates(
    X: Any,
    offsets: NDArray[np.int64],
    gold: NDArray[np.integer[Any]],
    scores: Array,
    c: Array,
    model: LinearModel,
    l2: float,
) -> dict[str, Any]:
    """The same for lists of candidates, P being a softmax over each."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    e = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), lengths))
    probabilities = e / np.repeat(np.add.reduceat(e, starts), lengths)
    observed = np.zeros_like(probabilities)
    observed[starts + gold] = 1
    difference = np.asarray(X.T @ (np.repeat(c, lengths) * (observed - probabilities)))
    entropy = np.add.reduceat(_plogp(probabilities), starts)
    penalty = l2 * model.weights[1:, 0].astype(np.float64)
    return _matched(difference, penalty, float(np.average(entropy, weights=c)))


def _plogp(p: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.nan_to_num(p * np.log(p))


def _matched(difference: Array, penalty: Array, entropy: float) -> dict[str, Any]:
    return {
        "moment_difference": float(np.abs(difference).max(initial=0.0)),
        "moment_residual": float(np.abs(difference - penalty).max(initial=0.0)),
        "conditional_entropy": entropy,
    }
