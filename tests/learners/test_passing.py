"""Sequential learners over shards of which one at a time is in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import linnet
from linnet import engines
from linnet.data import samples
from linnet.features.arcs import ArcFeatures, CandidateArcs
from linnet.learners import LEARNERS, Perceptron
from linnet.learners.passing import PassingSolver, solver_of
from linnet.structures import STRUCTURES, Multiclass, Problem

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


def test_what_was_left_of_other_rows_is_not_read() -> None:
    """Rows of arcs are computed, with something left in a buffer; new ones may lie where others lay."""
    features = ArcFeatures(templates=["h.upos m.upos", "m.form"], hash_bits=12)
    trees = samples.load_trees("rambles-train")
    features.compile(trees.columns)

    def problem(begin: int, end: int) -> Problem:
        part = trees.take(np.arange(begin, end))
        rows = features.rows(part, CandidateArcs.of_tree(part.heads), part.heads)
        labels = np.maximum(part.relations.codes, 0).astype(np.int32)
        structure = Multiclass(rows, labels, len(trees.relations.names))
        settings = {"l1": 0.0, "l2": 0.0, "C": 1.0, "tol": 1e-3, "seed": 0, "shuffle": False}
        return Problem(structure, "perceptron", "none", np.ones(len(labels)), **settings)

    bounds = [(k, k + 6 + k % 5) for k in range(0, 200, 7)]
    weights = []
    for hold in (True, False):  # while all are there, none lies where another one lay
        solver, held = Perceptron().stream(problem(0, 0)), []
        for begin, end in bounds * 3:
            part = problem(begin, end)
            solver.turn_to(part)
            solver.epoch()
            held.append(part if hold else None)
            del part
            solver.turn_to(None)
        weights.append(solver.weights())
    assert weights[0].any()
    assert weights[0].tobytes() == weights[1].tobytes()


@pytest.mark.parametrize("cell", ONLINE[::7], ids=named)
def test_paused_anywhere_a_round_goes_on_with_the_same_bits(cell) -> None:
    """In the same solver, or in one that was given its state in the midst of a shard."""
    learner, problem = of_cell(cell)
    problem = replace(problem, engine=engines.Paged(3))
    one, other = solver_of(learner, problem), solver_of(learner, problem)
    rng, pauses = np.random.default_rng(0), 0
    for _ in range(2):
        ours = one.epoch()
        while True:
            other.pause_after(instances=int(rng.integers(1, 4)))
            theirs = other.epoch()
            if not theirs.paused:
                break
            pauses += 1
            state = {name: np.array(part) for name, part in other.state().items()}
            if rng.integers(2):
                other = solver_of(learner, problem)
                other.restore(state)
        assert (ours.mistakes, ours.updates) == (theirs.mistakes, theirs.updates)
        assert ours.converged == theirs.converged
    assert pauses > 2
    assert same(all_of(one), all_of(other))


def test_a_round_is_paused_between_two_shards_when_it_is_time() -> None:
    learner, problem = of_cell(ONLINE[0])
    solver = solver_of(learner, replace(problem, engine=engines.Paged(3)))
    calls = 0
    while True:
        solver.pause_after(seconds=0)
        calls += 1
        if not solver.epoch().paused:
            break
    assert calls >= 3
