"""Instances that are not here: shards made by recipes, where they are worked on."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest
from tests.engines.problems import points

from linnet import engines, learners
from linnet.data import as_rows
from linnet.learners import LBFGS, Averaging, Dual, Mixing
from linnet.structures import Binary, Elsewhere, Multiclass, Problem

N, SHARDS = 40, 3


def counts(n: int, labels: int):
    """Points whose coordinates may be counted, too."""
    X, y = points(n, labels)
    return np.abs(X), y


@dataclass(frozen=True)
class Numbers:
    """Some of the points, made again whenever somebody asks."""

    begin: int
    end: int
    labels: int

    def __call__(self):
        X, y = counts(N, self.labels)
        some = slice(self.begin, self.end)
        return structure_of(X[some], y[some], self.labels), np.linspace(0.5, 2, N)[some]


def structure_of(X, y, labels):
    rows = as_rows(X, 1.0)
    return Binary(rows, y) if labels == 2 else Multiclass(rows, y, labels)


def here(labels: int, loss: str) -> Problem:
    common = {"l1": 0.0, "l2": 1.0, "C": 1.0, "tol": 1e-8, "seed": 0}
    X, y = counts(N, labels)
    return Problem(structure_of(X, y, labels), loss, "l2", np.linspace(0.5, 2, N), **common)


def there(labels: int, loss: str) -> Problem:
    X, y = counts(N, labels)
    bounds = engines.Local(SHARDS).cut(N)
    elsewhere = Elsewhere(
        tuple(Numbers(begin, end, labels) for begin, end in bounds),
        tuple(end - begin for begin, end in bounds),
        float(np.linspace(0.5, 2, N).sum()),
    )
    structure = structure_of(X[:0], y[:0], labels)
    return replace(here(labels, loss), structure=structure, weights=np.zeros(0), elsewhere=elsewhere)


CELLS = {
    "lbfgs": (LBFGS(), "logistic", 2),
    "lbfgs of three": (LBFGS(), "logistic", 3),
    "dual": (Dual(), "hinge", 3),
    "counting": (learners.Counting(), "joint_likelihood", 3),
    "mixing": (Mixing("perceptron"), "perceptron", 3),
    "averaging": (Averaging("dual"), "logistic", 2),
}


@pytest.mark.parametrize("engine", [engines.Local, engines.Paged], ids=lambda e: e.name)
@pytest.mark.parametrize("cell", CELLS)
def test_the_weights_are_those_of_instances_that_are_here(cell, engine):
    learner, loss, labels = CELLS[cell]
    penalty = "none" if loss in ("perceptron", "joint_likelihood") else "l2"
    one, other = (
        learner.solver(replace(problem, penalty=penalty, engine=where(SHARDS)))
        for problem, where in ((here(labels, loss), engines.Local), (there(labels, loss), engine))
    )
    for _ in range(3):
        one.epoch()
        other.epoch()
    assert one.weights().any()
    assert one.weights().tobytes() == other.weights().tobytes()


def test_one_label_against_the_rest_is_made_there_too():
    problem = there(3, "logistic").against_the_rest(1)
    assert problem.structure.name == "binary"
    made = pickle.loads(pickle.dumps(problem.shards(engines.Local(SHARDS))[1])).made()
    expected = here(3, "logistic").against_the_rest(1).part(*engines.Local(SHARDS).cut(N)[1])
    assert made.structure.one_score()[1].tolist() == expected.structure.one_score()[1].tolist()
    assert made.weights.tobytes() == expected.weights.tobytes()
    assert problem.alpha == pytest.approx(here(3, "logistic").alpha, rel=1e-15)
