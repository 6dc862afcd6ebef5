"""Online learning written out in dense NumPy, float64: what the lazy core must equal."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from linnet import _core

Floats = np.ndarray


@dataclass
class Problem:
    """Sparse rows with labels; `width` is 1 for binary problems."""

    x: Floats  # (n, features), float32
    y: np.ndarray
    labels: int
    binary: bool
    bias: float = 1.0
    weights: Floats | None = None

    @property
    def width(self) -> int:
        return 1 if self.binary else self.labels

    @property
    def columns(self) -> Floats:
        """(n, features + 1), the constant feature first."""
        constant = np.full((len(self.x), 1), self.bias)
        return np.hstack([constant, self.x.astype(np.float64)])

    @property
    def rows(self) -> _core.Rows:
        csr = sp.csr_matrix(self.x)
        return _core.Rows.csr(csr.indptr, csr.indices, csr.data, csr.shape[1], self.bias)

    @property
    def data(self) -> _core.BlockData:
        return _core.BlockData(self.rows, self.y, self.labels, self.binary, self.weights)

    def block(self, flat: Floats) -> Floats:
        """Flat weights as (features + 1, width)."""
        stride = _core.padded(self.width)
        return np.asarray(flat, dtype=np.float64).reshape(-1, stride)[:, : self.width]

    def check_two_passes(self, learner: Any, expected: Floats, atol: float) -> None:
        """Two passes in order give these weights; reading them in between changes nothing."""
        learner.epoch(self.data, shuffle=False)
        learner.weights()
        learner.epoch(self.data, shuffle=False)
        np.testing.assert_allclose(self.block(learner.weights()), expected, atol=atol)


def random_problem(
    seed: int, n: int, features: int, labels: int, binary: bool, density: float = 0.2
) -> Problem:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, features)) * (rng.random((n, features)) < density)
    y = rng.integers(labels, size=n).astype(np.int32)
    return Problem(x.astype(np.float32), y, labels, binary)


def gradient(loss: str, theta: Floats, gold: int) -> Floats:
    """Return d loss / d theta; ties go to the earlier label."""
    if len(theta) == 1:
        sign = 2 * gold - 1
        margin = sign * theta[0]
        slope = {
            "logistic": -1 / (1 + np.exp(margin)),
            "squared": margin - 1,
            "hinge": -1.0 if margin < 1 else 0.0,
            "perceptron": -1.0 if (theta[0] > 0) != gold else 0.0,
        }[loss]
        return np.array([sign * slope])
    onehot = np.eye(len(theta))[gold]
    if loss == "logistic":
        e = np.exp(theta - theta.max())
        return e / e.sum() - onehot
    if loss == "squared":
        return theta - (2 * onehot - 1)
    cost = 1 - onehot if loss == "hinge" else np.zeros(len(theta))
    best = int(np.argmax(theta + cost))
    return np.eye(len(theta))[best] - onehot


def sgd(
    problem: Problem,
    loss: str,
    eta: Callable[[int], float],
    l1: float = 0.0,
    l2: float = 0.0,
    penalize_intercept: bool = True,
    radius: float = 0.0,
    passes: int = 1,
) -> tuple[Floats, Floats]:
    """Gradient, regularise, update, for every instance in order: (last weights, their average)."""
    x = problem.columns
    w = np.zeros((x.shape[1], problem.width))
    total = np.zeros_like(w)
    first = 0 if penalize_intercept else 1
    for t in range(1, passes * len(x) + 1):
        i = (t - 1) % len(x)
        weight = 1.0 if problem.weights is None else problem.weights[i]
        g = weight * np.outer(x[i], gradient(loss, x[i] @ w, problem.y[i]))
        p = w[first:]
        p[:] = np.sign(p) * np.maximum(0, (1 - eta(t) * l2) * np.abs(p) - eta(t) * l1)
        w -= eta(t) * g
        norm = np.linalg.norm(w)
        if radius and norm > radius:
            w *= radius / norm
        total += w
    return w, total / (passes * len(x))
