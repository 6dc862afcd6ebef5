"""Passes that are paused, as a checkpoint does: wherever that is, they go on with the same bits."""

import math
import random
from typing import Any

import numpy as np
import pytest

import linnet
import linnet._core as _core
from linnet.learners import MIRA, SGD
from linnet.learners.base import Learner
from linnet.learners.mixing import OnShards
from linnet.structures import Problem, Solver
from linnet.training.grid import Compatibility
from linnet.training.progressive import progressive_solver

from .test_states import (
    LEGAL,
    SPECIAL,
    CapturedError,
    all_of,
    first_run,
    name,
    no_runs,
    same,
    special_run,
)

__all__ = ["no_runs"]  # a fixture


def can_pause(solver: Solver) -> bool:
    return hasattr(solver.learning(), "pause_after")


def told(stats: _core.EpochStats) -> str:
    names = ("objective", "dual", "gap", "mistakes", "updates", "converged", "interrupted", "paused")
    return ", ".join(f"{n} {getattr(stats, n)!r}" for n in names)


def assert_pauses_change_nothing(learner: Learner, problem: Problem, passes: int = 3) -> None:
    """One solver makes whole passes; the other is paused at random and now and then made anew."""
    chance = random.Random(repr((learner, problem.loss, problem.penalty)))
    one, other = learner.solver(problem), learner.solver(problem)
    pauses = 0
    for _ in range(passes):
        whole = one.epoch()
        while True:
            other.pause_after(instances=chance.choice((1, 2, 3, 7, 20)))
            stats = other.epoch()
            if not stats.paused:
                break
            pauses += 1
            if chance.random() < 0.3:
                state = other.state()
                other = learner.solver(problem)
                other.restore(state)
                assert same(state, other.state())
        assert told(stats) == told(whole)
    assert pauses >= passes
    ended, paused = all_of(one), all_of(other)
    assert same(ended, paused), [n for n in ended if not same({n: ended[n]}, {n: paused[n]})]


@pytest.mark.parametrize("cell", LEGAL, ids=name)
def test_every_cell_is_paused(cell: Compatibility) -> None:
    if (cell.structure, cell.loss) == ("tree", "joint_likelihood"):
        pytest.skip("counted without a loop")
    learner, problem = first_run(cell)
    solver = learner.solver(problem)
    by_instance = learner.family in ("online", "dual") and not isinstance(learner, OnShards)
    assert can_pause(solver) == by_instance
    if by_instance:
        assert_pauses_change_nothing(learner, problem)


@pytest.mark.parametrize("kind", SPECIAL)
def test_all_kinds_are_paused(kind: str) -> None:
    learner, problem = special_run(kind)
    if can_pause(learner.solver(problem)):
        assert_pauses_change_nothing(learner, problem, passes=30 if "dual" in learner.family else 3)


def a_long_run(learner: Any, **settings: Any) -> tuple[Learner, Problem]:
    """A run over more instances than are visited between two looks at the clock."""
    random_ = np.random.default_rng(3)
    X = random_.normal(size=(400, 5))
    model = linnet.LinearClassifier("hinge", learner, "none", **settings)
    with pytest.raises(CapturedError) as found:
        model.fit(X, (X[:, 0] > 0).astype(int))
    return found.value.learner, found.value.problem


@pytest.mark.parametrize("learner", ["pa", MIRA(), SGD(batch_size=3)], ids=["pa", "mira", "batches"])
def test_time_is_looked_at_now_and_then(learner: Any) -> None:
    learner, problem = a_long_run(learner)
    solver = learner.solver(problem)
    calls = 0
    solver.pause_after(0.0)
    while solver.epoch().paused:
        calls += 1
        solver.pause_after(0.0)
    assert calls == 400 // 64 if getattr(learner, "batch_size", 1) == 1 else calls >= 5
    for seconds in (60.0, math.inf):
        solver.pause_after(seconds)
        assert not solver.epoch().paused
    solver.pause_after(instances=5)
    assert solver.epoch().paused
    assert not solver.epoch().paused, "it is asked for once, not for ever"


@pytest.mark.parametrize("wrong", [{"seconds": math.nan}, {"instances": 0}, {"instances": -3}])
def test_nonsense_is_refused(wrong: dict[str, Any]) -> None:
    solver = _core.Perceptron("perceptron", 3)
    with pytest.raises(ValueError, match="a pause comes after"):
        solver.pause_after(**wrong)


def test_a_pass_over_other_data_begins_at_its_beginning() -> None:
    learner, problem = a_long_run("pa")
    solver = learner.solver(problem)
    solver.pause_after(instances=399)
    assert solver.epoch().paused
    later = solver.grown(problem)  # type: ignore[attr-defined]
    later.pause_after(instances=200)
    assert later.epoch().paused, "there is more to visit than the last instance"


def test_progressive_passes_are_paused() -> None:
    learner, problem = a_long_run("perceptron")
    found = []
    for instances in (None, 1, 37):
        solver = progressive_solver(learner, problem, lambda _, at, wrong: (at, wrong))
        rows, pauses = [], 0
        for _ in range(2):
            solver.pause_after(instances=instances)
            while (stats := solver.epoch()).paused:
                pauses += 1
                if pauses % 10 == 1:
                    state = solver.state()
                    solver = progressive_solver(learner, problem, solver.answer)
                    solver.restore(state)
                solver.pause_after(instances=instances)
            rows.append(told(stats))
        found.append((rows, solver.table, all_of(solver)["core"].tobytes()))
        assert (pauses > 10) == (instances is not None)
    assert found[0] == found[1] == found[2]
