"""The perceptron."""

from __future__ import annotations

from typing import Any, ClassVar

import linnet._core as _core
from linnet.learners.base import Problem, Solver
from linnet.learners.chains import seen_pair_steps, steps_over_seen_pairs
from linnet.learners.online import OnlineLearner
from linnet.learners.trees import steps_over_templates, template_steps


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
    penalties: ClassVar[frozenset[str]] = frozenset({"none"})
    penalties_why: ClassVar[str] = (
        "a plain perceptron has no objective to penalise; use learner 'sgd' with loss "
        "'perceptron' and a constant step for the regularised perceptron"
    )

    def rule(self, problem: Problem, **common: Any) -> _core.OnlineLearner:
        """The rule of the core."""
        return _core.Perceptron(**common)

    def solver(self, problem: Problem) -> Solver:
        """One pass per epoch; over chains with weights for seen pairs, where that is possible."""
        if steps_over_templates(problem):
            return template_steps(problem, "perceptron", 1.0)
        if steps_over_seen_pairs(problem):
            return seen_pair_steps(problem, "perceptron", 1.0)
        return super().solver(problem)
