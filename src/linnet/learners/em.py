"""Expectation–maximisation: counting where labels are missing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.learners.base import Learner
from linnet.learners.counting import CountedTables, Dirichlet
from linnet.learners.shards import Counts, restored
from linnet.structures import Problem, Solver, State, Trait

Reals = NDArray[np.float64]


class EM(Learner):
    """Hidden Markov models from sentences with all, some or none of their tags (Baum–Welch).

    The E step expects the counts of the tags that are missing, given those that are there, the words
    and the weights (forward–backward held to the tags that are known); the M step is counting. The
    objective, minus the log-likelihood and, with smoothing, minus the log of the prior, never rises.
    It is that of the weights an epoch begins with.

    Starts from ``initial`` weights; else from the counts of the sentences whose tags are all known,
    smoothed, if every tag is among them; else from expected counts under equal weights, each times a
    random number from ½ to 1½. Stops when the objective falls by less than tol times itself.
    ``smoothing`` and ``transition_smoothing`` are as in counting.
    """

    name: ClassVar[str] = "em"
    family: ClassVar[str] = "counting"
    losses: ClassVar[frozenset[str]] = frozenset({"joint_likelihood"})
    losses_why: ClassVar[str] = "expected counts maximise the joint likelihood only; use 'lbfgs'"
    penalties: ClassVar[frozenset[str]] = frozenset({"none"})
    penalties_why: ClassVar[str] = (
        "its prior is the smoothing constant; set that, and use penalty='none'"
    )
    sharded: ClassVar[bool] = True
    expects: ClassVar[bool] = True
    epochs: ClassVar[int] = 100

    def __init__(self, smoothing: float = 0.01, transition_smoothing: float | None = 1.0) -> None:
        self.smoothing = smoothing
        self.transition_smoothing = transition_smoothing

    @property
    def needs(self) -> Mapping[Trait, str]:
        """A story, of which parts may be missing."""
        return {Trait.EXPECTED: "it expects the counts of tags that are missing; use 'counting'"}

    def solver(self, problem: Problem) -> EMSolver:
        """One E and one M step per epoch."""
        problem.structure.check_events()
        return EMSolver(problem, Dirichlet.of(self.smoothing, self.transition_smoothing))


class EMSolver(Solver):
    """The tables, as they stand."""

    counts_mistakes = False

    def __init__(self, problem: Problem, prior: Dirichlet) -> None:
        self.problem, self.prior = problem, prior
        self.partial, self.tables = problem.partial, CountedTables(problem)
        self.counts = Counts(problem)
        self.objective = math.inf
        if problem.initial is not None:
            self._weights: Reals = problem.initial.astype(np.float64)
        else:
            # Without smoothing what the labelled sentences lack could never come to be.
            start = Dirichlet(prior.events or 1.0, prior.labels or 1.0)
            self._weights = self.tables.weights(self._first_counts(), start)
        self._log_prior = self.tables.log_prior(self._weights, prior)

    def epoch(self) -> _core.EpochStats:
        """Expect, then count; when all tags are known, once will do."""
        tables, stats = self.tables, _core.EpochStats()
        counts, likelihood, stats.interrupted = self.counts.expected(self._weights)
        if stats.interrupted:
            return stats
        before, stats.objective = self.objective, -(likelihood + self._log_prior)
        self._weights = tables.weights(counts, self.prior)
        self._log_prior = tables.log_prior(self._weights, self.prior)
        if not self.partial:
            stats.objective = -(tables.log_likelihood(counts, self._weights) + self._log_prior)
        self.objective = stats.objective
        fall = before - self.objective
        stats.converged = not self.partial or fall <= self.problem.tol * abs(self.objective)
        return stats

    def state(self) -> State:
        """The tables, and how likely they were."""
        return {"weights": self._weights, "seen": np.array([self.objective, self._log_prior])}

    def restore(self, state: State) -> None:
        """Go on from there."""
        [self._weights] = restored(state, weights=self._weights)
        self.objective, self._log_prior = map(float, state["seen"])

    def weights(self) -> Reals:
        """Log-probabilities in the layout of the structure."""
        return self._weights

    def _first_counts(self) -> Reals:
        """Counts to start from, see `EM`."""
        problem, labelled = self.problem, self.problem.labelled()
        equal = np.zeros(problem.structure.layout.dim)
        counts, _, _ = self.counts.expected(equal, labelled)
        if labelled is not None:
            return counts
        return counts * np.random.default_rng(problem.seed).uniform(0.5, 1.5, len(counts))
