"""Problems cut into shards T = T₁ ∪ … ∪ T_P, and what is summed over them.

A worker sees one shard, and remembers nothing from call to call that it could not find out again. So
the engine may lose workers and make them anew. The driver holds all else, and adds up in the order of
shards: for the same shards there are the same bits, wherever they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.engines import Engine, Workers
from linnet.structures import Problem, Shard, State

Reals = NDArray[np.float64]
Expected = tuple[Reals, float, bool]


def started(engine: Engine, make: Any, problem: Problem, *settings: Any) -> Workers:
    """A worker for each shard of a problem, which it makes itself where only a recipe is sent."""
    shards = [(shard, *settings) for shard in problem.shards(engine)]
    return engine.start(partial(_made, make), shards, problem.threads)


def _made(make: Any, shard: Shard, *settings: Any) -> Any:
    return make(shard.made(), *settings)


def total(arrays: Iterable[Reals]) -> Reals:
    """Their sum, in their order."""
    first, *rest = arrays
    sum_ = np.array(first)
    for array in rest:
        sum_ += array
    return sum_


class GradientWorker:
    """Losses of a shard, ∇F_p and ∇²F_p v, without the penalty."""

    def __init__(self, problem: Problem) -> None:
        self.objective = _core.BatchObjective(
            problem.data(problem.costs), problem.loss, 0.0, True, problem.threads, problem.margin
        )
        self.point: int | None = None  # the number of the point evaluated last

    def evaluate(self, w: Reals, point: int) -> tuple[float, Reals]:
        """At the point of this number."""
        value, gradient = self.objective.evaluate(w)
        self.point = point
        return value, gradient

    def hessian_times(self, w: Reals, point: int, v: Reals) -> Reals:
        """Evaluates once more after having been lost."""
        self._at(w, point)
        return self.objective.hessian_times(v)

    def hessian_diagonal(self, w: Reals, point: int) -> Reals:
        """The same."""
        self._at(w, point)
        found = self.objective.hessian_diagonal()
        assert found is not None
        return found

    def has_hessian(self) -> bool:
        """Does the loss have one?"""
        return self.objective.has_hessian

    def _at(self, w: Reals, point: int) -> None:
        if self.point != point:
            self.evaluate(w, point)


class SummedObjective:
    """P(w) = ½ l2 ‖w‖² + Σ_p F_p(w)."""

    def __init__(self, engine: Engine, problem: Problem) -> None:
        self.l2 = problem.l2
        self.first = 0 if problem.penalize_intercept else _core.padded(problem.width)
        self.workers = started(engine, GradientWorker, problem)
        self.w: Reals = np.zeros(problem.structure.layout.dim)
        self.point = 0
        self.convex = problem.loss != "probability" and not problem.partial

    def core(self) -> _core.FunctionObjective:
        """For the optimisers of the core."""
        curved = self.workers.each("has_hessian")[0]
        return _core.FunctionObjective(
            len(self.w),
            self.evaluate,
            self.hessian_times if curved else None,
            self.hessian_diagonal if curved else None,
            strong_convexity=self.l2 if self.convex else 0.0,
        )

    def evaluate(self, w: Reals) -> tuple[float, Reals]:
        """Value and gradient."""
        self.w, self.point = w, self.point + 1
        answers = self.workers.each("evaluate", w, self.point)
        gradient = total(gradient for _, gradient in answers)
        gradient[self.first :] += self.l2 * w[self.first :]
        penalty = self.l2 / 2 * squared(w[self.first :])
        return penalty + sum(value for value, _ in answers), gradient

    def hessian_times(self, v: Reals) -> Reals:
        """At the point evaluated last."""
        product = total(self.workers.each("hessian_times", self.w, self.point, v))
        product[self.first :] += self.l2 * v[self.first :]
        return product

    def hessian_diagonal(self) -> Reals:
        """The same."""
        diagonal = total(self.workers.each("hessian_diagonal", self.w, self.point))
        diagonal[self.first :] += self.l2
        return diagonal


class CountWorker:
    """Counts of a shard, and those that are expected."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.data = problem.data()

    def gold(self) -> Reals:
        """Features of gold outputs, added up."""
        return _core.count_gold(self.data)

    def expected(self, weights: Reals, among: NDArray[np.bool_] | None = None) -> Expected:
        """Of outputs that agree with what is known; among some of the instances."""
        data = self.data
        if among is not None:
            data = self.problem.data(np.where(among, self.problem.weights, 0.0))
        return _core.expected_counts(data, weights, self.problem.threads)


class Counts:
    """The counts of a problem: of the whole, or of its shards, summed."""

    def __init__(self, problem: Problem) -> None:
        engine = problem.engine
        self.bounds = [] if engine is None else problem.bounds(engine)
        self.whole = CountWorker(problem) if engine is None else None
        self.workers = None if engine is None else started(engine, CountWorker, problem)

    def gold(self) -> Reals:
        """Of gold outputs."""
        if self.workers is None:
            assert self.whole is not None
            return self.whole.gold()
        return total(self.workers.each("gold"))

    def expected(self, weights: Reals, among: NDArray[np.bool_] | None = None) -> Expected:
        """Expected ones, their log-likelihood, and whether this was interrupted."""
        if self.workers is None:
            assert self.whole is not None
            return self.whole.expected(weights, among)
        own = None if among is None else [(among[begin:end],) for begin, end in self.bounds]
        answers = self.workers.each("expected", weights, own=own)
        interrupted = any(stopped for _, _, stopped in answers)
        return total(c for c, _, _ in answers), sum(value for _, value, _ in answers), interrupted


def as_strong(part: Problem, C: float, total_weight: float) -> Problem:
    """The part with the penalty as strong beside its mean loss as it is in the whole."""
    here = float(part.weights.sum())
    return replace(part, C=C * total_weight / here) if here > 0 else part


def seed_of(seed: int, round_: int, shard: int) -> int:
    """A seed of its own for each round and shard."""
    return int(np.random.SeedSequence([seed, round_, shard]).generate_state(1, np.uint64)[0])


def squared(w: Reals) -> float:
    """‖w‖² with the same bits for any number of threads, which BLAS does not promise."""
    return float(np.square(w).sum())


def restored(state: State, **like: Reals) -> list[Reals]:
    """Copies of the named arrays of a state, each as long as another array; ValueError if not."""
    found = [np.array(state[name], np.float64) for name in like]
    if any(one.shape != other.shape for one, other in zip(found, like.values(), strict=True)):
        raise ValueError("this is not the state of such a training: a table has another size")
    return found
