"""Chains by local classifiers: maximum entropy Markov models.

P(y | x) = Π_t P(y_t | x, y_{t−1}), and each factor is multinomial logistic regression. Where all
labels are known the one before is a feature like others, so any learner of flat problems trains it;
the weights of these features then are transitions.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import RefusedError
from linnet.learners.base import Learnt, Problem, Weights


def local_problem(problem: Problem) -> Problem:
    """The flat problem of a chain of order 1: a row per token, which sees the true label before it.

    Train any learner on it; `chain_of_local` says what it learnt means for the chain, whose scores
    are to be normalised locally. What the chain's rules forbid is forbidden in decoding alone.
    """
    shape, offsets = problem.chain, problem.offsets
    assert shape is not None
    assert offsets is not None
    if problem.cell.loss != "logistic":
        raise RefusedError(
            f"local normalisation makes probabilities of a label given the one before; train it "
            f"with loss 'logistic', not {problem.cell.loss!r}"
        )
    if shape.order != 1:
        raise RefusedError("local models see one label back: use order=1")
    if (problem.labels < 0).any():
        raise RefusedError(
            "a local model takes the label before a token as a feature, so none may be missing; a "
            "CRF (normalisation='global') sums missing ones out"
        )
    indptr, indices, values, features = _core.previous_label_rows(
        problem.rows, offsets, problem.labels, problem.n_labels, shape.ends, shape.pairs
    )
    weights: NDArray[np.float64] = np.repeat(problem.weights, np.diff(offsets))
    if shape.token_weights is not None:
        weights = weights * shape.token_weights
    initial = None
    if problem.initial is not None:
        initial = np.zeros((features + 1) * _core.padded(problem.n_labels), problem.initial.dtype)
        for source, target in _same_weights(problem, problem.initial, initial):
            target[:] = source
    return replace(
        problem,
        rows=_core.Rows.csr(indptr, indices, values, features, problem.rows.bias),
        cell=replace(problem.cell, structure="multiclass"),
        weights=weights,
        initial=initial,
        offsets=None,
        chain=None,
    )


def token_problem(problem: Problem) -> Problem:
    """The flat problem of a chain of order 0: each token by itself, and one without a label is none."""
    offsets = problem.offsets
    assert offsets is not None
    known = problem.labels >= 0
    return replace(
        problem,
        labels=np.where(known, problem.labels, 0).astype(np.int32),
        cell=replace(problem.cell, structure="multiclass"),
        weights=np.repeat(problem.weights, np.diff(offsets)) * known,
        offsets=None,
        chain=None,
    )


def chain_of_local(learnt: Learnt, problem: Problem) -> Learnt:
    """What was learnt of `local_problem`, as weights of the chain ``problem``."""
    if learnt.scorer is not None:
        raise RefusedError("a chain needs weights; learners that keep several of them have none")
    weights = np.zeros(problem.data().dim, learnt.weights.dtype)
    for target, source in _same_weights(problem, weights, learnt.weights):
        target[:] = source
    return Learnt(weights)


def _same_weights(problem: Problem, chain: Weights, flat: Weights) -> list[tuple[Weights, Weights]]:
    """Views of the same weights in both layouts; last labels of a chain have none in the flat one."""
    data, shape = problem.data(), problem.chain
    assert isinstance(data, _core.ChainData)
    assert shape is not None
    L, F, stride = problem.n_labels, problem.rows.features, _core.padded(problem.n_labels)
    rows = flat.reshape(-1, stride)
    tokens, before, rest = rows[: F + 1], rows[F + 1 : F + 1 + L, :L], rows[F + 1 + L :, :L]
    blocks = [
        (chain[: (F + 1) * stride].reshape(-1, stride), tokens),
        (chain[data.transitions :][: L * L].reshape(L, L), before),
    ]
    if shape.ends:
        blocks.append((chain[data.start :][:L], rest[0]))
        rest = rest[1:]
    if shape.pairs is not None:
        seen = shape.pairs.features + 1
        observed = chain[data.pairs :].reshape(seen, -1)[:, : L * L]
        for a in range(L):
            blocks.append((observed[:, a * L : (a + 1) * L], rest[a * seen : (a + 1) * seen]))
    return blocks
