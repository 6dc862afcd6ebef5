"""Chains: which learners have weights for seen pairs only, and what the others must hold.

The generic path is a block of weights for every (feature, label) (`Problem.data`). The fast one has
weights for the pairs of feature and label seen in training, in the core's `ChainCRF`, whose
coordinates merge features that always stand together.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import RefusedError
from linnet.learners.base import LabelRows, Learner, Problem, Solver, Weights
from linnet.losses import LOSSES

_LOG_LARGEST = 690.0  # of a double, with room for sums


class SparseSolver(Solver):
    """A solver of the core over the coordinates of a `ChainCRF`, which has a copy of the rows."""

    def __init__(self, crf: _core.ChainCRF, core: Any, problem: Problem) -> None:
        assert problem.chain is not None
        self.crf = crf
        self.core = core
        self.prune = problem.chain.prune
        self.counts_mistakes = isinstance(core, _core.ChainPerceptron)

    def epoch(self) -> _core.EpochStats:
        """One pass, or one iteration."""
        stats: _core.EpochStats = self.core.epoch()
        return stats

    def certify(self) -> _core.EpochStats | None:
        """Objective and gap, of the dual."""
        return self.core.certify() if isinstance(self.core, _core.ChainDual) else None

    def weights(self) -> Weights:
        """Of transitions (labels, labels), and of first and last labels if these have any."""
        if isinstance(self.core, _core.Minimiser):
            u = self.core.weights
            moves, ends = self.crf.transition_weights(u), self.crf.end_weights(u)
            return np.concatenate([np.asarray(moves).reshape(-1), np.asarray(ends).reshape(-1)])
        return np.asarray(self.core.tied_weights)

    def states(self) -> LabelRows:
        """Of the pairs of feature and label."""
        if isinstance(self.core, _core.Minimiser):
            return LabelRows(*self.crf.label_rows(self.core.weights, self.prune))
        return LabelRows(*self.core.label_rows(self.prune))


def why_dense(problem: Problem) -> str | None:
    """What the fast path does not know of this problem; None if it knows all."""
    chain = problem.chain
    assert chain is not None
    if chain.segments is not None:
        return "segments"
    if chain.order != 1:
        return f"a chain of order {chain.order}"
    if chain.pairs is not None:
        return "transitions that see the observation"
    if chain.rules:
        return "forbidden labels in training"
    if chain.costs is not None or chain.token_weights is not None:
        return "costs of mistakes"
    if not problem.cell.penalize_intercept and problem.cell.penalty != "none":
        return "an intercept without a penalty"
    return None


def crf_of(problem: Problem, precise: bool = False) -> _core.ChainCRF:
    """The objective over seen pairs, or over all where the problem says so."""
    chain = problem.chain
    assert chain is not None
    assert problem.offsets is not None
    crf = _core.ChainCRF(
        problem.rows,
        problem.labels,
        problem.offsets,
        problem.n_labels,
        problem.costs,
        l2=problem.l2,
        all_pairs=chain.all_states is True,
        all_transitions=chain.all_transitions,
        ends=chain.ends,
        precise=precise,
        threads=problem.threads,
    )
    if problem.spend_rows and problem.initial is None:
        problem.rows.forget()  # it has a copy
    return crf


def initial_coordinates(crf: _core.ChainCRF, problem: Problem) -> NDArray[np.float64]:
    """The weights to start from, which lie as the core's `ChainData` says, as coordinates."""
    assert problem.initial is not None
    assert problem.chain is not None
    layout, labels = problem.data(), problem.n_labels
    assert isinstance(layout, _core.ChainData)
    w, pairs = problem.initial.astype(np.float64), np.asarray(crf.pairs)
    if w.size != layout.dim:
        raise ValueError(f"there are {w.size} weights to start from, not {layout.dim}")
    moves = w[layout.transitions :][: labels * labels].reshape(labels, labels)
    ends = None
    if problem.chain.ends:
        ends = np.stack([w[begin : begin + labels] for begin in (layout.start, layout.stop)])
    places = pairs[:, 0].astype(np.int64) * layout.stride + pairs[:, 1]
    return np.asarray(crf.coordinates(w[places], np.ascontiguousarray(moves), ends))


def steps_over_seen_pairs(problem: Problem) -> bool:
    """May perceptron and passive-aggressive steps take the fast path? They need every label."""
    return (
        problem.chain is not None
        and problem.cell.loss in ("perceptron", "hinge")
        and why_dense(problem) is None
        and bool((problem.labels >= 0).all())
    )


def seen_pair_steps(problem: Problem, rule: str, C: float) -> SparseSolver:
    """Perceptron or passive-aggressive steps; with loss hinge against the best output with its cost."""
    crf = crf_of(replace(problem, C=1.0))  # weights of sentences count as they are
    core = _core.ChainPerceptron(
        crf,
        rule,
        C,
        average=bool(problem.cell.average),
        shuffle=problem.shuffle,
        seed=problem.seed,
        cost=problem.margin if problem.cell.loss == "hinge" else 0.0,
    )
    if problem.initial is not None:
        core.start_at(initial_coordinates(crf, problem))
    return SparseSolver(crf, core, problem)


def tokens_apart(problem: Problem) -> Problem:
    """A chain of order 0: every token is an instance of its own, those without a label weigh nothing.

    Its weights are the block of tokens of a chain's.
    """
    chain = problem.chain
    assert chain is not None
    assert problem.offsets is not None
    if chain.rules or chain.pairs is not None or chain.costs is not None or chain.all_states is False:
        raise RefusedError(
            "a chain of order 0 is a classifier of tokens: it has no transitions, no table of costs, "
            "weights for all pairs, and is free to choose any label in training; use order=1"
        )
    weights = np.repeat(problem.weights, np.diff(problem.offsets))
    if chain.token_weights is not None:
        weights = weights * chain.token_weights
    rows = (problem.rows.features + 1) * _core.padded(problem.n_labels)
    return replace(
        problem,
        cell=replace(problem.cell, structure="multiclass"),
        labels=np.maximum(problem.labels, 0),
        weights=np.where(problem.labels < 0, 0.0, weights),
        initial=None if problem.initial is None else problem.initial[:rows],
        offsets=None,
        chain=None,
    )


def check(learner: Learner, problem: Problem) -> None:
    """Refuse what the loss or the data do not allow, beyond what the cell says."""
    chain = problem.chain
    if chain is None:
        return
    loss = problem.cell.loss
    if chain.segments is not None and (loss == "joint_likelihood" or learner.name == "voted"):
        raise RefusedError(
            f"{learner.name} does not train segments; use 'lbfgs', 'sgd', 'perceptron', 'frank_wolfe'…"
        )
    if (chain.costs is not None or chain.token_weights is not None) and LOSSES[loss].cost == 0:
        raise RefusedError(
            f"loss {loss!r} has no cost that labels or tokens could weigh; use 'softmax_margin' or "
            f"'hinge', or weights of whole sentences"
        )
    if loss == "exponential" and _longest(problem) * np.log(problem.n_labels) > _LOG_LARGEST:
        raise RefusedError(
            f"loss 'exponential' is labels^n at the start, for a sentence of n tokens: with "
            f"{problem.n_labels} labels and {_longest(problem)} tokens no number is as large; use "
            f"'logistic'"
        )
    if (problem.labels < 0).any() and not learner.partial_labels:
        raise RefusedError(
            f"{learner.name} needs the label of every token: {learner.partial_labels_why}"
        )


def check_dense(learner: Learner, problem: Problem) -> None:
    """Refuse a block of weights for all pairs where it is not wanted, or does not fit into memory."""
    chain = problem.chain
    if chain is None:
        return
    if chain.all_states is False or not chain.all_transitions:
        setting = "all_states=False" if chain.all_states is False else "all_transitions=False"
        raise RefusedError(
            f"{setting} needs weights for seen pairs only, which {learner.name} does not have "
            f"{_for_what(problem)}; use 'lbfgs', 'owlqn' or 'dual' with loss 'logistic', or the "
            f"learners 'perceptron' or 'pa', or leave it out"
        )
    pair_features = -1 if chain.pairs is None else chain.pairs.features
    columns = problem.n_labels if chain.segments is None else 3 * chain.segments.n_types + 1
    need = _weights(problem.rows.features, columns, chain.order, pair_features)
    need *= learner.bytes_per_weight
    if need > memory() / 2:
        raise RefusedError(
            f"{learner.name} would hold {need / 2**30:.1f} GB: it has weights for every pair of the "
            f"{problem.rows.features} features and {problem.n_labels} labels; use a learner with "
            f"weights for seen pairs ('lbfgs', 'owlqn' or 'dual' with loss 'logistic', 'perceptron', "
            f"'pa'), or fewer features (hash_bits)"
        )


def _longest(problem: Problem) -> int:
    assert problem.offsets is not None
    return int(np.diff(problem.offsets).max(initial=0))


def _for_what(problem: Problem) -> str:
    reason = why_dense(problem)
    if reason is not None:
        return f"for {reason}"
    if (problem.labels < 0).any():
        return "for missing labels"
    return f"with loss {problem.cell.loss!r}"


def _weights(features: int, labels: int, order: int, pair_features: int) -> int:
    rows = (features + 1) * _core.padded(labels) + (pair_features + 1) * labels * labels
    return rows + 2 * labels + (labels * labels if order == 1 else labels * labels * (labels + 1))


def memory() -> float:
    """Bytes of this machine; 8 GB where it does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 8.0 * 2**30
