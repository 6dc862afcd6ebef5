"""The voted perceptron: all past weights vote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import linnet._core as _core
from linnet.errors import RefusedError
from linnet.learners.online import OnlineLearner, OnlineSolver
from linnet.structures import Learnt, Problem, Trait


class VotingSolver(OnlineSolver):
    """Votes of all vectors so far, beside the last of them."""

    learner: _core.VotedPerceptron | _core.OutputVotedPerceptron

    def learnt(self) -> Learnt:
        """A copy of the votes."""
        return Learnt(self.weights(), votes=self.learner.votes())


class VotedPerceptron(OnlineLearner):
    """The voted perceptron (Freund & Schapire 1999): every weight vector votes as long as it survived.

    The votes are replayed from the updates, so prediction costs one sparse product per update. Over
    structures each vector votes for the whole output it finds best: one decoding per update.
    """

    name: ClassVar[str] = "voted"
    losses: ClassVar[frozenset[str]] = frozenset({"perceptron"})
    losses_why: ClassVar[str] = "votes are counted between mistakes; use loss='perceptron'"
    penalties: ClassVar[frozenset[str]] = frozenset({"none"})
    penalties_why: ClassVar[str] = "all past weight vectors are kept as they were; use penalty='none'"
    averages: ClassVar[bool] = False
    averages_why: ClassVar[str] = "voting takes the place of averaging; use learner 'perceptron'"
    incremental: ClassVar[bool] = False

    @property
    def needs(self) -> Mapping[Trait, str]:
        """Who counts votes."""
        kept = "votes are kept per label or per sequence of them; use 'perceptron' with average=True"
        return {Trait.VOTED: kept}

    def rule(self, problem: Problem, **common: Any) -> _core.OnlineLearner:
        """The rule of the core."""
        if problem.initial is not None:
            raise RefusedError(
                "voted has no warm start: every weight vector since zero votes; use 'perceptron'"
            )
        if Trait.LABELS in problem.structure.traits:
            return _core.VotedPerceptron(common["dim"], problem.width, common["seed"])
        return _core.OutputVotedPerceptron(common["dim"], common["seed"])

    def solver(self, problem: Problem) -> VotingSolver:
        """One pass per epoch."""
        return VotingSolver(self.start(problem), problem)
