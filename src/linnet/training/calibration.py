"""Probabilities from margins: Platt's sigmoid or isotonic regression, fitted on held-out scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Calibrator(Protocol):
    """Maps a margin to a probability."""

    def __call__(self, scores: Array) -> Array: ...


@dataclass(frozen=True)
class Sigmoid:
    """P = 1 / (1 + exp(a·s + b))."""

    a: float
    b: float

    def __call__(self, scores: Array) -> Array:
        """Probabilities of the positive label."""
        return np.asarray(0.5 * (1 - np.tanh(0.5 * (self.a * scores + self.b))))


@dataclass(frozen=True)
class Isotonic:
    """A non-decreasing piecewise linear map through the fitted points."""

    at: Array
    values: Array

    def __call__(self, scores: Array) -> Array:
        """Probabilities of the positive label."""
        return np.asarray(np.interp(scores, self.at, self.values))


def fit_sigmoid(scores: Array, positive: NDArray[np.bool_], weights: Array) -> Sigmoid:
    """Platt (1999) with his smoothed targets, by Newton's method (Lin, Lin, Weng 2007)."""
    n_pos, n_neg = weights[positive].sum(), weights[~positive].sum()
    target = np.where(positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
    a, b = 0.0, float(np.log((n_neg + 1) / (n_pos + 1)))
    basis = np.stack([scores, np.ones_like(scores)])

    def objective(a: float, b: float) -> float:
        z = a * scores + b
        return float(weights @ (np.logaddexp(0, z) - (1 - target) * z))

    current = objective(a, b)
    for _ in range(100):
        p = Sigmoid(a, b)(scores)
        gradient = basis @ (weights * (target - p))
        hessian = (basis * (weights * p * (1 - p))) @ basis.T + 1e-12 * np.eye(2)
        step, size = -np.linalg.solve(hessian, gradient), 1.0
        while size > 1e-10:
            trial = objective(a + size * step[0], b + size * step[1])
            if trial < current + 1e-4 * size * float(gradient @ step):
                break
            size /= 2
        else:
            break
        a, b, improved, current = a + size * step[0], b + size * step[1], current - trial, trial
        if improved < 1e-12 * max(1.0, abs(current)):
            break
    return Sigmoid(float(a), float(b))


def fit_isotonic(scores: Array, positive: NDArray[np.bool_], weights: Array) -> Isotonic:
    """Pool adjacent violators over the distinct scores."""
    from scipy.optimize import isotonic_regression

    at, inverse = np.unique(scores, return_inverse=True)
    mass = np.bincount(inverse, weights)
    mean = np.bincount(inverse, weights * positive) / mass
    return Isotonic(at, isotonic_regression(mean, weights=mass).x)


FITS: dict[str, Any] = {"sigmoid": fit_sigmoid, "isotonic": fit_isotonic}


def fit_calibrators(
    method: str, scores: Array, labels: NDArray[np.integer[Any]], weights: Array
) -> list[Calibrator]:
    """One calibrator per column of held-out scores: the positive label, or each against the rest."""
    if method not in FITS:
        raise ValueError(f"calibration must be None, 'sigmoid' or 'isotonic', not {method!r}")
    kept = weights > 0
    scores, labels, weights = scores[kept], labels[kept], weights[kept]
    columns = [1] if scores.shape[1] == 1 else range(scores.shape[1])
    return [FITS[method](scores[:, j], labels == label, weights) for j, label in enumerate(columns)]


def calibrated(calibrators: list[Calibrator], scores: Array) -> Array:
    """(n, labels) probabilities that sum to one."""
    each = np.stack([f(scores[:, j]) for j, f in enumerate(calibrators)], axis=1)
    if each.shape[1] == 1:
        return np.hstack([1 - each, each])
    total = each.sum(axis=1, keepdims=True)
    uniform = 1.0 / each.shape[1]
    return np.where(total > 0, each / np.where(total > 0, total, 1.0), uniform)


@dataclass(frozen=True)
class Softmax:
    """P = softmax(a·s) over all labels at once: one number, so that a few held-out texts settle it."""

    a: float

    def __call__(self, scores: Array) -> Array:
        """(n, labels), rows summing to one."""
        e = np.exp(self.a * (scores - scores.max(axis=1, keepdims=True)))
        return np.asarray(e / e.sum(axis=1, keepdims=True))


def fit_softmax(scores: Array, labels: NDArray[np.integer[Any]], weights: Array) -> Softmax:
    """The likeliest a > 0 by Newton's method on log a, where steps cannot leave the range.

    To ten digits: those behind depend on the order of sums, and on how a processor rounds exp.
    """
    gold = scores[np.arange(len(labels)), labels]
    log_a = -float(np.log(max(np.abs(scores).max(initial=0.0), 1e-9)))
    for _ in range(100):
        a = float(np.exp(log_a))
        p = Softmax(a)(scores)
        mean = (p * scores).sum(axis=1)
        variance = (p * scores**2).sum(axis=1) - mean**2
        slope = a * float(weights @ (gold - mean))
        curvature = slope - a * a * float(weights @ variance)
        step = slope / -curvature if curvature < 0 else float(np.sign(slope))
        log_a = float(np.clip(log_a + np.clip(step, -2, 2), -20, 10))
        if abs(step) < 1e-8:
            break
    return Softmax(float(f"{np.exp(log_a):.10g}"))
