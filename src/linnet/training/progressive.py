"""Progressive validation: in the first pass every example is predicted before it is learnt from.

So all data are held-out data once (Blum, Kalai and Langford 1999). It is what Vowpal Wabbit prints
while it learns: at examples 1, 2, 4, 8, … the mean loss so far and since the line before.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import linnet._core as _core
from linnet.errors import RefusedError
from linnet.learners.base import Learner
from linnet.learners.online import OnlineSolver
from linnet.structures import Learnt, Problem, Solver, State, Weights

COLUMNS = ("examples", "average_loss", "since_last", "errors", "label", "predicted")

# (what has been learnt, an example, was it mistaken?) -> its label, and the one predicted
Answer = Callable[[Learnt, int, bool], tuple[Any, Any]]


def lines(examples: int) -> Iterator[int]:
    """1, 2, 4, 8, …, and the number of examples itself.

    >>> list(lines(5))
    [1, 2, 4, 5]
    """
    at = 1
    while at < examples:
        yield at
        at *= 2
    if examples:
        yield examples


class ProgressiveSolver(Solver):
    """An online learner whose first pass goes through the data in their order and is written down.

    Between two lines it learns from a slice of the data: whoever has no weight is passed over.
    """

    def __init__(self, inner: OnlineSolver, problem: Problem, answer: Answer) -> None:
        self.inner, self.problem, self.answer = inner, problem, answer
        self.reduces_steps, self.counts_mistakes = inner.reduces_steps, inner.counts_mistakes
        self.table: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        self.total = _core.EpochStats()  # of the first pass, up to the last line or beyond
        self.total.objective = 0.0
        self.before = 0.0  # its loss up to the last line
        self.pause: tuple[float, int | None] = (math.inf, None)  # when, or after so many examples

    @property
    def done(self) -> int:
        """Examples of the first pass up to the last line."""
        return int(self.table["examples"][-1]) if self.table["examples"] else 0

    def pause_after(self, seconds: float = math.inf, instances: int | None = None) -> None:
        """As others are paused; in the first pass, too, on its way to a line."""
        self.pause = (time.monotonic() + seconds, instances)

    def epoch(self) -> _core.EpochStats:
        """The first pass line by line, the others as usual."""
        if self.done < len(self.problem.weights):
            return self._first_pass()
        self._pause_inner()
        return self.inner.epoch()

    def _pause_inner(self) -> None:
        until, instances = self.pause
        self.inner.pause_after(until - time.monotonic(), instances)

    def _first_pass(self) -> _core.EpochStats:
        weights, total = self.problem.weights, self.total
        for at in lines(len(weights)):
            if at <= self.done:
                continue
            if self.done < at - 1:
                self._pause_inner()
                paused = self._learn(self.done, at - 1)
                if paused is not None:
                    return paused
            learnt, mistakes = self.inner.learnt(), total.mistakes
            self._learn(at - 1, at)
            if total.interrupted:
                return total
            weight, since = float(weights[:at].sum()), float(weights[: self.done].sum())
            label, predicted = self.answer(learnt, at - 1, total.mistakes > mistakes)
            row = (
                at,
                total.objective / weight,
                (total.objective - self.before) / (weight - since),
                total.mistakes / at,
                label,
                predicted,
            )
            for column, value in zip(self.table.values(), row, strict=True):
                column.append(value)
            self.before = total.objective
        total.converged = total.updates == 0 and not self.inner.penalised
        return total

    def _learn(self, begin: int, end: int) -> _core.EpochStats | None:
        """Learn from these examples; what there is to say if that was paused."""
        total = self.total
        if total.interrupted:
            return None
        slice_ = np.zeros_like(self.problem.weights)
        slice_[begin:end] = self.problem.weights[begin:end]
        stats = self.inner.learner.epoch(self.problem.data(slice_), False)
        if stats.paused:
            return stats
        total.objective += stats.objective
        total.mistakes += stats.mistakes
        total.updates += stats.updates
        total.interrupted |= stats.interrupted
        return None

    def weights(self) -> Weights:
        """Averaged and settled."""
        return self.inner.weights()

    def learnt(self) -> Learnt:
        """All that there is to predict with."""
        return self.inner.learnt()

    def reduce_step(self) -> None:
        """Held-out likelihood fell."""
        self.inner.reduce_step()

    def state(self) -> State:
        """And the lines that were written down."""
        table = {name: [getattr(v, "item", lambda v=v: v)() for v in found] for name, found in
                 self.table.items()}  # fmt: skip
        total = self.total
        return self.inner.state() | {
            "table": np.frombuffer(json.dumps(table).encode(), np.uint8),
            "losses": np.array([total.objective, self.before]),
            "counts": np.array([total.mistakes, total.updates]),
        }

    def restore(self, state: State) -> None:
        """Go on from there."""
        self.inner.restore(state)
        self.table = json.loads(state["table"].tobytes())
        self.total.objective, self.before = map(float, state["losses"])
        self.total.mistakes, self.total.updates = map(int, state["counts"])


def progressive_solver(learner: Learner, problem: Problem, answer: Answer) -> ProgressiveSolver:
    """Of learners that take a step for each example."""
    solver = learner.solver(problem) if learner.family == "online" else None
    if not isinstance(solver, OnlineSolver):
        raise RefusedError(
            f"progressive validation is of learners that step from example to example; {learner.name} "
            f"does not: use 'sgd', 'perceptron', 'pa' or another online learner"
        )
    return ProgressiveSolver(solver, problem, answer)
