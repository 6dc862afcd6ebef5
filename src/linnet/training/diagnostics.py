"""The numbers the theory speaks of, measured on the training data with the final weights."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._memory import memory
from linnet.model import ChainModel, LinearModel, TaggerModel
from linnet.structures import Chain, Learnt, Problem

Array = NDArray[np.float64]
FEW_TOKENS = 50_000  # of which measuring takes parts of a second; docs/diagnostics.md has figures


def diagnose(data: _core.Dataset, weights: NDArray[Any], threads: int = 1) -> dict[str, Any]:
    """Margins, R, mistake bounds, norms and non-zero weights of a linear model of any structure.

    The functional margin is the largest γ such that every instance's gold output scores γ more than
    every other; divided by ‖w‖ it is geometric. R is the largest ‖f(x, y) − f(x, y′)‖, y being gold:
    ‖x‖ with one weight per feature, √2‖x‖ with a block per label (the constant feature counted), and of
    structures an upper bound of it, see ``cpp/linnet/theory/feature_reach.hpp``. Instances that weigh
    nothing, or of which labels are missing, are not looked at.

    Where the weights separate the data, no perceptron makes more than R²/γ² mistakes on it (Novikoff
    1962), γ being geometric, and Winnow with n weights, well set, no more than 2 ln(2n) ‖w‖₁² X²/γ², γ
    being functional and X the largest entry of any f(x, y) − f(x, y′); both times the ratio of the
    largest to the smallest weight where instances are weighted: a step c_i (f(x, y) − f(x, y′)) takes
    u·w up by c_i γ and ‖w‖² by at most c_i² R².
    """
    flat = np.ascontiguousarray(weights).reshape(-1)
    found = _core.margins(data, flat, threads)
    if found is None:
        return not_measured("interrupted")
    margins, mistakes, costs, R, X, left_out, n = found
    kept, costs = margins[~np.isnan(margins)], costs[costs > 0]
    functional = float(kept.min()) if len(kept) else math.nan
    l1, l2, largest, nonzero = _core.weight_norms(flat)
    finite = 0 < l2 < math.inf  # counting may know log 0
    bounded = functional > 0 and finite
    ratio = float(costs.max() / costs.min()) if len(costs) else 1.0
    facts = {
        "errors": int(mistakes.sum()),
        "R": R,
        "functional_margin": functional,
        "geometric_margin": functional / l2 if finite else 0.0,
        "separates": functional > 0,
        "mistake_bound": ratio * (R * l2 / functional) ** 2 if bounded else None,
        "winnow_bound": ratio * 2 * math.log(2 * n) * (X * l1 / functional) ** 2 if bounded else None,
        "norm_l1": l1,
        "norm_l2": l2,
        "norm_max": largest,
        "nonzero_weights": nonzero,
    }
    return facts | ({"left_out": left_out} if left_out else {})


def not_measured(why: str) -> dict[str, Any]:
    """In place of the numbers."""
    return {"not_measured": why}


def check_wanted(diagnostics: Any) -> None:
    """The setting of estimators of sentences."""
    if diagnostics not in ("auto", True, False):
        raise ValueError(f"diagnostics must be 'auto', True or False, not {diagnostics!r}")


def is_wanted(diagnostics: bool | str, tokens: int) -> bool:
    """'auto' is for few tokens."""
    return tokens <= FEW_TOKENS if diagnostics == "auto" else bool(diagnostics)


def diagnose_learnt(
    diagnostics: bool | str,
    problem: Problem,
    learnt: Learnt,
    tokens: int,
    model: TaggerModel | None = None,
) -> dict[str, Any]:
    """The same of what was learnt from sentences, if it is wanted: 'auto', True or False.

    ``model`` is of tokens: weights of chains may be sparse, or fewer than were learnt. Votes are
    measured by their last weights.
    """
    if not is_wanted(diagnostics, tokens):
        if diagnostics is False:
            return {}
        return not_measured(f"there are {tokens:,} tokens; diagnostics=True measures them")
    structure = problem.structure
    gigabytes = 16 * structure.n_weights / 2**30
    if gigabytes > memory() / 2**31:
        return not_measured(f"the weights would take {gigabytes:.1f} GB as a full block")
    if isinstance(structure, Chain) and isinstance(model, ChainModel):
        sparse = learnt.states is not None or structure.prune > 0
        learnt = Learnt(model.dense(structure)) if sparse else learnt
        structure = replace(structure, all_states=None)  # a block has weights for all pairs
    problem = replace(problem, initial=learnt.weights)
    reduction = structure.reduced(problem)  # tokens apart are instances of their own
    if reduction is not None:
        problem = reduction.problem
    assert problem.initial is not None
    data = problem.structure.measured(problem.weights)
    return diagnose(data, problem.initial, problem.threads)


def moments(
    probabilities: Array,
    X: Any,
    labels: NDArray[np.integer[Any]],
    c: Array,
    model: LinearModel,
    l2: float,
    penalize_intercept: bool = True,
) -> dict[str, Any]:
    """Maximum entropy: how well expected feature counts match the observed ones.

    ``moment_difference`` is the largest |Σ c (observed − expected)|, λ‖w‖ in size at the optimum of
    the penalised likelihood; ``moment_residual`` is the largest |Σ c (observed − expected) − λw|,
    zero at the optimum, λ = 0 for an intercept that is not penalised. ``conditional_entropy`` is the
    mean entropy of P(y|x) in nats, instances weighted as in training.
    """
    observed = np.zeros_like(probabilities)
    observed[np.arange(len(labels)), labels] = 1
    delta = (observed - probabilities) * c[:, None]
    if model.width == 1:
        delta = delta[:, 1:]
    difference = np.vstack([model.bias * delta.sum(axis=0), np.asarray(X.T @ delta)])
    penalty = l2 * model.weights[:, : model.width].astype(np.float64)
    if not penalize_intercept:
        penalty[0] = 0
    entropy = _plogp(probabilities).sum(axis=1)
    return _matched(difference, penalty, float(np.average(entropy, weights=c)))


def moments_of_candidates(
    X: Any,
    offsets: NDArray[np.int64],
    gold: NDArray[np.integer[Any]],
    scores: Array,
    c: Array,
    model: LinearModel,
    l2: float,
) -> dict[str, Any]:
    """The same for lists of candidates, P being a softmax over each."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    e = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), lengths))
    probabilities = e / np.repeat(np.add.reduceat(e, starts), lengths)
    observed = np.zeros_like(probabilities)
    observed[starts + gold] = 1
    difference = np.asarray(X.T @ (np.repeat(c, lengths) * (observed - probabilities)))
    entropy = np.add.reduceat(_plogp(probabilities), starts)
    penalty = l2 * model.weights[1:, 0].astype(np.float64)
    return _matched(difference, penalty, float(np.average(entropy, weights=c)))


def _plogp(p: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.nan_to_num(p * np.log(p))


def _matched(difference: Array, penalty: Array, entropy: float) -> dict[str, Any]:
    return {
        "moment_difference": float(np.abs(difference).max(initial=0.0)),
        "moment_residual": float(np.abs(difference - penalty).max(initial=0.0)),
        "conditional_entropy": entropy,
    }
