"""Expectation–maximisation: counting where labels are missing."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.learners.base import Learner, Problem, Solver
from linnet.learners.hmm import Dirichlet, HmmTables, Vector


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
    structures: ClassVar[frozenset[str]] = frozenset({"chain"})
    structures_why: ClassVar[str] = "it sums out the missing tags of sentences; use 'counting'"
    epochs: ClassVar[int] = 100

    def __init__(self, smoothing: float = 0.01, transition_smoothing: float | None = 1.0) -> None:
        self.smoothing = smoothing
        self.transition_smoothing = transition_smoothing

    def solver(self, problem: Problem) -> EMSolver:
        """One E and one M step per epoch."""
        return EMSolver(problem, Dirichlet.of(self.smoothing, self.transition_smoothing))


class EMSolver(Solver):
    """The tables, as they stand."""

    counts_mistakes = False

    def __init__(self, problem: Problem, prior: Dirichlet) -> None:
        self.problem, self.prior = problem, prior
        self.tables = HmmTables(problem)
        self.objective = math.inf
        if problem.initial is not None:
            self._weights: Vector = problem.initial.astype(np.float64)
        else:
            # Without smoothing what the labelled sentences lack could never come to be.
            start = Dirichlet(prior.events or 1.0, prior.tags or 1.0)
            self._weights = self.tables.weights(_first_counts(problem, self.tables), start)
        self._log_prior = self.tables.log_prior(self._weights, prior)

    def epoch(self) -> _core.EpochStats:
        """Expect, then count; when all tags are known, once will do."""
        tables, stats = self.tables, _core.EpochStats()
        counts, likelihood, stats.interrupted = _core.expected_counts(
            tables.data, self._weights, self.problem.threads
        )
        if stats.interrupted:
            return stats
        before, stats.objective = self.objective, -(likelihood + self._log_prior)
        self._weights = tables.weights(counts, self.prior)
        self._log_prior = tables.log_prior(self._weights, self.prior)
        if not tables.data.partial:
            stats.objective = -(tables.log_likelihood(counts, self._weights) + self._log_prior)
        self.objective = stats.objective
        fall = before - self.objective
        stats.converged = not tables.data.partial or fall <= self.problem.tol * abs(self.objective)
        return stats

    def weights(self) -> Vector:
        """Log-probabilities in the layout of chains."""
        return self._weights


def _first_counts(problem: Problem, tables: HmmTables) -> Vector:
    """Counts to start from, see `EM`."""
    assert problem.offsets is not None
    missing = np.concatenate([[0], np.cumsum(problem.labels < 0)])
    labelled = missing[problem.offsets[1:]] == missing[problem.offsets[:-1]]
    in_them = problem.labels[np.repeat(labelled, np.diff(problem.offsets))]
    equal = np.zeros(tables.data.dim)
    if len(np.unique(in_them)) == problem.n_labels:
        known: NDArray[np.float64] = np.where(labelled, problem.weights, 0.0)
        counts, _, _ = _core.expected_counts(problem.data(known), equal, problem.threads)
        return counts
    counts, _, _ = _core.expected_counts(tables.data, equal, problem.threads)
    return counts * np.random.default_rng(problem.seed).uniform(0.5, 1.5, len(counts))
