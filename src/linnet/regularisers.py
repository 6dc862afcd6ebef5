"""The penalties: none, L1, L2 and their mixture.

penalty(w) = ρ‖w‖₁ + (1 − ρ)·½‖w‖², with ρ = 0 for L2, 1 for L1 and ``l1_ratio`` between.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet._params import number

PENALTIES = ("none", "l1", "l2", "elasticnet")


def strengths(penalty: str, l1_ratio: float) -> tuple[float, float]:
    """(ρ, 1 − ρ): the factors of ‖w‖₁ and of ½‖w‖²."""
    if penalty == "none":
        return 0.0, 0.0
    if penalty == "elasticnet":
        if not 0 <= number(l1_ratio) <= 1:
            raise ValueError(f"l1_ratio must be between 0 and 1, not {l1_ratio!r}")
        return float(l1_ratio), 1.0 - float(l1_ratio)
    return (1.0, 0.0) if penalty == "l1" else (0.0, 1.0)


def value(weights: NDArray[np.floating], l1: float, l2: float) -> float:
    """ρ‖w‖₁ + (1 − ρ)·½‖w‖² with given factors."""
    w = weights.astype(np.float64, copy=False).ravel()
    return float(l1 * np.abs(w).sum() + l2 * 0.5 * (w @ w))
