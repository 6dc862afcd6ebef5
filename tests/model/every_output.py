"""Small taggers, and every output of theirs with its score by the definition."""

from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp

from linnet.model import ChainModel, ChainRules, LabelWeights

# name, settings of `tagger`
KINDS: dict[str, dict[str, Any]] = {
    "order 0": {"order": 0},
    "order 1": {},
    "ends": {"ends": True},
    "order 2": {"order": 2},
    "order 2, ends": {"order": 2, "ends": True},
    "order 3": {"order": 3},
    "order 3, ends": {"order": 3, "ends": True},
    "order 4": {"order": 4, "ends": True},
    "observed": {"observed": True},
    "observed, ends": {"observed": True, "ends": True},
    "local": {"local": True},
    "local, start": {"local": True, "ends": True},
    "local, observed": {"local": True, "observed": True, "ends": True},
}


@dataclass
class Tagged:
    """A model, the sentences it is asked about, and how."""

    model: ChainModel
    X: sp.csr_matrix
    offsets: np.ndarray
    pairs: sp.csr_matrix | None
    rules: ChainRules | None

    @property
    def args(self) -> tuple[Any, ...]:
        return self.X, self.offsets

    @property
    def more(self) -> dict[str, Any]:
        return {"pairs": self.pairs, "rules": self.rules}

    def outputs(self, i: int) -> tuple[list[tuple[int, ...]], np.ndarray]:
        """Every sequence of labels that is allowed, and its score."""
        m, (begin, end) = self.model, self.offsets[i : i + 2]
        L, T, rules = m.n_labels, end - begin, self.rules or ChainRules()
        theta = self.X[begin:end] @ m.states.dense(L)[1:].astype(float) + m.bias * m.states.dense(L)[0]
        moves = np.zeros((T, L, L))
        if m.order > 0:
            moves += m.transitions
        if m.pairs is not None:
            block = m.pairs.dense(L * L).astype(float)
            moves += (self.pairs[begin:end] @ block[1:] + m.pair_bias * block[0]).reshape(T, L, L)
        first = np.zeros(L) if m.start is None else m.start.astype(float)
        if rules.tokens is not None:
            theta[np.asarray(rules.tokens)[begin:end] == 0] = -np.inf
        if rules.start is not None:
            theta[0, rules.start == 0] = -np.inf
        if rules.stop is not None:
            theta[-1, rules.stop == 0] = -np.inf
        if rules.transitions is not None:
            moves[:, rules.transitions == 0] = -np.inf
        first = first + theta[0]
        moves = moves + theta[:, None, :]
        if m.local:
            first = first - logsumexp(first)
            with np.errstate(invalid="ignore"):
                moves = moves - logsumexp(moves, axis=2, keepdims=True)
            moves[np.isnan(moves)] = -np.inf  # nothing may follow
        kept, scores = [], []
        for y in product(range(L), repeat=int(T)):
            score = first[y[0]] + sum(moves[t + 1][a, b] for t, (a, b) in enumerate(pairwise(y)))
            if m.stop is not None:
                score += float(m.stop[y[-1]])
            for size, table in enumerate(m.windows, 3):
                score += sum(float(table[y[t : t + size]]) for t in range(T - size + 1))
            if score > -np.inf:
                kept.append(y)
                scores.append(score)
        return kept, np.array(scores)


def label_weights(rng: np.random.Generator, features: int, width: int, scale: float) -> LabelWeights:
    block = rng.normal(scale=scale, size=(features + 1, width)).astype(np.float32)
    block[rng.random(block.shape) < 0.4] = 0
    return LabelWeights.of_dense(block)


def tagger(
    seed: int = 0,
    *,
    labels: int = 3,
    features: int = 6,
    lengths: tuple[int, ...] = (3, 1, 0, 2, 4, 5),
    order: int = 1,
    ends: bool = False,
    local: bool = False,
    observed: bool = False,
    masked: bool = False,
    scale: float = 1.0,
) -> Tagged:
    rng = np.random.default_rng(seed)
    L, n = labels, sum(lengths)

    def reals(*shape: int) -> np.ndarray:
        return rng.normal(scale=scale, size=shape).astype(np.float32)

    def sparse(columns: int) -> sp.csr_matrix:
        return sp.random(n, columns, 0.5, "csr", rng=rng, dtype=np.float64).astype(np.float32)

    model = ChainModel(
        L,
        label_weights(rng, features, L, scale),
        bias=0.5,
        order=order,
        local=local,
        transitions=None if order == 0 else reals(L, L),
        start=reals(L) if ends else None,
        stop=reals(L) if ends and not local else None,
        windows=tuple(reals(*(L,) * size) for size in range(3, order + 2)),
        pairs=label_weights(rng, 4, L * L, scale) if observed else None,
    )
    rules = None
    if masked:
        transitions = np.ones((L, L), np.uint8)
        transitions[0, 1] = 0
        tokens = (rng.random((n, L)) < 0.8).astype(np.uint8)
        tokens[:, 2] = 1
        start = np.ones(L, np.uint8)
        start[0] = 0
        stop = np.ones(L, np.uint8)
        stop[1] = 0
        rules = ChainRules(transitions, start, stop, tokens)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    return Tagged(model, sparse(features), offsets, sparse(4) if observed else None, rules)
