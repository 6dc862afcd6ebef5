"""Dual coordinate descent on shards: local steps, and a duality gap of the whole (CoCoA+)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.engines import Engine
from linnet.learners.checks import check_duals
from linnet.learners.shards import restored, seed_of, squared, started, total
from linnet.structures import Problem, Solver, State, Trait, Weights

Reals = NDArray[np.float64]
PASSES = 2  # over a shard in each round


class DualWorker:
    """The dual variables of a shard come and go with each call."""

    shard: _core.ShardDual

    def start(self) -> Reals:
        """The dual variables of weights that are all 0."""
        return self.shard.start()

    def check(self, alpha: Reals) -> None:
        """ValueError if they are those of something else."""
        self.shard.check(alpha)

    def steps(self, w: Reals, sigma: float, alpha: Reals, seed: int) -> tuple[Reals, Reals]:
        """Passes from w: where they lead, and the weights of it."""
        return self.shard.steps(w, alpha, sigma, PASSES, seed)

    def value(self, w: Reals, alpha: Reals) -> tuple[float, float]:
        """Losses at w, and the part of the dual objective."""
        return self.shard.value(w, alpha)


class LabelsWorker(DualWorker):
    """Of labels, one dual variable each."""

    def __init__(self, problem: Problem) -> None:
        structure = problem.structure
        two = Trait.ONE_SCORE in structure.traits
        rows, labels = structure.one_score() if two else structure.labelled_rows()
        self.rows = rows
        self.shard = _core.ShardDual.of(rows, labels, problem.costs, problem.width, problem.loss)


class MarginalsWorker(DualWorker):
    """Of structures whose sums are exact: expected parts, and the entropy of what they stand for."""

    def __init__(self, problem: Problem) -> None:
        self.shard = _core.ShardDual.marginals(problem.data(problem.costs))


class MixturesWorker(DualWorker):
    """Of any structure, for hinge losses: the outputs that have some share."""

    def __init__(self, problem: Problem, cost: str) -> None:
        self.shard = _core.ShardDual.mixtures(problem.data(problem.costs), cost, problem.margin)


class ShardedDual(Solver):
    """Shards that step at the same time, each as if the others took the same steps (Ma et al. 2015).

    The gap is that of the whole problem, summed over shards: when it is small, the weights are as good
    as those of one machine, whatever the shards were.
    """

    counts_mistakes = False

    def __init__(
        self, engine: Engine, problem: Problem, make: type[DualWorker], *settings: Any
    ) -> None:
        self.problem = problem
        self.workers = started(engine, make, problem, *settings)
        self.alphas: list[Reals] = self.workers.each("start")
        self.w: Reals = np.zeros(problem.structure.layout.dim)
        self.rounds = 0

    def epoch(self) -> _core.EpochStats:
        """A round."""
        count = len(self.alphas)
        self.rounds += 1
        check_duals(self.alphas)
        told = [(a, seed_of(self.problem.seed, self.rounds, s)) for s, a in enumerate(self.alphas)]
        answers = self.workers.each("steps", self.w, float(count), own=told)
        self.alphas = [np.array(alpha) for alpha, _ in answers]
        self.w = total(w for _, w in answers)
        return self.certify()

    def certify(self) -> _core.EpochStats:
        """Objective and gap over all shards."""
        answers = self.workers.each("value", self.w, own=[(a,) for a in self.alphas])
        penalty, stats = squared(self.w) / 2, _core.EpochStats()
        stats.objective = penalty + sum(loss for loss, _ in answers)
        stats.dual = sum(dual for _, dual in answers) - penalty
        stats.gap = stats.objective - stats.dual
        stats.converged = stats.gap <= self.problem.tol * stats.objective
        return stats

    def state(self) -> State:
        """The dual variables of all shards, and how many rounds there were."""
        held = {f"alpha{s}": alpha for s, alpha in enumerate(self.alphas)}
        return {"rounds": np.array([self.rounds]), "w": self.w, **held}

    def restore(self, state: State) -> None:
        """Go on from there."""
        (w,) = restored(state, w=self.w)
        alphas = [np.array(state[f"alpha{s}"], np.float64) for s in range(len(self.alphas))]
        self.workers.each("check", own=[(alpha,) for alpha in alphas])
        self.w, self.alphas = w, alphas
        self.rounds = int(state["rounds"][0])

    def weights(self) -> Weights:
        """w(α)."""
        return self.w

    def close(self) -> None:
        """Of shards."""
        self.workers.close()
