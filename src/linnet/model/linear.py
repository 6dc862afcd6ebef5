"""A linear model: a block of weights over features and labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import as_rows
from linnet.features import PackedWeights, SparseWeights
from linnet.model.codes import CodeVotes
from linnet.model.votes import VoteShares
from linnet.structures import Learnt, Weights

# (features + 1, stride), row 0 the intercept: a block, what of it is not zero, or small integers
Stored = Weights | SparseWeights | PackedWeights


@dataclass
class LinearModel:
    """score(x, y) = bias·W[0, y] + Σ_f x_f W[f + 1, y]; width 1 scores the positive label alone."""

    stored: Stored
    width: int
    bias: float  # value of the constant feature, 0 for none
    votes: VoteShares | CodeVotes | None = None  # they score in place of the weights

    @classmethod
    def of(cls, learnt: Learnt, width: int, bias: float) -> LinearModel:
        """From what a solver has learnt."""
        weights = learnt.weights.reshape(-1, _core.padded(width))
        votes = None if learnt.votes is None else VoteShares(learnt.votes, width)
        return cls(weights, width, bias, votes)

    @property
    def weights(self) -> Weights:
        """(features + 1, stride): where they lie, or made each time of what is stored."""
        return self.stored if isinstance(self.stored, np.ndarray) else self.stored.block()

    @property
    def packed(self) -> bool:
        """Are weights small integers? Then they are rounded, and it learns no more."""
        return isinstance(self.stored, PackedWeights)

    @property
    def features(self) -> int:
        """How many features, the constant one not counted."""
        return len(self.stored) - 1

    @property
    def coef(self) -> Weights:
        """(width, features), a view of `weights`."""
        return self.weights[1:, : self.width].T

    @property
    def intercept(self) -> Weights:
        """(width,): what the constant feature adds to each score."""
        added: Weights = self.chosen([0])[0] * self.stored.dtype.type(self.bias)
        return added

    def chosen(self, rows: Any) -> Weights:
        """(len(rows), width): some rows of the weights."""
        if isinstance(self.stored, np.ndarray):
            return self.stored[rows, : self.width]
        return self.stored.chosen(rows)[:, : self.width]

    def compact(self) -> LinearModel:
        """With rows of (label, weight) where these are smaller; it scores the same to the bit."""
        if not isinstance(self.stored, np.ndarray):
            return self
        rows = SparseWeights.of(self.stored, self.width)
        return self if rows is None else replace(self, stored=rows)

    def single(self) -> LinearModel:
        """With weights in single precision."""
        if self.stored.dtype == np.float32:
            return self
        cast = replace(self, stored=self.weights.astype(np.float32))
        return cast.compact() if isinstance(self.stored, SparseWeights) else cast

    def with_bias(self, bias: float) -> LinearModel:
        """The same scores with a constant feature of another value."""
        if bias in (0.0, self.bias):
            return self
        weights = self.weights.copy()
        weights[0] *= self.bias / bias
        return replace(self, stored=weights, bias=bias)

    def scores(self, X: Any, threads: int = 1) -> NDArray[np.float64]:
        """(rows of X, width): what to predict by."""
        if self.votes is not None:
            return self.votes(as_rows(X, self.bias))
        return self.linear_scores(X, threads)

    def linear_scores(self, X: Any, threads: int = 1) -> NDArray[np.float64]:
        """(rows of X, width): by the weights, whether or not something scores in their place."""
        rows = as_rows(X, self.bias)
        if isinstance(self.stored, SparseWeights):
            return self.stored.core.scores(rows, threads)
        return _core.decision(rows, self.weights.reshape(-1), self.width, threads)

    def grown(self, features: int, width: int) -> LinearModel:
        """A copy with room for more features and labels, their weights zero.

        A single column w becomes −w/2 and w/2: the same difference, and nothing for a third label.
        """
        weights = np.zeros((features + 1, _core.padded(width)), dtype=self.stored.dtype)
        old = self.weights[:, : self.width]
        if self.width == 1 < width:
            old = np.hstack([-old / 2, old / 2])
        weights[: len(old), : old.shape[1]] = old
        return LinearModel(weights, width, self.bias)


def best_labels(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """The one tie rule: equal scores go to the earlier label; a single score above 0 is label 1."""
    if scores.shape[1] == 1:
        return (scores[:, 0] > 0).astype(np.intp)
    return np.asarray(scores.argmax(axis=1))
