"""The perceptron."""

from __future__ import annotations

from typing import Any, ClassVar

import linnet._core as _core
from linnet.learners.online import OnlineLearner
from linnet.structures import Problem


class Perceptron(OnlineLearner):
    """On a mistake, w ← w + f(x, y) − f(x, y′), y′ the predicted output.

    Mistakes never exceed R²/γ² on data separable with margin γ (Novikoff 1962). With loss
    ``hinge`` and ``margin`` it also updates on correct predictions that are too close.
    """

    name: ClassVar[str] = "perceptron"
    losses: ClassVar[frozenset[str]] = frozenset({"perceptron", "hinge"})
    losses_why: ClassVar[str] = (
        "its step is the difference of two outputs; use 'sgd' for the gradient of another loss"
    )
    target_losses: ClassVar[frozenset[str]] = frozenset({"squared"})  # w ← w + (y − ŷ) x
    penalties: ClassVar[frozenset[str]] = frozenset({"none"})
    penalties_why: ClassVar[str] = (
        "a plain perceptron has no objective to penalise; use learner 'sgd' with loss "
        "'perceptron' and a constant step for the regularised perceptron"
    )

    def rule(self, problem: Problem, **common: Any) -> _core.OnlineLearner:
        """The rule of the core."""
        return _core.Perceptron(**common)

    def step_rule(self) -> str:
        """Structures may take them faster."""
        return "perceptron"
