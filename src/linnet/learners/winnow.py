"""The Winnow family: weights that move by factors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import linnet._core as _core
from linnet.learners.online import OnlineLearner
from linnet.structures import Problem, Trait

_VARIANTS = ("positive", "winnow1", "balanced")


class Winnow(OnlineLearner):
    """Promote the active weights of a missed positive, demote those of an accepted negative.

    ``positive``: w ≥ 0 from ``initial``, yes iff w·x ≥ θ; θ is the number of features unless
    ``threshold`` is given and stays fixed. ``winnow1`` demotes to zero. ``balanced`` holds two arrays,
    predicts by their difference and so knows features that speak against a label; it alone takes more
    than two labels jointly. k-disjunctions of n attributes are learnt within 2 + 3k(1 + log₂ n)
    mistakes (Littlestone 1988), θ = n, doubling and halving.
    """

    name: ClassVar[str] = "winnow"
    losses: ClassVar[frozenset[str]] = frozenset({"perceptron", "hinge"})
    losses_why: ClassVar[str] = (
        "it moves on mistakes ('perceptron') or small margins ('hinge') only; use these, or 'sgd'"
    )
    target_losses: ClassVar[frozenset[str]] = frozenset({"squared"})  # by factors of y − ŷ
    penalties: ClassVar[frozenset[str]] = frozenset({"none"})
    penalties_why: ClassVar[str] = (
        "its weights live on a multiplicative scale, where shrinking them would undo what it "
        "has learnt; use penalty='none', or learner 'sgd'"
    )

    def __init__(
        self,
        variant: str = "balanced",
        promotion: float | None = None,
        demotion: float | None = None,
        threshold: float | None = None,
        initial: float = 1.0,
    ) -> None:
        self.variant = variant
        self.promotion = promotion
        self.demotion = demotion
        self.threshold = threshold
        self.initial = initial

    @property
    def needs(self) -> Mapping[Trait, str]:
        """Positive variants say yes or no; more labels go one against the rest."""
        one_threshold = (
            "positive Winnow has one threshold for yes and no; use variant='balanced' for joint scores"
        )
        return {} if self.variant == "balanced" else {Trait.ONE_SCORE: one_threshold}

    @property
    def needs_unit_intercept(self) -> bool:  # type: ignore[override]
        """The threshold of the positive variants; balanced weights need none."""
        return self.variant != "balanced"

    def rule(self, problem: Problem, **common: Any) -> _core.OnlineLearner:
        """The rule of the core; doubling and halving unless balanced, which steps by 1.5."""
        if self.variant not in _VARIANTS:
            raise ValueError(f"variant must be one of {', '.join(_VARIANTS)}, not {self.variant!r}")
        if self.variant == "balanced" and self.threshold is not None:
            raise ValueError(
                "balanced Winnow has no threshold: the constant feature takes its place; use "
                "variant='positive'"
            )
        if self.variant == "winnow1" and self.demotion is not None:
            raise ValueError("winnow1 demotes to zero; use variant='positive' to set the demotion")
        factor = 1.5 if self.variant == "balanced" else 2.0
        promotion = factor if self.promotion is None else self.promotion
        demotion = factor if self.demotion is None else self.demotion
        if self.variant == "balanced":
            return _core.BalancedWinnow(
                promotion=promotion, demotion=demotion, initial=self.initial, **common
            )
        return _core.Winnow(
            promotion=promotion,
            demotion=demotion,
            eliminate=self.variant == "winnow1",
            threshold=self.threshold,
            initial=self.initial,
            **common,
        )

    def facts(self, solver: Any) -> dict[str, Any]:
        """The threshold in use."""
        return {"threshold": getattr(solver.learner, "threshold", None)}


class Elimination(OnlineLearner):
    """The elimination algorithm for monotone disjunctions of features that are 0 or 1.

    Starts with all features; a negative example removes those active in it; yes iff an active one is
    left. At most n mistakes on data that some disjunction explains.
    """

    name: ClassVar[str] = "elimination"
    losses: ClassVar[frozenset[str]] = frozenset({"perceptron"})
    losses_why: ClassVar[str] = "it acts on mistakes only; use loss='perceptron'"
    penalties: ClassVar[frozenset[str]] = frozenset({"none"})
    penalties_why: ClassVar[str] = "its weights are 0 or 1; use penalty='none'"
    splits: ClassVar[bool] = False
    averages: ClassVar[bool] = False
    averages_why: ClassVar[str] = "its weights are 0 or 1; use average=False"
    needs_unit_intercept: ClassVar[bool] = True

    @property
    def needs(self) -> Mapping[Trait, str]:
        """Yes or no."""
        return {Trait.ONE_SCORE: "a disjunction says yes or no; use 'winnow' for more labels"}

    def rule(self, problem: Problem, **common: Any) -> _core.OnlineLearner:
        """The rule of the core."""
        return _core.Elimination(dim=common["dim"], seed=common["seed"])
