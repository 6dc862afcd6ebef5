"""The scores of one sentence's chain in plain NumPy: what each step adds, and the best way through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.model import ChainModel, LabelWeights
from linnet.structures import ChainRules

Array = NDArray[np.float64]
RowOfWeights = dict[int, float]  # by label; of pairs by a · labels + b
Scored = list[list[tuple[float, RowOfWeights]]]  # for each token values and weights of its features


def weights_of(weights: LabelWeights, row: int) -> RowOfWeights:
    """Row of `LabelWeights` as a dict, unpacked as the core does it."""
    begin, end = weights.starts[row : row + 2].tolist()
    labels, reals = weights.labels[begin:end], weights.weights[begin:end]
    if weights.scales is not None:
        reals = weights.scales[labels] * reals.astype(np.float32)
    return dict(zip(labels.tolist(), reals.tolist(), strict=True))


@dataclass(frozen=True)
class ChainScores:
    """score(y) = Σ_t step_t(y_{t−1}, y_t) + windows, with what is forbidden at −inf.

    With local normalisation step_t(a, b) = log P(b | a, x) = θ_t[b] + T[a, b] − log Σ_b′ exp(…).
    """

    order: int
    local: bool
    states: Array  # (length, labels): θ
    pairs: Array | None  # (length, labels, labels); that of the first token is 0
    transitions: Array | None
    start: Array | None
    stop: Array | None
    windows: tuple[Array, ...]  # of 3 labels, of 4, …, of order + 1
    forbidden: Array  # (length, labels): 0, or −inf
    forbidden_moves: Array  # (labels, labels) or 0

    @classmethod
    def of(
        cls,
        model: ChainModel,
        states: Scored,
        pairs: Scored | None,
        rules: ChainRules,
        begin: int,
        end: int,
    ) -> ChainScores:
        """Of the sentence at tokens [begin, end)."""
        L, length = model.n_labels, end - begin
        allowed = np.ones((length, L), bool)
        if rules.tokens is not None:
            allowed &= rules.tokens[begin:end].astype(bool)
        if length and rules.start is not None:
            allowed[0] &= rules.start.astype(bool)
        if length and rules.stop is not None:
            allowed[-1] &= rules.stop.astype(bool)
        moves = np.ones((L, L), bool) if rules.transitions is None else rules.transitions.astype(bool)
        observed = None
        if pairs is not None and length:
            observed = _summed(pairs, L * L).reshape(length, L, L)
            observed[0] = 0
        chained = model.order > 0
        return cls(
            model.order,
            model.local,
            _summed(states, L),
            observed,
            _double(model.transitions) if chained else None,
            _double(model.start) if chained else None,
            _double(model.stop) if chained else None,
            tuple(window.astype(np.float64) for window in model.windows),
            np.where(allowed, 0.0, -np.inf),
            np.where(moves, 0.0, -np.inf),
        )

    def _raw(self, t: int) -> Array:
        """(labels, labels): a before b at token t, not normalised; all a are alike at the first one."""
        L = self.states.shape[1]
        scores: Array = np.zeros((L, L)) + self.states[t] + self.forbidden[t]
        if t == 0:
            return scores if self.start is None else np.asarray(scores + self.start)
        scores += self.forbidden_moves
        if self.transitions is not None:
            scores += self.transitions
        if self.pairs is not None:
            scores += self.pairs[t]
        return scores

    def normaliser(self, t: int) -> Array:
        """(labels,): log Σ_b exp(score of a before b)."""
        return np.asarray(np.logaddexp.reduce(self._raw(t), axis=1))

    def step(self, t: int) -> Array:
        """(labels, labels): what token t adds with b, after a."""
        scores = self._raw(t)
        if self.local:
            sums = self.normaliser(t)[:, None]
            scores = np.where(sums > -np.inf, scores - np.where(sums > -np.inf, sums, 0), -np.inf)
        return scores

    def best_through(self) -> Array:
        """(length, labels): the score of the best sequence that has the label at the token.

        A state at token t is the labels up to it, at most as many as the order, each an axis.
        """
        length, L = self.states.shape
        if length == 0:
            return np.zeros((0, L))
        before = [self.step(0)[0]]
        for t in range(1, length):
            longer = before[-1][..., None] + self._ending(t)
            before.append(longer if longer.ndim <= max(self.order, 1) else longer.max(axis=0))
        after = [np.zeros_like(before[-1]) + (0 if self.stop is None else self.stop)]
        for t in range(length - 1, 0, -1):
            after.append((self._ending(t) + after[-1]).max(axis=-1))
        both = [b + a for b, a in zip(before, after[::-1], strict=True)]
        return np.stack([table.max(axis=tuple(range(table.ndim - 1))) for table in both])

    def _ending(self, t: int) -> Array:
        """What token t adds, by the labels of the state before it and its own."""
        scores, states = self.step(t), min(t, max(self.order, 1))
        for window in self.windows[: states - 1]:
            scores = scores + window  # the last axes are those of shorter windows
        return scores


def _summed(tokens: Scored, width: int) -> Array:
    scores = np.zeros((len(tokens), width))
    for t, features in enumerate(tokens):
        for value, row in features:
            for label, weight in row.items():
                scores[t, label] += value * weight
    return scores


def _double(scores: Any) -> Array | None:
    return None if scores is None else np.asarray(scores, np.float64)
