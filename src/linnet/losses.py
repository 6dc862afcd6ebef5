"""The losses, as the table they are.

Every loss but the last two is ``link(l)`` of ``l = solve(ring, θ + cost) − θ·gold``: with the
max ring the best wrong output counts, with the log ring all of them; a cost of one asks for a
margin. The core holds the same table; here is what the composer needs to know of each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Loss:
    """One row: how the loss is made and what it promises."""

    name: str
    ring: str  # max, log or none
    cost: int
    link: str
    formula: str  # for two labels, m = y w·x
    smooth: bool
    convex: bool
    # softmax(scale · scores) estimates P(y|x); 0: scores are margins and need calibration
    probability_scale: float = 0.0


LOSSES = MappingProxyType(
    {
        row.name: row
        for row in (
            Loss("perceptron", "max", 0, "l", "max(0, −m)", smooth=False, convex=True),
            Loss("hinge", "max", 1, "l", "max(0, 1 − m)", smooth=False, convex=True),
            Loss("squared_hinge", "max", 1, "l²", "max(0, 1 − m)²", smooth=True, convex=True),
            Loss("logistic", "log", 0, "l", "log(1 + e^−m)", True, True, 1.0),
            Loss("softmax_margin", "log", 1, "l", "log(1 + e^(1−m))", True, True, 1.0),
            Loss("probability", "log", 0, "1 − e^−l", "1 − P(y|x)", True, False, 1.0),
            # its minimiser is half the log odds (Friedman, Hastie, Tibshirani 2000)
            Loss("exponential", "log", 0, "e^l − 1", "e^−m", True, True, 2.0),
            Loss("squared", "none", 0, "½(s − y)²", "½(1 − m)²", smooth=True, convex=True),
            # minimised in closed form by counting, and by nothing else
            Loss("joint_likelihood", "none", 0, "−log P(x, y)", "−log P(x, y)", True, True, 1.0),
        )
    }
)
