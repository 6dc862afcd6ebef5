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
    label (the constant feature counted). The functional margin is the largest γ such that every
    instance's gold score exceeds every other by γ; divided by ‖w‖ it is geometric. Where the weights
    separate the data, no perceptron makes more than R²/γ² mistakes on it (Novikoff 1962), times the
    ratio of the largest to the smallest weight where instances are weighted: a step c_i (f(x, y) −
    f(x, y′)) takes u·w up by c_i γ and ‖w‖² by at most c_i² R².
    """
    scores = model.linear_scores(X) if scores is None else scores
    margins = functional_margins(scores, labels)
    w = model.weights[:, : model.width].astype(np.float64)
    norm = float(np.linalg.norm(w))
    R = math.sqrt((1 if model.width == 1 else 2) * max_squared_norm(X, model.bias))
    functional = float(margins.min()) if len(margins) else math.nan
    geometric = functional / norm if norm > 0 else 0.0
    separates = functional > 0
    ratio = 1.0 if weights is None else float(weights.max() / weights[weights > 0].min())
    return {
        "errors": int((best_labels(scores) != labels).sum()),
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
        return np.asarray(np.nan_to_num(gold - others.max(axis=1), nan=0.0))


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
) -> dict[str, Any]:
    """Maximum entropy: how well expected feature counts match the observed ones.

    ``moment_difference`` is the largest |Σ c (observed − expected)|, λ‖w‖ in size at the optimum of
    the penalised likelihood; ``moment_residual`` is the largest |Σ c (observed − expected) − λw|,
    zero at the optimum. ``conditional_entropy`` is the mean entropy of P(y|x) in nats.
    """
    observed = np.zeros_like(probabilities)
    observed[np.arange(len(labels)), labels] = 1
    delta = (observed - probabilities) * c[:, None]
    if model.width == 1:
        delta = delta[:, 1:]
    difference = np.vstack([model.bias * delta.sum(axis=0), np.asarray(X.T @ delta)])
    residual = difference - l2 * model.weights[:, : model.width]
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.nan_to_num(probabilities * np.log(probabilities)).sum(axis=1)
    return {
        "moment_difference": float(np.abs(difference).max(initial=0.0)),
        "moment_residual": float(np.abs(residual).max(initial=0.0)),
        "conditional_entropy": float(entropy.mean()),
    }
