"""Objectives written out in NumPy, for the weights of anybody: the referee between us and peers.

P(W) = ρ‖W‖₁ + (1 − ρ)·½‖W‖² + Σ c_i ℓ_i(W), the intercept a feature of value 1, penalised or not.
W is (1 or labels, features + 1), the intercept last.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

Array = NDArray[np.float64]


def with_constant(X: Array) -> Array:
    return np.hstack([X, np.ones((len(X), 1))])


def weights_of(model: Any) -> Array:
    """Of our estimators and of scikit-learn's."""
    return np.hstack([model.coef_, np.reshape(model.intercept_, (-1, 1))]).astype(float)


def margins(scores: Array, y: NDArray[np.integer]) -> Array:
    return np.where(y == 1, 1.0, -1.0) * scores[:, 0]


def binary_losses(name: str, scores: Array, y: NDArray[np.integer]) -> Array:
    m = margins(scores, y)
    return {
        "hinge": lambda: np.maximum(0, 1 - m),
        "squared_hinge": lambda: np.maximum(0, 1 - m) ** 2,
        "logistic": lambda: np.logaddexp(0, -m),
        "softmax_margin": lambda: np.logaddexp(0, 1 - m),
        "exponential": lambda: np.exp(-m),
        "squared": lambda: (1 - m) ** 2 / 2,
    }[name]()


def joint_losses(name: str, scores: Array, y: NDArray[np.integer]) -> Array:
    rows = np.arange(len(y))
    gold, cost = scores[rows, y], np.ones_like(scores)
    cost[rows, y] = 0
    return {
        "hinge": lambda: (scores + cost).max(axis=1) - gold,
        "logistic": lambda: logsumexp(scores, axis=1) - gold,
        "softmax_margin": lambda: logsumexp(scores + cost, axis=1) - gold,
        "exponential": lambda: np.exp(logsumexp(scores, axis=1) - gold) - 1,
        "squared": lambda: ((scores - 1 + 2 * cost) ** 2).sum(axis=1) / 2,
    }[name]()


def objective(
    W: Array,
    X: Array,
    y: NDArray[np.integer],
    loss: str,
    c: Any = 1.0,
    l1_ratio: float = 0.0,
    penalised_intercept: bool = True,
) -> float:
    scores = with_constant(X) @ W.T
    losses = (binary_losses if len(W) == 1 else joint_losses)(loss, scores, y)
    held = W if penalised_intercept else W[:, :-1]
    penalty = l1_ratio * np.abs(held).sum() + (1 - l1_ratio) * (held**2).sum() / 2
    return float(penalty + np.sum(c * losses))
