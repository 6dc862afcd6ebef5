"""Learners that are sequential by nature, over shards of which one at a time is in memory."""

from __future__ import annotations

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
        self.counts_mistakes = self.solver.counts_mistakes
        self.reduces_steps = self.solver.reduces_steps

    def epoch(self) -> _core.EpochStats:
        """One pass; it is the last if no shard has moved anything."""
        self.rounds += 1
        total = _core.EpochStats()
        total.objective, total.converged = 0.0, True
        for shard in self._order():
            self._turn_to(shard)
            stats = self.within().epoch()
            total.objective += stats.objective
            total.mistakes += stats.mistakes
            total.updates += stats.updates
            total.converged &= stats.converged
            if stats.interrupted:
                total.interrupted, total.converged = True, False
                break
        return total

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
        """That of the learner, and how many passes were made."""
        return self.within().state() | {"rounds": np.array([self.rounds])}

    def restore(self, state: State) -> None:
        """Go on from there."""
        self.within().restore({name: part for name, part in state.items() if name != "rounds"})
        self.rounds = int(state["rounds"][0])

    def close(self) -> None:
        """Nothing of the shards is kept."""
        solver = self.within()
        if not solver.turn_to(None):
            self.kept, self.solver = solver.state(), None
        self.at, self.part = None, self.nothing
