"""The state of every solver: put into a fresh one, it goes on with the same bits."""

import contextlib
import math
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.learners import MIRA, SGD, Elimination, Pegasos, Winnow
from linnet.learners.base import Learner
from linnet.structures import Problem, Solver, State
from linnet.training import trainer
from linnet.training.grid import Compatibility

from ..grid.cells import data_of, estimator

LEGAL = [cell for cell in linnet.compatible() if cell.works]


class CapturedError(Exception):
    """Where a run of the loop would begin."""

    def __init__(self, learner: Learner, problem: Problem, stopping: Any) -> None:
        super().__init__()
        self.learner, self.problem, self.stopping = learner, problem, stopping


@pytest.fixture(autouse=True)
def no_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def capture(*what: Any) -> None:
        raise CapturedError(*what)

    monkeypatch.setattr(trainer, "next_stage", capture)


def first_run(cell: Compatibility, **settings: Any) -> tuple[Learner, Problem]:
    """The learner and the problem of the first run that an estimator asks for."""
    with pytest.raises(CapturedError) as found:
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


# Settings that bring other state into play: averages, held intercepts, double precision after single,
# exact solutions of the whole or of a part, hard margins, mini-batches, windows of higher orders.
SPECIAL: dict[str, tuple[str, str, Any, str, dict[str, Any]]] = {
    "averaged sgd": ("multiclass", "logistic", "sgd", "l2", {"average": True}),
    "averaged pa": ("multiclass", "hinge", "pa", "none", {"average": True}),
    "free intercept, L1": ("multiclass", "hinge", "sgd", "l1", {"penalize_intercept": False}),
    "free intercept, adagrad": ("binary", "hinge", "adagrad", "l1", {"penalize_intercept": False}),
    "projected": ("binary", "hinge", Pegasos(project=True), "l2", {}),
    "batches": ("multiclass", "logistic", SGD(batch_size=7), "l2", {"average": True}),
    "positive winnow": ("binary", "perceptron", Winnow(variant="positive"), "none", {}),
    "winnow1": ("binary", "perceptron", Winnow(variant="winnow1"), "none", {}),
    "elimination": ("binary", "perceptron", Elimination(), "none", {}),
    "large C, two labels": ("binary", "hinge", "dual", "l2", {"C": 1e5}),
    "large C, squared": ("binary", "squared_hinge", "dual", "l2", {"C": 1e5}),
    "large C, logistic": ("binary", "logistic", "dual", "l2", {"C": 1e5}),
    "large C, several labels": ("multiclass", "hinge", "dual", "l2", {"C": 1e5}),
    "large C, softmax": ("multiclass", "logistic", "dual", "l2", {"C": 1e5, "tol": 1e-6}),
    "hard margin": ("binary", "hinge", "dual", "l2", {"C": math.inf}),
    "hard margins": ("multiclass", "hinge", "dual", "l2", {"C": math.inf}),
    "free, two labels": ("binary", "hinge", "dual", "l2", {"penalize_intercept": False, "C": 100.0}),
    "free, several": ("multiclass", "hinge", "dual", "l2", {"penalize_intercept": False, "C": 100.0}),
    "mixtures": ("chain", "hinge", "frank_wolfe", "l2", {"C": 100.0}),
    "hard mixtures": ("candidates", "hinge", "frank_wolfe", "l2", {"C": math.inf}),
    "coordinates": ("binary", "squared", "coordinate", "l1", {"penalize_intercept": False, "C": 50.0}),
    "averaged chains": ("chain", "perceptron", "perceptron", "none", {"average": True}),
    "averaged chains, generic": ("chain", "hinge", "pa", "none", {"average": True, "order": 2}),
    "single, then double": ("chain", "logistic", "lbfgs", "l2", {"tol": 1e-9, "C": 100.0}),
    "best outputs": ("chain", "hinge", MIRA(k=3), "none", {"average": True}),
}


@pytest.mark.parametrize("before", [1, 4, 24])
@pytest.mark.parametrize("kind", SPECIAL)
def test_state_of_all_kinds_goes_on(kind: str, before: int) -> None:
    assert_goes_on(*special_run(kind), before, after=3)


def special_run(kind: str, **settings: Any) -> tuple[Learner, Problem]:
    structure, loss, learner, penalty, own = SPECIAL[kind]
    return first_run(Compatibility(structure, loss, learner, penalty, None), **own | settings)


@pytest.mark.parametrize("kind", ["large C, two labels", "large C, several labels", "large C, softmax"])
def test_precision_is_part_of_the_state(kind: str) -> None:
    """Solvers that have gone on in double do so in a solver that would begin in single."""
    learner, problem = special_run(kind, C=1e7)
    solver = learner.solver(problem)
    at_first = len(solver.state()["core"])
    passes(solver, 60)
    state = solver.state()
    assert len(state["core"]) > at_first + 8
    other = learner.solver(problem)
    other.restore(state)
    passes(solver, 3)
    passes(other, 3)
    assert same(all_of(solver), all_of(other))


DAMAGED = (
    *("binary-hinge-dual-l2", "multiclass-hinge-dual-l2", "multiclass-logistic-lbfgs-l2"),
    *("binary-logistic-coordinate-l1", "chain-logistic-dual-l2", "chain-hinge-frank_wolfe-l2"),
    *("multiclass-hinge-adagrad-l1", "binary-perceptron-voted-none", "tree-hinge-pa-none"),
    *("multiclass-logistic-newton-l2", "chain-perceptron-voted-none", "binary-hinge-sgd-l1"),
    "chain-perceptron-perceptron-none",
)


def run_of(which: str) -> tuple[Learner, Problem]:
    return first_run(next(cell for cell in LEGAL if name(cell) == which))


@pytest.mark.parametrize("which", DAMAGED)
def test_a_damaged_state_is_refused_or_used_without_harm(which: str) -> None:
    learner, problem = run_of(which)
    solver = learner.solver(problem)
    passes(solver, 2)
    raw = solver.state()["core"].tobytes()
    chance, refused = random.Random(which), 0
    for attempt in range(40):
        bad = bytearray(raw)
        if attempt % 4 == 0:
            bad = bad[: chance.randrange(len(bad))] + bytes(chance.choice((0, 0, 7)))
        for _ in range(chance.choice((1, 3, 20))):
            at = chance.choice((chance.randrange(len(bad) or 1), chance.randrange(40)))
            bad[at : at + 1] = bytes([chance.randrange(256)])
        other = learner.solver(problem)
        try:
            other.restore({"core": np.frombuffer(bytes(bad), np.uint8)})
        except ValueError as error:
            assert "not the state of" in str(error)  # noqa: PT017
            refused += 1
            continue
        with contextlib.suppress(ValueError):  # weights that are infinite, say
            other.epoch()
            other.learnt()
    assert refused >= 5


def test_the_state_of_another_problem_is_refused() -> None:
    runs = [run_of(which) for which in DAMAGED]
    states = [learner.solver(problem).state() for learner, problem in runs]
    for k, (learner, problem) in enumerate(runs):
        for j, state in enumerate(states):
            if j != k:
                with pytest.raises(ValueError, match="not the state of"):
                    learner.solver(problem).restore(state)
