"""Sequential learners over shards of which one at a time is in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linnet
from linnet import engines
from linnet.learners import LEARNERS
from linnet.learners.passing import PassingSolver, solver_of
from linnet.structures import STRUCTURES

from ..training.test_states import all_of, first_run, no_runs, passes, same

__all__ = ["no_runs"]
ONLINE = [
    cell
    for cell in linnet.compatible()
    if cell.works and not cell.one_against_rest
    if LEARNERS[cell.learner].hands_on and STRUCTURES[cell.structure].uncut() is None
]


def of_cell(cell):
    """Trees without relations, which are cut as templates alone."""
    learner, problem = first_run(cell)
    if cell.structure == "tree":
        problem = replace(problem, structure=replace(problem.structure, joint=None))
    return learner, problem


def named(cell):
    return f"{cell.structure}-{cell.learner}-{cell.loss}-{cell.penalty}"


@pytest.mark.parametrize("cell", ONLINE, ids=named)
def test_one_shard_is_the_learner_itself(cell) -> None:
    learner, problem = of_cell(cell)
    plain = replace(problem.part(0, problem.structure.size), initial=problem.initial)
    one = learner.solver(plain)
    other = solver_of(learner, replace(problem, engine=engines.Paged(1)))
    assert isinstance(other, PassingSolver)
    for _ in range(3):
        ours, theirs = one.epoch(), other.epoch()
        assert (ours.mistakes, ours.updates) == (theirs.mistakes, theirs.updates)
        assert ours.converged == theirs.converged
    assert np.asarray(one.weights()).tobytes() == np.asarray(other.weights()).tobytes()


@pytest.mark.parametrize("cell", ONLINE, ids=named)
def test_shards_hand_on_all_there_is(cell) -> None:
    """A solver that was stopped goes on with the same bits, and learns from every shard."""
    learner, problem = of_cell(cell)
    problem = replace(problem, engine=engines.Paged(3))
    one = solver_of(learner, problem)
    passes(one, 2)
    state = {name: np.array(part) for name, part in one.state().items()}
    passes(one, 2)
    other = solver_of(learner, problem)
    other.restore(state)
    passes(other, 2)
    assert same(all_of(one), all_of(other))
    one.close()
    assert np.asarray(one.weights()).tobytes() == np.asarray(other.weights()).tobytes()
