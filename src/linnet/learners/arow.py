"""Adaptive regularisation of weights."""

from __future__ import annotations

from typing import Any, ClassVar

import linnet._core as _core
from linnet.learners.online import OnlineLearner
from linnet.learners.passive_aggressive import NO_PENALTY_WHY
from linnet.structures import Problem


class AROW(OnlineLearner):
    """A confidence for every weight (Crammer, Kulesza, Dredze 2009), diagonal.

    On a hinge loss ℓ > 0 with direction v = f(x, y) − f(x, y′): β = 1/(vᵀΣv + r), w ← w + ℓβΣv,
    Σ ← Σ − β(Σv)². Small r follows each instance closely.
    """

    name: ClassVar[str] = "arow"
    losses: ClassVar[frozenset[str]] = frozenset({"hinge"})
    losses_why: ClassVar[str] = "its update is derived from the hinge loss; use loss='hinge'"
    penalties: ClassVar[frozenset[str]] = frozenset({"none"})
    penalties_why: ClassVar[str] = NO_PENALTY_WHY.format("r")

    def __init__(self, r: float = 1.0) -> None:
        self.r = r

    def rule(self, problem: Problem, **common: Any) -> _core.OnlineLearner:
        """The rule of the core."""
        return _core.Arow(r=self.r, **common)
