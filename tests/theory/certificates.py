"""An optimum in double precision that owes nothing to the library: Newton's method in NumPy.

Every problem is a list of outputs for each instance. With A the features of an output less those of the
right one, an objective is penalty(w) + Σ cᵢ ℓ(zᵢ), z = A w + cost, and the right output has z = 0.
Problems of the same shape are solved side by side. What is not smooth is smoothed less and less; the
value that counts is that of the objective itself, so it is never below the optimum, whatever Newton's
method did.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SMOOTHED = 10.0 ** -np.arange(0, 9)


@dataclass
class Objectives:
    """``loss`` of outputs beside the right one: A (problems, instances, outputs, weights)."""

    loss: str
    A: Array
    cost: Array  # (problems, instances, outputs)
    c: Array  # (problems, instances)
    l1: Array  # (problems, weights)
    l2: Array

    def __post_init__(self) -> None:
        self.steps = SMOOTHED if self.loss == "hinge" or self.l1.any() else SMOOTHED[-1:]

    def values(self, w: Array) -> Array:
        """The objectives at (problems, weights)."""
        z = np.einsum("bikd,bd->bik", self.A, w) + self.cost
        each = {
            "logistic": lambda: np.logaddexp(0, np.logaddexp.reduce(z, axis=2)),
            "hinge": lambda: np.maximum(0, z.max(axis=2)),
            "squared_hinge": lambda: np.maximum(0, z[..., 0]) ** 2,
            "squared": lambda: 0.5 * z[..., 0] ** 2,
        }[self.loss]()
        penalty = self.l1 * np.abs(w) + 0.5 * self.l2 * w**2
        return (self.c * each).sum(axis=1) + penalty.sum(axis=1)

    def magnitudes(self, w: Array) -> Array:
        """What is added up, all of it counted as positive: rounding is relative to this.

        A score moves the loss by its slope; where the loss is flat no rounding of scores is seen.
        """
        z = np.einsum("bikd,bd->bik", self.A, w) + self.cost
        size = np.einsum("bikd,bd->bik", np.abs(self.A), np.abs(w)) + np.abs(self.cost)
        if self.loss == "logistic":
            slope = np.exp(z - np.maximum(0, z.max(axis=2, keepdims=True)))
        else:
            slope = (z >= z.max(axis=2, keepdims=True)) & (z > -1e-9 * size)
            if self.loss.startswith("squared"):
                slope = slope * 2 * np.abs(z) if self.loss == "squared_hinge" else np.abs(z)
        return self.values(w) + (self.c * (slope * size).sum(axis=2)).sum(axis=1)

    def smooth(self, w: Array, T: float) -> tuple[Array, Array, Array]:
        """Value, gradient and Hessian where corners are rounded off by T."""
        z = np.einsum("bikd,bd->bik", self.A, w) + self.cost
        if self.loss in ("logistic", "hinge"):
            t = T if self.loss == "hinge" else 1.0
            top = np.maximum(0, z.max(axis=2))
            e = np.exp((z - top[..., None]) / t)
            total = e.sum(axis=2) + np.exp(-top / t)
            each, p = top + t * np.log(total), e / total[..., None]
            mean = np.einsum("bik,bikd->bid", p, self.A)
            slope = np.einsum("bi,bid->bd", self.c, mean)
            weighted = self.A * (self.c[..., None] * p / t)[..., None]
            curve = np.einsum("bikd,bike->bde", weighted, self.A, optimize=True)
            curve -= np.einsum("bid,bie->bde", mean * (self.c / t)[..., None], mean, optimize=True)
        else:
            squared = self.loss == "squared"
            x, m = self.A[:, :, 0], z[..., 0]
            active, factor = (1.0, 0.5) if squared else ((m > 0).astype(float), 1.0)
            each = factor * active * m**2
            slope = np.einsum("bi,bid->bd", 2 * factor * self.c * active * m, x)
            curve = np.einsum("bid,bie->bde", x * (2 * factor * self.c * active)[..., None], x)
        root = np.sqrt(w**2 + T**2)
        value = (self.c * each).sum(axis=1) + (self.l1 * root + 0.5 * self.l2 * w**2).sum(axis=1)
        slope = slope + self.l1 * w / root + self.l2 * w
        diagonal = self.l1 * T**2 / root**3 + self.l2
        return value, slope, curve + diagonal[:, :, None] * np.eye(w.shape[1])

    def optima(self, iterations: int = 12) -> Array:
        """The best values that were found."""
        w = np.zeros(self.l2.shape)
        best = self.values(w)
        for T in self.steps:
            for _ in range(iterations if len(self.steps) > 1 else 60):
                value, slope, curve = self.smooth(w, T)
                ridge = 1e-14 * np.einsum("bdd->b", curve) + 1e-300
                step = np.linalg.solve(
                    curve + ridge[:, None, None] * np.eye(w.shape[1]), slope[..., None]
                )
                step, t = step[..., 0], np.ones(len(w))
                gain = (slope * step).sum(axis=1)
                for _ in range(30):  # halves what overshoots
                    after = self.smooth_value(w - t[:, None] * step, T)
                    short = ~(after <= value - 1e-4 * t * gain)
                    if not short.any():
                        break
                    t[short] /= 2
                else:
                    t[short] = 0
                w = w - t[:, None] * step
                best = np.fmin(best, self.values(w))
                if (t * gain <= 1e-14 * np.abs(value)).all():
                    break
        return best

    def smooth_value(self, w: Array, T: float) -> Array:
        """The first of `smooth`, at less cost."""
        z = np.einsum("bikd,bd->bik", self.A, w) + self.cost
        root = np.sqrt(w**2 + T**2)
        penalty = (self.l1 * root + 0.5 * self.l2 * w**2).sum(axis=1)
        if self.loss not in ("logistic", "hinge"):
            m = z[..., 0]
            each = 0.5 * m**2 if self.loss == "squared" else np.maximum(0, m) ** 2
        else:
            t = T if self.loss == "hinge" else 1.0
            top = np.maximum(0, z.max(axis=2))
            total = np.exp((z - top[..., None]) / t).sum(axis=2) + np.exp(-top / t)
            each = top + t * np.log(total)
        return (self.c * each).sum(axis=1) + penalty
