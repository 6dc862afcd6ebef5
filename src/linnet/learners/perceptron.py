"""The perceptron."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import RefusedError
from linnet.learners.base import Problem
from linnet.learners.online import OnlineLearner, OnlineSolver


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


@dataclass(frozen=True)
class VoteShares:
    """Scores by the share of votes; two labels in one column have the difference of their shares."""

    votes: _core.Votes
    width: int

    def __call__(self, rows: _core.Rows) -> NDArray[np.float64]:
        """(rows, width), between −1 and 1."""
        counts = self.votes.count(rows)
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        return np.asarray(shares[:, 1:] - shares[:, :1] if self.width == 1 else shares)


class VotingSolver(OnlineSolver):
    """Votes of all vectors so far, beside the last of them."""

    learner: _core.VotedPerceptron

    def __init__(self, learner: _core.OnlineLearner, problem: Problem) -> None:
        super().__init__(learner, problem)
        self.width = problem.width

    def scorer(self) -> VoteShares:
        """A copy of the votes."""
        return VoteShares(self.learner.votes(), self.width)


class VotedPerceptron(OnlineLearner):
    """The voted perceptron (Freund & Schapire 1999): every weight vector votes as long as it survived.

    The votes are replayed from the updates, so prediction costs one sparse product per update.
    """

    name: ClassVar[str] = "voted"
    losses: ClassVar[frozenset[str]] = frozenset({"perceptron"})
    losses_why: ClassVar[str] = "votes are counted between mistakes; use loss='perceptron'"
    penalties: ClassVar[frozenset[str]] = frozenset({"none"})
    penalties_why: ClassVar[str] = "all past weight vectors are kept as they were"
    structures: ClassVar[frozenset[str]] = frozenset({"binary", "multiclass"})
    structures_why: ClassVar[str] = "votes are kept per label; use 'perceptron' with average=True"
    averages: ClassVar[bool] = False
    averages_why: ClassVar[str] = "voting takes the place of averaging"
    incremental: ClassVar[bool] = False

    def rule(self, problem: Problem, **common: Any) -> _core.OnlineLearner:
        """The rule of the core."""
        if problem.initial is not None:
            raise RefusedError(
                "voted has no warm start: every weight vector since zero votes; use 'perceptron'"
            )
        return _core.VotedPerceptron(common["dim"], problem.width, common["seed"])

    def solver(self, problem: Problem) -> VotingSolver:
        """One pass per epoch."""
        return VotingSolver(self.start(problem), problem)
