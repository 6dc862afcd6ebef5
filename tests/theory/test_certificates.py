"""Gaps are certificates: dual ≤ optimum ≤ objective, and the objective is that of the weights returned.

The optimum is found in double precision by Newton's method (certificates.py), over thousands of small
problems: values of 1e-3 to 1e3, C of 1e-4 to 1e6, two to seven labels, instances with and without
weight. Rounding is allowed for in units of 1e-12 of all that is added up.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pytest

import linnet._core as _core
from linnet import LinearClassifier
from linnet.training import Epoch

from ..data.chains import problem as sentences_of
from ..learners.test_frank_wolfe import constraints
from .certificates import Array, Objectives

ROUNDING = 1e-12
NEWTON = 1e-10  # how exact, relative to the optimum, Newton's method is taken to be
PROBLEMS = 100  # of each cell


def check(problems: Objectives, w: Array, epochs: list[list[Epoch]]) -> None:
    """``w`` are the weights returned, and ``epochs`` those of the records."""
    best, values, size = problems.optima(), problems.values(w), problems.magnitudes(w)
    for b, record in enumerate(epochs):
        allowed = ROUNDING * size[b]
        last = record[-1]
        assert last.objective == pytest.approx(values[b], rel=ROUNDING, abs=allowed)
        assert last.gap == pytest.approx(last.objective - last.dual, abs=allowed)
        for epoch in record:
            if epoch.gap is not None:
                assert epoch.gap >= -ROUNDING * max(epoch.objective, size[b])
            if epoch.dual is not None:
                assert epoch.dual <= best[b] * (1 + NEWTON) + allowed


@dataclass(frozen=True)
class Cell:
    """A learner that reports a gap, and what kind of problems it is shown."""

    loss: str
    learner: str
    labels: int = 2
    penalty: str = "l2"
    intercept: bool = True
    penalize: bool = True
    sparse: bool = False
    alike: bool = False  # rows that have much in common
    shape: tuple[int, int] = (8, 3)

    def __str__(self) -> str:
        told = {"no intercept": not self.intercept, "free intercept": not self.penalize}
        told |= {"sparse": self.sparse, "alike": self.alike, "wide": self.shape[1] > self.shape[0]}
        words = [self.learner, self.loss, self.penalty, str(self.labels)]
        return "-".join(words + [name for name, holds in told.items() if holds])


DUAL = (("hinge", 2), ("squared_hinge", 2), ("logistic", 2), ("hinge", 3), ("logistic", 3))
CELLS = [
    *(Cell(loss, "dual", K) for loss, K in (*DUAL, ("hinge", 7), ("logistic", 7))),
    *(Cell(loss, "dual", K, intercept=False, sparse=True, shape=(9, 8)) for loss, K in DUAL),
    *(Cell(loss, "dual", K, alike=True) for loss, K in DUAL),
    *(Cell(loss, "dual", K, shape=(6, 12)) for loss, K in (*DUAL, ("logistic", 5))),
    *(Cell(loss, "dual", K, penalize=False) for loss, K in DUAL if loss != "logistic"),
    *(Cell("hinge", "frank_wolfe", K) for K in (2, 4)),
    *(
        Cell(loss, "coordinate", penalty=penalty, sparse=penalty == "l1")
        for loss in ("logistic", "squared_hinge", "squared")
        for penalty in ("l1", "elasticnet")
    ),
    Cell("logistic", "coordinate", penalty="l1", penalize=False),
]


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_the_optimum_lies_between_the_dual_and_the_objective(cell: Cell) -> None:
    rng = np.random.default_rng(sum(map(ord, str(cell))))
    (n, d), K = cell.shape, cell.labels
    blocks = 1 if K == 2 else K
    width = d + cell.intercept
    A = np.zeros((PROBLEMS, n, max(1, K - 1), blocks * width))
    c, penalty = np.zeros((PROBLEMS, n)), np.ones((PROBLEMS, blocks, width))
    penalty[:, :, 0] = cell.penalize or not cell.intercept
    penalty = penalty.reshape(PROBLEMS, -1)
    found, records = [], []
    for b in range(PROBLEMS):
        X = (rng.normal(size=(n, d)) + 3 * cell.alike) * 10.0 ** rng.integers(-3, 4)
        X = np.where(rng.random((n, d)) < (0.4 if cell.sparse else 1), X, 0).astype(np.float32)
        y = rng.permutation(np.concatenate([np.arange(K), rng.integers(0, K, n - K)]))
        weight, C = rng.uniform(0.1, 3, n) * (rng.random(n) < 0.9), 10.0 ** rng.uniform(-4, 6)
        weight[:K] += 0.1
        model = LinearClassifier(
            cell.loss,
            cell.learner,
            cell.penalty,
            C=C,
            fit_intercept=cell.intercept,
            penalize_intercept=cell.penalize,
            tol=10.0 ** rng.integers(-6, 0),
            max_iter=int(rng.choice([2, 20, 300])),
            diagnostics=False,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what has not converged has a gap, too
            model.fit(X.astype(float), y, sample_weight=weight)
        columns = [np.asarray(model.intercept_, float)[:, None]] if cell.intercept else []
        found.append(np.hstack([*columns, np.asarray(model.coef_, float)]).ravel())
        records.append(model.record_.epochs)
        Z = np.hstack([np.ones((n, 1)), X]) if cell.intercept else X.astype(float)
        A[b], c[b] = differences(Z, y, K), C * weight
    share = {"l2": 0.0, "l1": 1.0, "elasticnet": 0.5}[cell.penalty]
    cost = np.full(A.shape[:3], float(cell.loss != "logistic"))
    problems = Objectives(cell.loss, A, cost, c, share * penalty, (1 - share) * penalty)
    check(problems, np.array(found), records)


def differences(Z: Array, y: np.ndarray, K: int) -> Array:
    """f(wrong label) − f(right label) for all wrong labels, over a block of weights for each label."""
    if K == 2:
        return (np.where(y == 1, -1, 1)[:, None] * Z)[:, None, :]
    A = np.zeros((len(Z), K - 1, K, Z.shape[1]))
    for i, z in enumerate(Z):
        for j, k in enumerate(np.flatnonzero(np.arange(K) != y[i])):
            A[i, j, k], A[i, j, y[i]] = z, -z
    return A.reshape(len(Z), K - 1, -1)


def listed(blocks: Iterable[tuple[float, Array, Array]], l2: float, loss: str) -> Objectives:
    """One problem, of (weight, features of outputs less those of the right one, costs)."""
    blocks = list(blocks)
    most = max(len(costs) for _, _, costs in blocks)
    A = np.zeros((1, len(blocks), most, blocks[0][1].shape[1]))
    cost = np.full(A.shape[:3], -np.inf if loss == "hinge" else -1e9)  # an output that is not there
    for i, (_, features, costs) in enumerate(blocks):
        A[0, i, : len(costs)], cost[0, i, : len(costs)] = features, costs
    c = np.array([[weight for weight, _, _ in blocks]])
    none = np.zeros((1, A.shape[3]))
    return Objectives(loss, A, np.maximum(cost, -1e9), c, none, none + l2)


@pytest.mark.parametrize("l2", [1e-4, 1e-2, 1.0, 100.0])
def test_structural_margins(l2: float) -> None:
    sentences = sentences_of(3, sentences=4, longest=3, features=4)
    problems = listed(constraints(sentences), l2, "hinge")
    solver = _core.FrankWolfe(sentences.data, tol=1e-9, l2=l2)
    rows = []
    for number in range(1, 60):
        stats = solver.epoch()
        rows.append(Epoch(number, dual=stats.dual))
    final = solver.certify()
    rows.append(Epoch(60, final.objective, final.dual, final.gap))
    check(problems, np.array(solver.weights)[None], [rows])


LABELS, LENGTHS = 3, (3, 1, 4, 2)


@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-6])
@pytest.mark.parametrize("C", [1e-2, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("scale", [1e-2, 1.0, 100.0])
def test_chains_in_the_dual(scale: float, C: float, tol: float) -> None:
    rng = np.random.default_rng(7)
    offsets = np.concatenate([[0], np.cumsum(LENGTHS)]).astype(np.int64)
    X = (rng.normal(size=(offsets[-1], 4)) * scale).astype(np.float32)
    y = rng.integers(0, LABELS, offsets[-1]).astype(np.int32)
    weights = C * rng.uniform(0.5, 2, len(LENGTHS))
    rows = _core.Rows.dense(X, 1.0)
    everything = {"all_pairs": True, "all_transitions": True, "ends": True}
    crf = _core.ChainCRF(rows, y, offsets, LABELS, weights, l2=1.0, **everything)
    Z = np.hstack([np.ones((len(X), 1)), X])

    def features(i: int, labels: tuple[int, ...]) -> Array:
        tokens, moves = np.zeros((Z.shape[1], LABELS)), np.zeros((LABELS, LABELS))
        for t, label in enumerate(labels):
            tokens[:, label] += Z[offsets[i] + t]
        for pair in itertools.pairwise(labels):
            moves[pair] += 1
        ends = np.eye(LABELS)[[labels[0], labels[-1]]]
        return np.concatenate([tokens.ravel(), moves.ravel(), ends.ravel()])

    def outputs(i: int) -> tuple[float, Array, Array]:
        gold = tuple(y[offsets[i] : offsets[i + 1]])
        wrong = [s for s in itertools.product(range(LABELS), repeat=LENGTHS[i]) if s != gold]
        apart = np.stack([features(i, s) for s in wrong]) - features(i, gold)
        return weights[i], apart, np.zeros(len(wrong))

    solver = _core.ChainDual(crf, tol, 0)
    epochs = []
    for number in range(1, 100):
        stats = solver.epoch()
        told = [None if np.isnan(x) else x for x in (stats.objective, stats.dual, stats.gap)]
        epochs.append(Epoch(number, *told))
        if stats.converged:
            break
    final = solver.certify()
    epochs.append(Epoch(number + 1, final.objective, final.dual, final.gap))
    u = np.asarray(solver.weights)
    pairs, tokens = np.asarray(crf.pairs), np.zeros((Z.shape[1], LABELS))
    tokens[pairs[:, 0], pairs[:, 1]] = crf.pair_weights(u)
    w = np.concatenate(
        [tokens.ravel(), np.ravel(crf.transition_weights(u)), np.ravel(crf.end_weights(u))]
    )
    problems = listed([outputs(i) for i in range(len(LENGTHS))], 1.0, "logistic")
    check(problems, w[None], [epochs])
