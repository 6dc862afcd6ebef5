"""Passive-aggressive steps and MIRA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import linnet._core as _core
from linnet.learners.online import OnlineLearner
from linnet.structures import Cell, Problem, Trait

_STEPS = {"I": "pa1", "II": "pa2"}
NO_PENALTY_WHY = "its own constant {0} already holds the weights back; set that, and use penalty='none'"


class PassiveAggressive(OnlineLearner):
    """The smallest change that corrects the instance (Crammer et al. 2006).

    w ← w − τ Xᵀδ with τ = min(C, ℓ/‖Xᵀδ‖²) (``variant='I'``, slack linear in the loss) or
    ℓ/(‖Xᵀδ‖² + 1/(2C)) (``'II'``, slack squared); C = ∞ is the step without slack. δ compares the gold
    output with the best wrong one, loss included: MIRA with a single constraint. Log losses take the
    same step (Polyak's), capped by C.
    """

    name: ClassVar[str] = "pa"
    losses: ClassVar[frozenset[str]] = frozenset(
        {"hinge", "squared_hinge", "logistic", "softmax_margin"}
    )
    losses_why: ClassVar[str] = (
        "its step is the loss divided by the squared norm, which must ask for a margin: at loss "
        "'perceptron' the step after a tie would be zero; use 'hinge', or learner 'perceptron'"
    )
    penalties: ClassVar[frozenset[str]] = frozenset({"none"})
    penalties_why: ClassVar[str] = NO_PENALTY_WHY.format("C of the learner")
    hard_margin: ClassVar[bool] = True

    def __init__(self, C: float = 1.0, variant: str = "I") -> None:
        self.C = C
        self.variant = variant

    def rule(self, problem: Problem, **common: Any) -> _core.OnlineLearner:
        """The rule of the core."""
        if self.variant not in ("I", "II"):
            raise ValueError(f"variant must be 'I' or 'II', not {self.variant!r}")
        return _core.PassiveAggressive(C=self.C, squared_slack=self.variant == "II", **common)

    def step_rule(self) -> str | None:
        """Structures may take them faster."""
        return _STEPS.get(self.variant)

    def step_limit(self) -> float:
        """Its own."""
        return self.C


class MIRA(OnlineLearner):
    """The smallest change that satisfies every constraint of the instance (Crammer & Singer 2003).

    min ½‖w − w_t‖² + Cξ subject to s(y) − s(y′) ≥ 1 − ξ for all K − 1 wrong outputs y′. With block
    features the step is a projection onto a simplex, found by sorting; with joint features a small
    quadratic programme. Structures have too many outputs to list: there the constraints are those of
    the ``k`` outputs that score best with their cost (McDonald, Crammer & Pereira 2005).
    """

    name: ClassVar[str] = "mira"
    losses: ClassVar[frozenset[str]] = frozenset({"hinge"})
    losses_why: ClassVar[str] = "its constraints are those of the hinge loss; use 'pa' or 'sgd'"
    penalties: ClassVar[frozenset[str]] = frozenset({"none"})
    penalties_why: ClassVar[str] = NO_PENALTY_WHY.format("C of the learner")
    hard_margin: ClassVar[bool] = True

    def __init__(self, C: float = 1.0, k: int = 1) -> None:
        self.C = C
        self.k = k

    @property
    def needs(self) -> Mapping[Trait, str]:
        """The best outputs, in their order."""
        return {
            Trait.EXACT_SUMS: "it needs the best outputs in their order, and here none is sure to be "
            "the best; use 'pa'"
        }

    def refusal(self, cell: Cell) -> str | None:
        """Where outputs are listed, every one of them is a constraint."""
        if self.k != 1 and Trait.LISTED in cell.structure.traits:
            return (
                f"k={self.k} has no effect: mira sets all outputs right at once where an instance has "
                f"few; leave it out"
            )
        return super().refusal(cell)

    def rule(self, problem: Problem, **common: Any) -> _core.OnlineLearner:
        """The rule of the core."""
        return _core.Mira(C=self.C, k=self.k, **common)
