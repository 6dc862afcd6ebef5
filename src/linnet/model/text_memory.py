"""Rows of texts kept in memory under an inverted index."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import CsrRows

Codes = NDArray[np.int32]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class TextMemory:
    """Rows of length one and their labels; the nearest of a query are those of the highest cosine."""

    rows: CsrRows
    labels: Codes
    n_labels: int
    k: int
    by_similarity: bool  # votes weigh as much as the cosine, else all the same

    votes: bool = True  # as of models that vote and have no weights

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def features(self) -> int:
        """How many."""
        return self.rows.features

    @cached_property
    def _index(self) -> _core.RowNeighbours:
        rows = self.rows
        return _core.RowNeighbours(rows.indptr, rows.indices, rows.values, rows.features)

    def nearest(self, rows: CsrRows, threads: int = 1) -> tuple[Codes, Array]:
        """(n, k): the nearest texts of each query, and their cosines."""
        values = np.ascontiguousarray(rows.values)
        return self._index.nearest(rows.indptr, rows.indices, values, self.k, threads)

    def scores(self, rows: CsrRows, threads: int = 1) -> Array:
        """(n, labels): shares of votes; of labels with equally many the nearest text decides."""
        return self.shares(*self.nearest(rows, threads))

    def shares(self, found: Codes, cosines: Array) -> Array:
        """`scores` of queries whose nearest texts are known."""
        n, k = found.shape
        weights = np.maximum(cosines, 0.0) if self.by_similarity else np.ones((n, k))
        # a text that shares nothing with any: all vote
        weights[~(weights.sum(axis=1) > 0)] = 1.0
        votes = np.zeros((n, self.n_labels))
        owner = np.repeat(np.arange(n), k)
        np.add.at(votes, (owner, self.labels[found].ravel()), weights.ravel())
        votes /= votes.sum(axis=1, keepdims=True)
        # a nudge, too small to outvote anybody, by how near the nearest of each label is
        order = np.zeros_like(votes)
        np.maximum.at(order, (owner, self.labels[found].ravel()), np.tile(np.arange(k, 0, -1) / k, n))
        return np.asarray(votes + 1e-12 * order)
