"""Chains that are classifiers of tokens: of order 0, and locally normalised ones.

P(y | x) = Π_t P(y_t | x, y_{t−1}), and each factor is multinomial logistic regression: a maximum
entropy Markov model. Where all labels are known the one before is a feature like others, so any
learner of flat problems trains it; the weights of these features then are transitions. A chain of
order 0 is the same without the label before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import RefusedError
from linnet.structures.flat import Multiclass
from linnet.structures.problem import Learnt, Problem, Reduction, Weights

if TYPE_CHECKING:
    from linnet.structures.chain import Chain


def tokens_apart(problem: Problem, chain: Chain) -> Reduction:
    """Of order 0 every token is an instance of its own, those without a label weigh nothing.

    Its weights are the block of tokens of a chain's. What labels cost, and what tokens weigh, is what
    instances of a classifier cost and weigh.
    """
    for setting, said in (
        ("constrain_training", bool(chain.rules)),
        ("templates of transitions", chain.pairs is not None),
        ("ends", chain.ends),
        ("all_transitions=False", not chain.all_transitions),
    ):
        if said:
            raise RefusedError(
                f"a chain of order 0 is a classifier of tokens: it has no transitions, and is free to "
                f"choose any label in training; leave out {setting}, or use order=1"
            )
    if chain.all_states is False or (chain.all_states and problem.penalty == "none"):
        return _sentences_of_one(problem, chain)
    labels = np.maximum(chain.labels, 0)
    flat = Multiclass(chain.rows, labels, chain.n_labels, chain.costs)
    return Reduction(
        replace(problem, structure=flat, weights=_token_weights(problem, chain), spend_rows=False),
        _only_weights,
    )


def _sentences_of_one(problem: Problem, chain: Chain) -> Reduction:
    """The same as chains of one token, without transitions, perhaps with weights for seen pairs alone.

    With all pairs their steps merge features that always stand together, as many rare ones do. Tokens
    without a label pass for ones of the first, and weigh nothing.
    """
    ones = replace(
        chain,
        offsets=np.arange(len(chain.labels) + 1),
        labels=np.maximum(chain.labels, 0),
        order=1,
        all_transitions=False,
        token_weights=None,
    )
    initial = None
    if problem.initial is not None:
        initial = np.zeros(ones.layout.dim, problem.initial.dtype)
        block = problem.initial.reshape(chain.rows.features + 1, -1)
        ones.layout.parts(initial)["tokens"][:] = block[:, : chain.n_labels]
    weights = _token_weights(problem, chain)
    return Reduction(replace(problem, structure=ones, weights=weights, initial=initial), _only_weights)


def local_problem(problem: Problem, chain: Chain) -> Reduction:
    """A row per token, which sees the true label before it.

    What the chain's rules forbid is forbidden in decoding alone.
    """
    if problem.loss != "logistic":
        raise RefusedError(
            f"local normalisation makes probabilities of a label given the one before; train it "
            f"with loss 'logistic', not {problem.loss!r}"
        )
    if chain.order != 1:
        raise RefusedError("local models see one label back: use order=1")
    if chain.partial:
        raise RefusedError(
            "a local model takes the label before a token as a feature, so none may be missing; a "
            "CRF (normalisation='global') sums missing ones out"
        )
    indptr, indices, values, features = _core.previous_label_rows(
        chain.rows, chain.offsets, chain.labels, chain.n_labels, chain.ends, chain.pairs
    )
    rows = _core.Rows.csr(indptr, indices, values, features, chain.rows.bias)
    flat = Multiclass(rows, chain.labels, chain.n_labels)
    initial = None
    if problem.initial is not None:
        initial = np.zeros(flat.layout.dim, problem.initial.dtype)
        for source, target in _same_weights(chain, problem.initial, flat, initial):
            target[:] = source

    def back(learnt: Learnt) -> Learnt:
        weights = np.zeros(chain.layout.dim, learnt.weights.dtype)
        found = _only_weights(learnt).weights
        for target, source in _same_weights(chain, weights, flat, found):
            target[:] = source
        return Learnt(weights)

    weights = _token_weights(problem, chain)
    return Reduction(
        replace(problem, structure=flat, weights=weights, initial=initial, spend_rows=False), back
    )


def _only_weights(learnt: Learnt) -> Learnt:
    if learnt.votes is not None:
        raise RefusedError(
            "voted is for whole sequences, which tokens by themselves do not score; use order=1, or "
            "learner 'perceptron'"
        )
    return learnt


def _token_weights(problem: Problem, chain: Chain) -> NDArray[np.float64]:
    """Each token weighs as much as its sentence; without a label nothing."""
    weights: NDArray[np.float64] = np.repeat(problem.weights, np.diff(chain.offsets))
    if chain.token_weights is not None:
        weights = weights * chain.token_weights
    return np.where(chain.labels < 0, 0.0, weights)


def _same_weights(
    chain: Chain, of_chain: Weights, flat: Multiclass, of_flat: Weights
) -> list[tuple[Weights, Weights]]:
    """Views of the same weights in both layouts; last labels of a chain have none in the flat one."""
    part, rows = chain.layout.parts(of_chain), flat.layout.blocks[0].of(of_flat)
    L, F = chain.n_labels, chain.rows.features
    tokens, before, rest = rows[: F + 1], rows[F + 1 : F + 1 + L], rows[F + 1 + L :]
    found = [(part["tokens"], tokens), (part["transitions"], before)]
    if chain.ends:
        found.append((part["start"], rest[0]))
        rest = rest[1:]
    if chain.pairs is not None:
        observed = part["pairs"]  # (features of pairs + 1, labels, labels)
        seen = len(observed)
        found += [(observed[:, a], rest[a * seen : (a + 1) * seen]) for a in range(L)]
    return found
