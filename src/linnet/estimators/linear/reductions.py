"""Several labels by problems of two: all pairs, error-correcting codes, Kesler's construction.

A code says what each binary classifier is asked of each label: yes (1), no (−1) or nothing (0). One
against the rest is the code of a unit matrix, all pairs that of one yes and one no in each column.
Summed margins, score(y) = Σ_b code[y, b] · w_b·x, are linear again: W_y = Σ_b code[y, b] w_b. That is
loss-based decoding (Allwein, Schapire and Singer 2000) by the loss −m. Votes are not linear, and keep
all classifiers.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import CsrRows, RowsElsewhere, as_rows
from linnet.errors import RefusedError
from linnet.estimators.grid_settings import REDUCTIONS
from linnet.learners.base import Learner
from linnet.learners.checks import check_room, fewer
from linnet.model import LinearModel
from linnet.model.codes import CodeVotes
from linnet.structures import Binary, Problem
from linnet.training import Stopping, TrainingRecord, train

EXHAUSTIVE = 7  # up to so many labels all columns are taken, 63 of them
TRIED = 200  # random codes to choose from
BYTES = 8 + 4 + 12  # of an entry that was blown up: value, place, and room to sort

Codes = NDArray[np.int8]  # (labels, classifiers)


class Reduced(NamedTuple):
    """What came of problems of two labels."""

    model: LinearModel
    record: TrainingRecord


def pair_code(labels: int) -> Codes:
    """A column for each pair: the second label is yes, the first no."""
    pairs = list(combinations(range(labels), 2))
    codes = np.zeros((labels, len(pairs)), dtype=np.int8)
    for b, (no, yes) in enumerate(pairs):
        codes[no, b], codes[yes, b] = -1, 1
    return codes


def output_code(labels: int, seed: int) -> Codes:
    """Dietterich and Bakiri (1995): all ways to divide few labels in two; of many, random ones.

    Of random codes with 10·log₂ K columns (Allwein et al. 2000) the one is taken whose rows lie
    farthest apart: with a distance of d, (d − 1) / 2 classifiers may err.
    """
    if labels <= EXHAUSTIVE:
        ways = np.arange(1, 2 ** (labels - 1))  # the first label is always no
        bits = (ways[None, :] >> np.arange(labels)[::-1, None]) & 1
        return (2 * bits - 1).astype(np.int8)
    rng = np.random.default_rng(seed)
    size = int(np.ceil(10 * np.log2(labels)))
    best, farthest = None, -1
    for _ in range(TRIED):
        codes = rng.integers(2, size=(labels, size), dtype=np.int8) * 2 - 1
        asks = np.abs(codes.sum(axis=0)) < labels  # of every column: both answers
        if not asks.all():
            continue
        distance = smallest_distance(codes)
        if distance > farthest:
            best, farthest = codes.astype(np.int8), distance
    assert best is not None  # a column of one answer has a chance of 2^(1 − labels)
    return best


def smallest_distance(codes: Codes) -> int:
    """The Hamming distance of the two rows that are nearest to each other."""
    wide = codes.astype(np.int64)
    same = wide @ wide.T
    np.fill_diagonal(same, -codes.shape[1])
    return int((codes.shape[1] - same.max()) // 2)


def train_reduced(
    estimator: Any, learner: Learner, X: Any, labels: NDArray[np.int32], weights: NDArray[np.float64]
) -> Reduced:
    """Train a classifier of rows by the reduction that its setting names."""
    _check(estimator, learner, X)
    stopping = Stopping(estimator._limit(learner))
    if estimator.multiclass == "kesler":
        return _kesler(estimator, learner, X, labels, weights, stopping)
    n = len(estimator.classes_)
    pairs = estimator.multiclass in ("pairs", "pairs_votes")
    codes = pair_code(n) if pairs else output_code(n, estimator._seed())
    stride = _core.padded(codes.shape[1])
    check_room(8.0 * (X.shape[1] + 1) * stride, learner.name, f"{codes.shape[1]} classifiers", fewer())
    block = np.zeros((X.shape[1] + 1, stride))
    record = TrainingRecord(estimator.loss, learner.name, estimator.penalty, "multiclass", 0.0, 0.0)
    reasons = set()
    for b, column in enumerate(codes.T):
        asked = np.flatnonzero(column[labels])
        rows = as_rows(X[asked], estimator._bias)
        structure = Binary(rows, (column[labels[asked]] > 0).astype(np.int32))
        problem = estimator._problem_of(structure, weights[asked], learner)
        trained = train(learner, problem, stopping, estimator.verbose)
        block[:, b] = trained.learnt.weights.ravel()
        record.C, record.alpha = trained.record.C, trained.record.alpha
        record.mistakes += trained.record.mistakes
        record.epochs.extend(replace(epoch, label=b) for epoch in trained.record.epochs)
        reasons.add(trained.record.stopped)
        if trained.record.stopped == "interrupted":
            break
    record.stopped = next(r for r in ("interrupted", "limit", "converged") if r in reasons)
    record.facts = {
        "reduction": estimator.multiclass,
        "classifiers": codes.shape[1],
        "distance": smallest_distance(codes),
    }
    summed = np.zeros((len(block), _core.padded(n)))
    summed[:, :n] = block[:, : codes.shape[1]] @ codes.T
    votes = CodeVotes(codes, block) if REDUCTIONS[estimator.multiclass] else None
    return Reduced(LinearModel(summed, n, estimator._bias, votes), record)


def _check(estimator: Any, learner: Learner, X: Any) -> None:
    """What a reduction does not go with."""
    name = f"multiclass={estimator.multiclass!r}"
    if isinstance(X, RowsElsewhere):
        raise RefusedError(f"{name} looks at rows that workers have made; use 'joint' or 'rest'")
    given = {
        "warm_start": estimator.warm_start,
        "progressive": estimator.progressive,
        "average='voted'": estimator.average == "voted",
    }
    for setting, said in given.items():
        if said:
            raise RefusedError(
                f"{name} trains several problems of two labels, and {setting} is of one; leave it "
                f"out, or use multiclass='joint'"
            )
    if learner.name == "voted":
        raise RefusedError(f"{name} sums weights, and voted has none; use 'perceptron', or 'joint'")
    if learner.family == "counting":
        raise RefusedError(
            f"{name} is of classifiers that separate two labels, and {learner.name} describes all; "
            f"use multiclass='joint'"
        )
    if learner.needs_dev:
        raise RefusedError(f"{name} has no scores for held-out data in a pass; use another step")


def _kesler(
    estimator: Any,
    learner: Learner,
    X: Any,
    labels: NDArray[np.int32],
    weights: NDArray[np.float64],
    stopping: Stopping,
) -> Reduced:
    """Constraint classification (Har-Peled, Roth and Zimak 2002): one vector for all labels."""
    n = len(estimator.classes_)
    if not estimator.penalize_intercept and estimator.penalty != "none":
        raise RefusedError(
            "multiclass='kesler' has an intercept among the features of each label; leave out "
            "penalize_intercept, or use multiclass='joint'"
        )
    rows = kesler(X, labels, n, estimator._bias)
    each = np.repeat(weights, n - 1)
    structure = Binary(as_rows(rows, 0.0), np.ones(len(each), dtype=np.int32))
    problem: Problem = estimator._problem_of(structure, each, learner)
    trained = train(learner, problem, stopping, estimator.verbose)
    block = np.zeros((X.shape[1] + 1, _core.padded(n)))
    flat = np.asarray(trained.learnt.weights, dtype=np.float64)[1:]  # the first is of no feature
    block[:, :n] = flat.reshape(X.shape[1] + 1, n)
    record = replace(trained.record, structure="multiclass")
    record.facts = record.facts | {"reduction": "kesler", "constraints": len(each)}
    if "survivor" in record.facts:  # a promise about examples that are drawn one by one
        record.facts["survivor"] = record.facts["survivor"] | {"epsilon": None}
    return Reduced(LinearModel(block, n, estimator._bias), record)


def kesler(X: Any, labels: NDArray[np.int32], n: int, bias: float) -> Any:
    """f(x, y) − f(x, y′) for each wrong label y′, as rows that are all to score above 0.

    Feature j of label y is number j·n + y; feature 0 is the constant one.
    """
    from scipy.sparse import csr_matrix, hstack

    X = X.scipy() if isinstance(X, CsrRows) else csr_matrix(X)
    count = X.shape[0]
    entries = 2.0 * (X.nnz + count) * (n - 1)
    check_room(BYTES * entries, "kesler", f"{entries:.0f} entries of all constraints", fewer())
    X = hstack([np.full((count, 1), bias), X], format="csr")
    X = X[np.repeat(np.arange(count), n - 1)]
    gold = np.repeat(labels, n - 1)
    wrong = np.tile(np.arange(n - 1), count)
    wrong += wrong >= gold

    def blown(label: Any) -> Any:
        places = X.indices.astype(np.int64) * n + np.repeat(label, np.diff(X.indptr))
        return csr_matrix((X.data, places, X.indptr), shape=(X.shape[0], X.shape[1] * n))

    return (blown(gold) - blown(wrong)).tocsr()
