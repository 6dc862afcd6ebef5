"""Entropy regularisation: certainty where there are no labels (Grandvalet, Bengio 2005)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def entropy_regularised(
    rows: Any,
    codes: NDArray[np.int32],
    sample_weight: Array,
    unlabelled: Any,
    labels: int,
    weight: float = 0.03,
    C: float = 20.0,
    max_iter: int = 100,
) -> tuple[Array, Array]:
    """Weights (labels, features) and intercepts at a local minimum, from that of the labels alone.

    ``weight`` is λ of `objective`. With λ > 0 it has many minima; L-BFGS starts where λ = 0 ends.
    """
    from scipy.optimize import minimize

    start = np.zeros(labels * (rows.shape[1] + 1))
    for lam in (0.0, weight):
        found = minimize(
            objective,
            start,
            (rows, codes, sample_weight, unlabelled, labels, lam, C),
            method="L-BFGS-B",
            jac=True,
            options={"maxiter": max_iter, "maxcor": 5},
        )
        start = found.x
    table = start.reshape(labels, -1)
    return table[:, :-1], table[:, -1]


def objective(
    flat: Array,
    rows: Any,
    codes: NDArray[np.int32],
    sample_weight: Array,
    unlabelled: Any,
    labels: int,
    weight: float,
    C: float,
) -> tuple[float, Array]:
    """½‖W‖² + C (Σ −s_i log p(y_i|x_i) + λ (n/m) Σ_u H(p(·|x_u))) and its gradient, as one vector.

    The n labelled and the m unlabelled examples count the same at λ = 1, however many there are.
    """
    table = flat.reshape(labels, -1)
    weights, intercepts = table[:, :-1], table[:, -1]
    gradient = np.zeros_like(table)
    gradient[:, :-1] = weights
    value = 0.5 * float((weights**2).sum())

    log_p = _log_softmax(np.asarray(rows @ weights.T) + intercepts)
    own = np.arange(len(codes))
    value -= C * float(sample_weight @ log_p[own, codes])
    delta = np.exp(log_p)
    delta[own, codes] -= 1
    _add(gradient, rows, C * delta * sample_weight[:, None])

    if weight > 0 and unlabelled.shape[0]:
        each = C * weight * float(sample_weight.sum()) / unlabelled.shape[0]
        log_p = _log_softmax(np.asarray(unlabelled @ weights.T) + intercepts)
        p = np.exp(log_p)
        entropies = -(p * log_p).sum(axis=1, keepdims=True)
        value += each * float(entropies.sum())
        _add(gradient, unlabelled, -each * p * (log_p + entropies))  # ∂H/∂s_y = −p_y (log p_y + H)
    return value, gradient.ravel()


def _add(gradient: Array, rows: Any, delta: Array) -> None:
    gradient[:, :-1] += np.asarray(rows.T @ delta).T
    gradient[:, -1] += delta.sum(axis=0)


def _log_softmax(scores: Array) -> Array:
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))
