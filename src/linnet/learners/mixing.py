"""Learners that are sequential by nature, on shards: parameter mixing and one-shot averaging."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import whole
from linnet.engines import Engine, Local
from linnet.errors import RefusedError
from linnet.learners.base import Learner
from linnet.learners.online import OnlineLearner
from linnet.learners.shards import as_strong, restored, seed_of, started, total
from linnet.structures import Cell, Problem, Solver, State, Trait, Weights

Reals = NDArray[np.float64]


class OnShards(Learner):
    """Base of learners that let another learn on each shard.

    ``shards`` are those of the engine in use; without one, so many in this process.
    """

    sharded: ClassVar[bool] = True

    def __init__(self, learner: str | Learner, shards: int | None = None) -> None:
        self.learner = learner
        self.shards = shards

    @property
    def inner(self) -> Learner:
        """The learner itself."""
        from linnet.learners import LEARNERS

        if isinstance(self.learner, OnShards) or self.learner in (Mixing.name, Averaging.name):
            raise ValueError(f"{self.name}: the learner on a shard must not cut it once more")
        if isinstance(self.learner, Learner):
            return self.learner
        if isinstance(self.learner, str) and self.learner in LEARNERS:
            return LEARNERS[self.learner]()
        raise ValueError(
            f"{self.name}: unknown learner {self.learner!r}; known are {', '.join(LEARNERS)}"
        )

    @property
    def losses(self) -> frozenset[str]:  # type: ignore[override]
        """Those of the other."""
        return self.inner.losses

    @property
    def penalties(self) -> frozenset[str]:  # type: ignore[override]
        """Those of the other."""
        return self.inner.penalties

    @property
    def needs(self) -> Mapping[Trait, str]:
        """As the other does."""
        return self.inner.needs

    def refusal(self, cell: Cell) -> str | None:
        """What the learner on a shard refuses."""
        if cell.structure.uncut() is not None:
            return f"{self.name} does not train {cell.structure.plural}: {cell.structure.uncut()}"
        reason = self.inner.refusal(replace(cell, warm_start=True) if self.restarts else cell)
        return None if reason is None else f"{self.name}: {reason}"

    restarts: ClassVar[bool] = False  # from weights of all shards

    def step_rule(self) -> str | None:
        """Those of the other."""
        return self.inner.step_rule()

    def engine_of(self, problem: Problem) -> Engine:
        """The one in use, or this process."""
        if problem.engine is None:
            return Local(4 if self.shards is None else whole("shards", self.shards))
        if self.shards not in (None, problem.engine.shards):
            raise ValueError(
                f"{self.name} was to have {self.shards} shards, but the engine has "
                f"{problem.engine.shards}; leave one of them out"
            )
        return problem.engine


class Mixing(OnShards):
    """Iterative parameter mixing (McDonald, Hall and Mann 2010).

    In each round every shard is passed over once, all of them starting from the same weights, and their
    mean is what the next round starts from. On separable data a perceptron comes to an end as it does
    without shards. For rules without memory: the perceptron, passive-aggressive steps, MIRA. With
    ``average`` it is the mean of all weights on the way, over rounds and shards.
    """

    name: ClassVar[str] = "mixing"
    family: ClassVar[str] = "online"
    averages: ClassVar[bool] = True
    epochs: ClassVar[int] = 20
    restarts: ClassVar[bool] = True
    MEMORYLESS: ClassVar[frozenset[str]] = frozenset({"perceptron", "pa", "mira"})

    def __init__(self, learner: str | Learner = "perceptron", shards: int | None = None) -> None:
        super().__init__(learner, shards)

    def refusal(self, cell: Cell) -> str | None:
        """Rules with a memory would lose it in every round."""
        if self.inner.name not in self.MEMORYLESS:
            return (
                f"mixing starts every round from weights alone, and {self.inner.name} goes by more "
                f"than these; use Mixing('perceptron'), 'pa' or 'mira', or "
                f"Averaging({self.inner.name!r})"
            )
        return super().refusal(cell)

    def solver(self, problem: Problem) -> MixedSolver:
        """One round for each epoch."""
        return MixedSolver(self, problem)


class MixWorker:
    """A pass over a shard."""

    def __init__(self, problem: Problem, learner: OnlineLearner) -> None:
        self.problem, self.learner = problem, learner

    def round(self, w: Weights, seed: int) -> tuple[Weights, Weights, int, int]:
        """Weights after the pass, their average, and mistakes and updates on the way."""
        solver = self.learner.solver(replace(self.problem, seed=seed, initial=w))
        stats = solver.epoch()
        if stats.interrupted:
            raise KeyboardInterrupt
        core = solver.learning()
        return core.weights(False), core.weights(True), stats.mistakes, stats.updates


class MixedSolver(Solver):
    """Weights that all shards agree on after each round."""

    def __init__(self, settings: Mixing, problem: Problem) -> None:
        self.problem = problem
        self.workers = started(settings.engine_of(problem), MixWorker, problem, settings.inner)
        self.count = len(problem.bounds(settings.engine_of(problem)))
        dim = problem.structure.layout.dim
        start = np.zeros(dim) if problem.initial is None else problem.initial
        self.w: Weights = np.asarray(start, np.float32)
        self.sum: Reals = np.zeros(dim)
        self.rounds = 0

    def epoch(self) -> _core.EpochStats:
        """Pass, then mix."""
        self.rounds += 1
        count = self.count
        seeds = [(seed_of(self.problem.seed, self.rounds, s),) for s in range(count)]
        answers = self.workers.each("round", self.w, own=seeds)
        self.w = np.asarray(total(w.astype(np.float64) for w, *_ in answers) / count, np.float32)
        self.sum += total(a.astype(np.float64) for _, a, *_ in answers) / count
        stats = _core.EpochStats()
        stats.mistakes = sum(mistakes for *_, mistakes, _ in answers)
        stats.updates = sum(updates for *_, updates in answers)
        stats.converged = stats.updates == 0
        return stats

    def state(self) -> State:
        """Weights, their sum, and the number of the round."""
        w = np.asarray(self.w, np.float64)
        return {"w": w, "sum": self.sum.copy(), "rounds": np.array([self.rounds])}

    def restore(self, state: State) -> None:
        """Go on from there."""
        w, self.sum = restored(state, w=self.sum, sum=self.sum)
        self.w, self.rounds = w.astype(np.float32), int(state["rounds"][0])

    def weights(self) -> Weights:
        """Of the last round, or the average over all of them."""
        return self.sum / max(self.rounds, 1) if self.problem.average else self.w

    def close(self) -> None:
        """Of shards."""
        self.workers.close()


class Averaging(OnShards):
    """One-shot averaging (Mann et al. 2009): every shard is learnt to the end, w = (1/P) Σ w_p.

    Nothing is sent but the weights, once. For stable learners they differ from those of the whole by
    O(1/√|T|). ``max_iter`` of the estimator is the limit of each shard, by default that of the learner.
    """

    name: ClassVar[str] = "averaging"
    family: ClassVar[str] = "online"
    averages: ClassVar[bool] = True

    def __init__(self, learner: str | Learner = "perceptron", shards: int | None = None) -> None:
        super().__init__(learner, shards)

    @property
    def epochs(self) -> int:  # type: ignore[override]
        """Of each shard."""
        return self.inner.epochs

    def solver(self, problem: Problem) -> AveragedSolver:
        """All in one epoch."""
        if self.inner.family == "counting":
            raise RefusedError(
                "averaging: counts are summed, not averaged; use 'counting' on an engine"
            )
        return AveragedSolver(self, problem)


class TrainWorker:
    """A shard by itself."""

    def __init__(
        self, problem: Problem, learner: Learner, limit: int, whole: tuple[float, float]
    ) -> None:
        self.problem, self.learner, self.limit = as_strong(problem, *whole), learner, limit

    def trained(self) -> tuple[Weights, int, bool]:
        """Weights, how many passes were made, and whether more would have changed nothing."""
        solver = self.learner.solver(self.problem)
        for passes in range(1, self.limit + 1):
            stats = solver.epoch()
            if stats.interrupted:
                raise KeyboardInterrupt
            if stats.converged or passes == self.limit:
                break
        return solver.weights().copy(), passes, stats.converged


class AveragedSolver(Solver):
    """The mean of all shards."""

    counts_mistakes = False

    def __init__(self, settings: Averaging, problem: Problem) -> None:
        inner = settings.inner
        limit = inner.epochs if problem.max_iter is None else problem.max_iter
        strength = (problem.C, problem.total_weight)
        self.workers = started(
            settings.engine_of(problem), TrainWorker, problem, inner, limit, strength
        )
        self.w: Weights = np.zeros(problem.structure.layout.dim)
        self.passes: list[int] = []

    def epoch(self) -> _core.EpochStats:
        """Learn all of them."""
        answers = self.workers.each("trained")
        self.passes = [passes for _, passes, _ in answers]
        self.w = total(w.astype(np.float64) for w, _, _ in answers) / len(answers)
        stats = _core.EpochStats()
        stats.converged = all(converged for _, _, converged in answers)
        return stats

    def state(self) -> State:
        """The mean, and how long it took."""
        return {"w": np.asarray(self.w, np.float64), "passes": np.array(self.passes, np.int64)}

    def restore(self, state: State) -> None:
        """It is done."""
        [self.w] = restored(state, w=np.asarray(self.w, np.float64))
        self.passes = state["passes"].tolist()

    def weights(self) -> Weights:
        """The mean, (1/P) Σ w_p."""
        return self.w

    def close(self) -> None:
        """Of shards."""
        self.workers.close()

    def facts(self) -> dict[str, Any]:
        """How long each shard took."""
        return {"passes_of_shards": self.passes}
