"""The state of every solver: put into a fresh one, it goes on with the same bits."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.learners.base import Learner
from linnet.structures import Problem, Solver, State
from linnet.training import trainer
from linnet.training.grid import Compatibility

from ..grid.cells import data_of, estimator

LEGAL = [cell for cell in linnet.compatible() if cell.works]


class _CapturedError(Exception):
    """Where a run of the loop would begin."""

    def __init__(self, learner: Learner, problem: Problem, stopping: Any) -> None:
        super().__init__()
        self.learner, self.problem, self.stopping = learner, problem, stopping


@pytest.fixture(autouse=True)
def no_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def capture(*what: Any) -> None:
        raise _CapturedError(*what)

    monkeypatch.setattr(trainer, "next_stage", capture)


def first_run(cell: Compatibility, **settings: Any) -> tuple[Learner, Problem]:
    """The learner and the problem of the first run that an estimator asks for."""
    with pytest.raises(_CapturedError) as found:
        estimator(cell, **settings).fit(*data_of(cell))
    return found.value.learner, replace(found.value.problem, spend_rows=False)


def passes(solver: Solver, number: int) -> None:
    for _ in range(number):
        solver.epoch()


def all_of(solver: Solver) -> State:
    """State, weights and facts, and what comes of the last look at them."""
    found = dict(solver.state())
    learnt = solver.learnt()
    found["weights"] = np.array(learnt.weights)
    if learnt.states is not None:
        found |= {f"states {k}": np.array(part) for k, part in enumerate(learnt.states)}
    certificate = solver.certify()
    if certificate is not None:
        found["certificate"] = np.array([certificate.objective, certificate.dual, certificate.gap])
    return found | {f"after {name}": part for name, part in solver.state().items()}


def assert_goes_on(learner: Learner, problem: Problem, before: int, after: int = 2) -> None:
    """A solver that was stopped and one that was not end alike."""
    one = learner.solver(problem)
    passes(one, before)
    state = {name: np.array(part) for name, part in one.state().items()}
    passes(one, after)
    other = learner.solver(problem)
    other.restore(state)
    assert same(state, other.state())
    passes(other, after)
    ended, resumed = all_of(one), all_of(other)
    assert same(ended, resumed), [n for n in ended if not same({n: ended[n]}, {n: resumed[n]})]


def same(one: State, other: State) -> bool:
    return one.keys() == other.keys() and all(
        np.asarray(part).tobytes() == np.asarray(other[name]).tobytes() for name, part in one.items()
    )


def name(cell: Compatibility) -> str:
    return f"{cell.structure}-{cell.loss}-{cell.learner}-{cell.penalty}"


@pytest.mark.parametrize(
    "cell", [c for c in LEGAL if (c.structure, c.loss) != ("tree", "joint_likelihood")], ids=name
)
def test_every_cell_goes_on(cell: Compatibility) -> None:
    learner, problem = first_run(cell)
    assert_goes_on(learner, problem, before=2)
