"""The voted perceptron: all past weights vote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.chains import ANYTHING, ChainRules, ChainShape
from linnet.data.matrix import as_rows
from linnet.errors import RefusedError
from linnet.learners.base import Problem
from linnet.learners.online import OnlineLearner, OnlineSolver

LONGEST_COUNT = 600.0  # seconds, estimated, that votes may be counted for


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


@dataclass(frozen=True)
class ChainVoter:
    """Tags by votes: of each sentence the sequence of labels that most weight vectors find best."""

    votes: _core.OutputVotes
    n_labels: int
    bias: float
    order: int
    ends: bool

    def best(
        self,
        X: Any,
        offsets: NDArray[np.int64],
        *,
        pairs: Any = None,
        rules: ChainRules = ANYTHING,
        threads: int = 1,
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The labels of all tokens, and of each sentence the share of votes they got."""
        rows = X if isinstance(X, _core.Rows) else as_rows(X, self.bias)
        if pairs is not None and not isinstance(pairs, _core.Rows):
            pairs = as_rows(pairs, 1.0)
        seconds = self.votes.updates * rows.size * (50 + self.n_labels ** (self.order + 1)) * 5e-10
        if seconds > LONGEST_COUNT:
            raise RefusedError(
                f"every one of {self.votes.updates} weight vectors would tag {rows.size} tokens, for "
                f"about {seconds / 60:.0f} minutes; tag fewer at a time, or use learner 'perceptron' "
                f"with average=True"
            )
        shape = ChainShape(order=self.order, ends=self.ends, pairs=pairs, rules=rules)
        missing = np.full(rows.size, -1, np.int32)
        sentences = len(offsets) - 1
        data = shape.data(rows, offsets, missing, self.n_labels, np.ones(sentences))
        assert isinstance(data, _core.ChainData)
        labels, found = self.votes.best(data)
        shares = np.ones(sentences)
        shares[np.diff(offsets) > 0] = found
        return labels, shares


class ChainVotingSolver(OnlineSolver):
    """Votes for whole sequences, beside the last weights."""

    learner: _core.OutputVotedPerceptron

    def __init__(self, learner: _core.OnlineLearner, problem: Problem) -> None:
        super().__init__(learner, problem)
        self.problem = problem

    def scorer(self) -> ChainVoter:
        """A copy of the votes."""
        problem, chain = self.problem, self.problem.chain
        assert chain is not None
        return ChainVoter(
            self.learner.votes(), problem.n_labels, problem.rows.bias, chain.order, chain.ends
        )


class VotedPerceptron(OnlineLearner):
    """The voted perceptron (Freund & Schapire 1999): every weight vector votes as long as it survived.

    The votes are replayed from the updates, so prediction costs one sparse product per update. Over
    chains each vector votes for the whole sequence it finds best, which costs one decoding per update.
    """

    name: ClassVar[str] = "voted"
    losses: ClassVar[frozenset[str]] = frozenset({"perceptron"})
    losses_why: ClassVar[str] = "votes are counted between mistakes; use loss='perceptron'"
    penalties: ClassVar[frozenset[str]] = frozenset({"none"})
    penalties_why: ClassVar[str] = "all past weight vectors are kept as they were; use penalty='none'"
    structures: ClassVar[frozenset[str]] = frozenset({"binary", "multiclass", "chain"})
    structures_why: ClassVar[str] = (
        "votes are kept per label or per sequence of them; use 'perceptron' with average=True"
    )
    averages: ClassVar[bool] = False
    averages_why: ClassVar[str] = "voting takes the place of averaging; use learner 'perceptron'"
    incremental: ClassVar[bool] = False

    def rule(self, problem: Problem, **common: Any) -> _core.OnlineLearner:
        """The rule of the core."""
        if problem.initial is not None:
            raise RefusedError(
                "voted has no warm start: every weight vector since zero votes; use 'perceptron'"
            )
        if problem.chain is not None:
            return _core.OutputVotedPerceptron(common["dim"], common["seed"])
        return _core.VotedPerceptron(common["dim"], problem.width, common["seed"])

    def solver(self, problem: Problem) -> OnlineSolver:
        """One pass per epoch."""
        solver = VotingSolver if problem.chain is None else ChainVotingSolver
        return solver(self.start(problem), problem)
