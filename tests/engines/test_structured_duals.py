"""Dual steps on shards of sentences and trees: gaps are bounds, and the end is that of one machine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines.problems import SENTENCES, TAGS, TREES

import linnet._core as _core
from linnet import DependencyParser, Tagger, engine, engines, learners
from linnet.data import as_rows
from linnet.data.segments import SegmentShape
from linnet.errors import DataError, RefusedError
from linnet.learners import checks
from linnet.structures import (
    Candidates,
    Chain,
    Elsewhere,
    Multiclass,
    Problem,
    Segments,
    Structure,
    Tree,
)

KINDS = ["chain", "order 2", "segments", "trees", "candidates", "labels"]


def structure_of(kind: str, n: int = 12, seed: int = 0) -> Structure:
    """Random instances of three to five places, whose features tell something of their labels."""
    rng = np.random.default_rng(seed)
    if kind == "candidates":
        offsets = np.arange(0, 3 * n + 1, 3, dtype=np.int64)
        return Candidates(as_rows(rng.normal(size=(3 * n, 4)), 0.0), offsets, np.zeros(n, np.int32))
    if kind == "labels":
        return Multiclass(as_rows(rng.normal(size=(n, 4)), 1.0), np.arange(n, dtype=np.int32) % 3, 3)
    lengths = rng.integers(3, 6, n)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    tokens = int(offsets[-1])
    if kind == "trees":
        starts, candidates, heads = [0], [], []
        for length in lengths.tolist():
            for m in range(1, length + 1):
                candidates += [h for h in range(length + 1) if h != m]
                starts.append(len(candidates))
                heads.append(m - 1)
        rows = as_rows(rng.normal(size=(len(candidates), 4)), 0.0)
        return Tree(
            rows,
            offsets,
            np.array(heads, np.int32),
            np.array(starts, np.int64),
            np.array(candidates, np.int32),
        )
    if kind == "segments":
        codes = np.zeros(tokens, np.int32)
        codes[rng.permutation(tokens)[: tokens // 2]] = 1
        shape = SegmentShape(("X", "Y"), "iob2", 3)
        return Segments(as_rows(rng.normal(size=(tokens, 4)), 1.0), offsets, codes, shape)
    labels = rng.integers(0, 3, tokens).astype(np.int32)
    X = rng.normal(size=(tokens, 4)) + rng.normal(size=(3, 4))[labels]
    order = 2 if kind == "order 2" else 1
    return Chain(as_rows(X, 1.0), offsets, labels, 3, order=order, ends=True, all_states=True)


def problem_of(kind: str, loss: str, n: int = 12, **given) -> Problem:
    common = {"l1": 0.0, "l2": 1.0, "C": 1.0, "tol": 1e-3, "seed": 0} | given
    structure = structure_of(kind, n, common["seed"])
    return Problem(structure, loss, "l2", np.linspace(0.5, 2, n), **common)


def learner_of(loss: str) -> learners.Learner:
    return learners.Dual() if loss == "logistic" else learners.FrankWolfe()


def lowest(problem: Problem) -> tuple[float, float]:
    """Bounds of the optimum by another solver: L-BFGS over the whole, Frank–Wolfe without shards."""
    if problem.loss == "hinge":
        solver = learners.FrankWolfe().solver(problem)
        for _ in range(400):
            if solver.epoch().converged:
                break
        found = solver.certify()
        return found.dual, found.objective
    core = _core.BatchObjective(problem.data(problem.costs), "logistic", 1.0, True, 1, 1.0)
    solver = learners.LBFGS().solver(replace(problem, tol=1e-9, engine=engines.Local(1)))
    for _ in range(500):
        if solver.epoch().converged:
            break
    value, slope = core.evaluate(solver.weights())
    return value - float(slope @ slope) / 2, value


CELLS = [(kind, "hinge") for kind in KINDS] + [("chain", "logistic"), ("order 2", "logistic")]


@pytest.mark.parametrize(("kind", "loss"), CELLS)
@settings(max_examples=8, deadline=None)
@given(
    shards=st.integers(1, 4),
    n=st.integers(1, 12),
    C=st.sampled_from([0.01, 0.3, 3.0]),
    seed=st.integers(0, 5),
)
def test_gaps_are_bounds_and_duals_rise(kind, loss, shards, n, C, seed):
    problem = problem_of(kind, loss, n, C=C, seed=seed)
    low, high = lowest(problem)
    solver = learner_of(loss).solver(replace(problem, engine=engines.Local(shards)))
    before = 0.0  # D of the start
    for _ in range(8):
        stats = solver.epoch()
        assert stats.gap >= -1e-9 * stats.objective
        assert stats.dual <= high + 1e-9 * abs(high)
        assert stats.objective >= low - 1e-9 * abs(low)
        assert stats.dual >= before - 1e-9 * abs(high)  # shards together never go too far
        before = stats.dual
    assert before > 0


@pytest.mark.parametrize("shards", [1, 2, 4])
@pytest.mark.parametrize(("kind", "loss"), CELLS)
def test_the_objective_is_that_of_one_machine_within_the_gap(kind, loss, shards):
    problem = problem_of(kind, loss, C=0.3)
    low, high = lowest(problem)
    tol = 1e-3 if loss == "logistic" else 1e-2  # corners of hinges take many rounds
    solver = learner_of(loss).solver(replace(problem, tol=tol, engine=engines.Local(shards)))
    for _ in range(400):
        stats = solver.epoch()
        if stats.converged:
            break
    assert stats.converged
    assert stats.gap <= tol * stats.objective
    assert low - 1e-9 <= stats.objective <= high + stats.gap
    # the certificate is that of the weights that are handed out: P by code that knows no duals
    w = np.asarray(solver.weights(), np.float64)
    core = _core.BatchObjective(problem.data(problem.costs), loss, 1.0, True, 1, 1.0)
    assert core.evaluate(w)[0] == pytest.approx(stats.objective, rel=1e-12)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_chains_end_where_the_dual_without_shards_ends(loss):
    problem = problem_of("chain", loss, 40, C=0.3, tol=1e-2)
    whole = learner_of(loss).solver(problem)
    for _ in range(300):
        if whole.epoch().converged:
            break
    alone = whole.certify()
    solver = learner_of(loss).solver(replace(problem, engine=engines.Local(3)))
    for _ in range(400):
        stats = solver.epoch()
        if stats.converged:
            break
    assert abs(stats.objective - alone.objective) <= stats.gap + alone.gap


class Some:
    """A recipe: the instances [begin, end)."""

    def __init__(self, problem: Problem, begin: int, end: int) -> None:
        self.given = (problem, begin, end)

    def __call__(self) -> tuple[Structure, np.ndarray]:
        problem, begin, end = self.given
        return problem.structure.part(begin, end), problem.weights[begin:end]


@pytest.mark.parametrize(("kind", "loss"), CELLS)
def test_threads_shards_in_turn_and_shards_elsewhere_change_no_bit(kind, loss):
    problem = problem_of(kind, loss)
    bounds = engines.Local(3).cut(12)
    elsewhere = Elsewhere(
        tuple(Some(problem, *each) for each in bounds),
        tuple(end - begin for begin, end in bounds),
        problem.total_weight,
    )
    nothing = problem.structure.part(0, 0)
    found = []
    for one in (
        replace(problem, engine=engines.Local(3)),
        replace(problem, engine=engines.Local(3), threads=3),
        replace(problem, engine=engines.Paged(3)),
        replace(
            problem,
            engine=engines.Paged(3),
            structure=nothing,
            weights=np.zeros(0),
            elsewhere=elsewhere,
        ),
    ):
        solver = learner_of(loss).solver(one)
        stats = [solver.epoch() for _ in range(4)]
        found.append((solver.weights().tobytes(), [(s.objective, s.gap) for s in stats]))
    assert found.count(found[0]) == len(found)


@pytest.mark.parametrize(("kind", "loss"), CELLS)
def test_states_go_on_to_the_bit(kind, loss):
    problem = replace(problem_of(kind, loss), engine=engines.Local(3))
    made = learner_of(loss)
    whole, first, again = made.solver(problem), made.solver(problem), made.solver(problem)
    for solver in (whole, first):
        solver.epoch()
        solver.epoch()
    state = {name: np.array(value) for name, value in first.state().items()}
    again.restore(state)
    assert whole.epoch().gap == again.epoch().gap
    assert whole.weights().tobytes() == again.weights().tobytes()
    with pytest.raises(ValueError, match="not those of this shard"):
        again.restore(state | {"alpha1": state["alpha1"][:-1]})
    with pytest.raises(ValueError, match="not those of this shard"):
        again.restore(state | {"alpha1": np.full(7, 1e9)})


def test_zero_one_costs_and_margins_are_those_asked_for():
    problem = problem_of("chain", "hinge", C=0.3, margin=2.0, tol=1e-2)
    for cost in ("parts", "zero_one"):
        whole = learners.FrankWolfe(cost).solver(problem)
        parts = learners.FrankWolfe(cost).solver(replace(problem, engine=engines.Local(2)))
        for solver in (whole, parts):
            for _ in range(300):
                if solver.epoch().converged:
                    break
        one, other = whole.certify(), parts.certify()
        assert abs(one.objective - other.objective) <= one.gap + other.gap


def test_taggers_and_parsers_learn_by_them():
    with engine("local", shards=2):
        crf = Tagger(learner="dual").fit(SENTENCES, TAGS)
        svm = Tagger(loss="hinge").fit(SENTENCES, TAGS)
        segments = Tagger(loss="hinge", learner="frank_wolfe", segments=True)
        spans = [["O", "B-X", "I-X"], ["O", "B-X", "O"], ["O", "B-X", "I-X", "O"]] * 4
        segments.fit(SENTENCES, spans)
        parser = DependencyParser(loss="hinge", learner="frank_wolfe", penalty="l2").fit(TREES)
    assert [list(tags) for tags in crf.predict(SENTENCES)] == TAGS
    assert [list(tags) for tags in svm.predict(SENTENCES)] == TAGS
    assert [list(tags) for tags in segments.predict(SENTENCES)] == spans
    assert (crf.record_.learner, svm.record_.learner) == ("dual", "frank_wolfe")
    assert parser.record_.learner == "frank_wolfe"
    for record in (crf.record_, svm.record_, segments.record_, parser.record_):
        last = record.epochs[-1]
        assert record.stopped != "converged" or last.gap <= 1e-2 * last.objective


def test_what_is_refused():
    with engine("local"), pytest.raises(RefusedError, match="hard margins; use a finite C"):
        Tagger(loss="hinge", learner="frank_wolfe", C=np.inf).fit(SENTENCES, TAGS)
    with engine("local"), pytest.raises(RefusedError, match="missing"):
        Tagger(learner="dual").fit(SENTENCES, [[None, *tags[1:]] for tags in TAGS])


def test_dual_variables_without_room_are_refused(monkeypatch):
    problem = replace(problem_of("chain", "logistic"), engine=engines.Paged(2))
    solver = learners.Dual().solver(problem)
    monkeypatch.setattr(checks, "memory", lambda: 100.0)
    with pytest.raises(DataError, match=r"dual variables take .* use 'lbfgs'"):
        solver.epoch()
