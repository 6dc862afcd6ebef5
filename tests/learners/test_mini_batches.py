"""Steps from several instances: equal to their dense statement, and to the bit for any threads."""

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core
from linnet.data import as_rows
from linnet.data.samples import load_trees
from linnet.errors import RefusedError
from linnet.learners import SGD, AdaGrad, Pegasos
from linnet.training.grid import Compatibility

from .. import problems
from ..grid import cells
from . import dense

EPSILON = 1e-3
PENALTIES = [(0, 0), (0.003, 0), (0, 0.02), (0.002, 0.01)]


def batches(problem: dense.Problem, size: int) -> list[np.ndarray]:
    """Of the instances that weigh something, in order."""
    assert problem.weights is not None
    kept = np.flatnonzero(problem.weights)
    return [kept[i : i + size] for i in range(0, len(kept), size)]


def average_gradient(problem: dense.Problem, loss: str, w: np.ndarray, batch: np.ndarray) -> np.ndarray:
    x, c = problem.columns, problem.weights
    assert c is not None
    slopes = [c[i] * np.outer(x[i], dense.gradient(loss, x[i] @ w, int(problem.y[i]))) for i in batch]
    return np.mean(slopes, axis=0)


def problem_of(seed: int, labels: int, density: float, zeros: bool) -> dense.Problem:
    problem = dense.random_problem(seed, 41, 7, max(labels, 2), labels == 1, density)
    rng = np.random.default_rng(seed)
    problem.weights = rng.uniform(0.5, 2, 41) * (rng.random(41) > 0.2 * zeros)
    return problem


several = given(
    seed=st.integers(0, 10**6),
    labels=st.sampled_from([1, 3, 9]),
    density=st.sampled_from([0.05, 0.4]),
    size=st.sampled_from([2, 7, 41, 1000]),
    intercept=st.booleans(),
    zeros=st.booleans(),
)


@pytest.mark.parametrize(("l1", "l2"), PENALTIES)
@settings(max_examples=25, deadline=None)
@several
def test_sgd_equals_dense(l1, l2, seed, labels, density, size, intercept, zeros) -> None:
    problem = problem_of(seed, labels, density, zeros)
    w, total, t = np.zeros((8, problem.width)), np.zeros((8, problem.width)), 0
    for _, batch in itertools.product(range(2), batches(problem, size)):
        t += 1
        eta = 0.5 * t**-0.6
        g = average_gradient(problem, "logistic", w, batch)
        p = w[0 if intercept else 1 :]
        p[:] = np.sign(p) * np.maximum(0, (1 - eta * l2) * np.abs(p) - eta * l1)  # once a step
        w -= eta * g
        total += w
    for averaging in [False, True] if l1 == 0 else [False]:
        learner = _core.Sgd(
            "logistic",
            problem.data.dim,
            averaging=averaging,
            schedule=_core.Schedule.power,
            eta=0.5,
            decay=0.6,
            l1=l1,
            l2=l2,
            penalize_intercept=intercept,
            stride=problem.data.stride,
        )
        learner.set_batches(size, threads=2)
        problem.check_two_passes(learner, total / t if averaging else w, atol=2e-5)


@pytest.mark.parametrize(("l1", "l2"), PENALTIES)
@settings(max_examples=25, deadline=None)
@several
def test_adagrad_equals_dense(l1, l2, seed, labels, density, size, intercept, zeros) -> None:
    problem = problem_of(seed, labels, density, zeros)
    w, squares = np.zeros((8, problem.width)), np.zeros((8, problem.width))
    for _, batch in itertools.product(range(2), batches(problem, size)):
        g = average_gradient(problem, "logistic", w, batch)
        first = 0 if intercept else 1
        h = (0.4 / np.sqrt(squares + EPSILON))[first:]
        p = w[first:]
        p[:] = np.sign(p) * np.maximum(0, np.abs(p) - h * l1) / (1 + h * l2)
        squares += g * g  # of the average, not the average of squares
        w -= 0.4 / np.sqrt(squares + EPSILON) * g
    learner = _core.AdaGrad(
        "logistic",
        problem.data.dim,
        eta=0.4,
        epsilon=EPSILON,
        l1=l1,
        l2=l2,
        penalize_intercept=intercept,
        stride=problem.data.stride,
    )
    learner.set_batches(size)
    problem.check_two_passes(learner, w, atol=5e-5)


@pytest.mark.parametrize("size", [3, 41])
def test_pegasos_projects_once_a_step(size: int) -> None:
    problem, l2 = problem_of(5, 3, 0.4, False), 0.2
    w, radius = np.zeros((8, 3)), l2**-0.5
    for t, batch in enumerate(batches(problem, size) * 2, 1):
        g = average_gradient(problem, "hinge", w, batch)
        w = (1 - 1 / t) * w - g / (l2 * t)
        w *= min(1, radius / np.linalg.norm(w))
    learner = _core.Sgd(
        "hinge",
        problem.data.dim,
        schedule=_core.Schedule.inverse,
        eta=1 / l2,
        l2=l2,
        radius=radius,
        stride=problem.data.stride,
    )
    learner.set_batches(size)
    problem.check_two_passes(learner, w, atol=2e-5)


@cache
def data_of(structure: str) -> _core.Dataset:
    if structure == "candidates":
        words = {w: j for j, w in enumerate("abcpqrstuvwxyz")}
        X, gold = problems.candidates()
        rows = [[float(w in c) for w in words] for instance in X for c in instance]
        offsets = np.cumsum([0, *map(len, X)], dtype=np.int64)
        matrix = sp.csr_matrix(np.array(rows, dtype=np.float32))
        return _core.CandidateData(as_rows(matrix, 0.0), offsets, gold.astype(np.int32))
    if structure == "chain":
        data = problems.tagging()
        return _core.ChainData(as_rows(data.X, 1.0), data.offsets, data.y, data.labels)
    if structure == "tree":
        from linnet.training.parser import ParserSettings, tree_of, tree_problem

        trees = load_trees("rambles-train")
        trees = trees.take(np.flatnonzero(trees.lengths <= 9)[:24])
        arcs = cells.arc_features().compile(trees.columns)
        made = ParserSettings(loss="logistic", order=1)
        return tree_problem(tree_of(trees, arcs, None, made), made).data()
    flat = problems.topics()
    return _core.BlockData(as_rows(flat.X, 1.0), flat.y.astype(np.int32), 4, False)


STRUCTURES = ["flat", "candidates", "chain", "tree"]


def learner_of(data: _core.Dataset, kind: str) -> Any:
    if kind == "adagrad":
        return _core.AdaGrad("logistic", data.dim, eta=0.3, l2=1e-3, stride=data.unit)
    loss, l1 = ("hinge", 0.0) if kind == "hinge" else ("logistic", 1e-4)
    return _core.Sgd(loss, data.dim, eta=0.3, l1=l1, l2=1e-3, stride=data.unit)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("loss", ["logistic", "hinge", "perceptron"])
def test_a_batch_of_all_is_one_step_along_the_gradient(structure: str, loss: str) -> None:
    """W − η (1/n) Σ ∇ℓ_i(w), from zero and from where that leads."""
    data = data_of(structure)
    learner = _core.Sgd(loss, data.dim, eta=0.5)
    learner.set_batches(data.size)
    w = np.zeros(data.dim)
    for _ in range(1 if loss == "perceptron" else 2):  # of which rounding breaks ties
        value, gradient = _core.BatchObjective(data, loss, l2=0.0).evaluate(w)
        stats = learner.epoch(data)
        assert stats.objective == pytest.approx(value, rel=1e-5)
        w = w - 0.5 * gradient / data.size
        np.testing.assert_allclose(learner.weights(), w, atol=1e-5)
        w = learner.weights().astype(np.float64)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("kind", ["logistic", "hinge", "adagrad"])
@pytest.mark.parametrize("size", [5, 70])
def test_threads_change_no_bit(structure: str, kind: str, size: int) -> None:
    def run(threads: int) -> tuple[bytes, list[tuple[float, int, int]]]:
        data = data_of(structure)
        learner = learner_of(data, kind)
        learner.set_batches(size, threads)
        stats = [learner.epoch(data, shuffle=True) for _ in range(3)]
        return learner.weights().tobytes(), [(s.objective, s.mistakes, s.updates) for s in stats]

    assert run(1) == run(2) == run(5)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("kind", ["logistic", "hinge", "adagrad"])
def test_batches_of_one_are_no_batches(structure: str, kind: str) -> None:
    data = data_of(structure)
    plain, single = learner_of(data, kind), learner_of(data, kind)
    single.set_batches(1, 3)
    for learner in (plain, single):
        learner.epoch(data, shuffle=True)
    assert plain.weights().tobytes() == single.weights().tobytes()


@pytest.mark.parametrize(
    "structure", ["binary", "multiclass", "candidates", "chain", "segments", "tree"]
)
@pytest.mark.parametrize(
    ("learner", "loss"),
    [
        (SGD(batch_size=4, eta0=1.0), "logistic"),
        (AdaGrad(batch_size=4), "logistic"),
        (Pegasos(batch_size=4), "hinge"),
    ],
    ids=lambda made: getattr(made, "name", made),
)
def test_every_structure_learns_in_batches(structure: str, learner: Any, loss: str) -> None:
    cell = Compatibility(structure, loss, learner, "l2", None)
    threads = ({}, {}) if structure == "candidates" else ({"n_jobs": 1}, {"n_jobs": 3})
    one, three = (cells.fit(cell, **jobs) for jobs in threads)
    assert cells.score(one, cell) > cells.BETTER_THAN_CHANCE[structure]
    np.testing.assert_array_equal(cells.weights_of(one, cell), cells.weights_of(three, cell))
    plain = type(learner)(**learner.get_params() | {"batch_size": 1})
    other = cells.fit(Compatibility(structure, loss, plain, "l2", None))
    assert not np.array_equal(cells.weights_of(one, cell), cells.weights_of(other, cell))


@pytest.mark.parametrize("size", [0, -3, 1.5, True, "8", None])
@pytest.mark.parametrize("kind", [SGD, AdaGrad, Pegasos])
def test_no_batch_of_that_size(kind: Any, size: Any) -> None:
    cell = Compatibility("binary", "hinge", kind(batch_size=size), "l2", None)
    with pytest.raises((ValueError, RefusedError), match="batch_size must be 1, 2, …"):
        cells.fit(cell)
