"""Learners that are sequential by nature, over shards of which one at a time is in memory."""

from __future__ import annotations

import math
import time

import numpy as np

import linnet._core as _core
from linnet.learners.base import Learner
from linnet.learners.checks import check_data
from linnet.learners.shards import seed_of
from linnet.structures import Learnt, Problem, Solver, State, Weights


def solver_of(learner: Learner, problem: Problem) -> Solver:
    """Who learns: on shards that come one by one, a learner that does not sum over them hands on."""
    engine = problem.engine
    if engine is not None and engine.in_turn and learner.hands_on and not learner.sharded:
        return PassingSolver(learner, problem)
    return learner.solver(problem)


class PassingSolver(Solver):
    """A pass is one over each shard, in an order that the seed gives.

    Weights, averages, numbers of steps and random numbers go from shard to shard: with a solver that
    turns to other instances, or else with its state, which a solver of the next shard is restored to.
    Of one shard it is the learner itself, to the bit.
    """

    def __init__(self, learner: Learner, problem: Problem) -> None:
        assert problem.engine is not None
        self.learner, self.problem = learner, problem
        self.nothing = problem.without_instances()
        self.shards = problem.shards(problem.engine)
        self.solver: Solver | None = learner.solver(self.nothing)
        self.kept: State = {}  # of the solver, while there is none
        self.at: int | None = None  # the shard that the solver is at
        self.part = self.nothing  # its instances, which solvers read where they lie
        self.rounds = 0
        self.begun = False  # a round that was paused
        self.done = 0  # shards of it
        self.total = _core.EpochStats()  # of these
        self.pause: tuple[float, int | None] = (math.inf, None)  # when, and after how many instances
        self.counts_mistakes = self.solver.counts_mistakes
        self.reduces_steps = self.solver.reduces_steps

    def epoch(self) -> _core.EpochStats:
        """One pass; it is the last if no shard has moved anything."""
        if not self.begun:
            self.rounds, self.done = self.rounds + 1, 0
            self.total = _core.EpochStats()
            self.total.objective, self.total.converged = 0.0, True
        self.begun = False
        (when, instances), self.pause = self.pause, (math.inf, None)
        for shard in self._order()[self.done :]:
            self._turn_to(shard)
            self.within().pause_after(when - time.monotonic(), instances)
            stats = self.within().epoch()
            if stats.paused:
                return self._paused()
            self._add(stats)
            if stats.interrupted:
                break
            self.done += 1
            if self.done < len(self.shards) and time.monotonic() >= when:
                return self._paused()
        return self.total

    def _add(self, stats: _core.EpochStats) -> None:
        total = self.total
        total.objective += stats.objective
        total.mistakes += stats.mistakes
        total.updates += stats.updates
        total.converged = total.converged and stats.converged
        if stats.interrupted:
            total.interrupted, total.converged = True, False

    def pause_after(self, seconds: float = math.inf, instances: int | None = None) -> None:
        """Within a shard, if its learner can, or between two."""
        self.pause = (time.monotonic() + seconds, instances)

    def _paused(self) -> _core.EpochStats:
        self.begun = True
        stats = _core.EpochStats()
        stats.paused = True
        return stats

    def _order(self) -> list[int]:
        count = len(self.shards)
        if not self.problem.shuffle:
            return list(range(count))
        seed = seed_of(self.problem.seed, self.rounds, count)
        order: list[int] = np.random.default_rng(seed).permutation(count).tolist()
        return order

    def _turn_to(self, shard: int) -> None:
        """The shard before is let go of first: there is one in memory."""
        if shard == self.at:
            return
        solver, self.at = self.within(), None
        turns = solver.turn_to(None)
        if not turns:
            self.kept, self.solver = solver.state(), None
        del solver
        self.part = self.nothing
        self.part = self.shards[shard].made()
        check_data(self.learner, self.part)
        if turns:
            self.within().turn_to(self.part)
        else:
            self._restore(self.part)
        self.at = shard

    def _restore(self, problem: Problem) -> Solver:
        """A solver of these instances, that knows what the one before knew."""
        solver = self.learner.solver(problem)
        solver.restore(self.kept)
        self.solver, self.kept = solver, {}
        return solver

    def within(self) -> Solver:
        """The learner's own."""
        return self._restore(self.nothing) if self.solver is None else self.solver

    def weights(self) -> Weights:
        """After the last shard."""
        return self.within().weights()

    def learnt(self) -> Learnt:
        """After the last shard."""
        return self.within().learnt()

    def reduce_step(self) -> None:
        """For all shards."""
        self.within().reduce_step()

    def state(self) -> State:
        """That of the learner, how many passes were made, and how far one is that was paused."""
        total, own = self.total, {"rounds": np.array([self.rounds, self.begun, self.done])}
        if self.begun:
            so_far = [total.objective, total.mistakes, total.updates, total.converged]
            own["total"] = np.array(so_far, np.float64)
        return self.within().state() | own

    def restore(self, state: State) -> None:
        """Go on from there."""
        inner = {name: part for name, part in state.items() if name not in ("rounds", "total")}
        self.within().restore(inner)
        self.rounds, begun, self.done = state["rounds"].tolist()
        self.begun, self.total = bool(begun), _core.EpochStats()
        if self.begun:
            self.total.objective, mistakes, updates, converged = state["total"].tolist()
            self.total.mistakes, self.total.updates = int(mistakes), int(updates)
            self.total.converged = bool(converged)

    def close(self) -> None:
        """Nothing of the shards is kept."""
        solver = self.within()
        if not solver.turn_to(None):
            self.kept, self.solver = solver.state(), None
        self.at, self.part = None, self.nothing
