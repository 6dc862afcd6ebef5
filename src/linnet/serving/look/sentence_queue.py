"""A pool of sentences, the most useful first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.serving.look.teaching import ORDERS, by_turns

Array = NDArray[np.float64]


class SentenceQueue:
    """Sentences as lists of words; those that are empty are left out."""

    def __init__(self, pool: Sequence[Sequence[str]], seed: int = 0) -> None:
        self.pool = [list(words) for words in pool if len(words)]
        self.random: list[int] = np.random.default_rng(seed).permutation(len(self.pool)).tolist()

    @cached_property
    def density(self) -> Array:
        """(pool,): how alike a sentence is to the others: its words, by idf, times their mean."""
        from scipy.sparse import csr_array

        places: dict[str, int] = {}
        rows = [
            [places.setdefault(word.casefold(), len(places)) for word in words] for words in self.pool
        ]
        indptr = np.cumsum([0, *map(len, rows)])
        indices = np.concatenate([np.array(row, np.int64) for row in rows]) if rows else np.zeros(0)
        found = csr_array(
            (np.ones(len(indices)), indices, indptr), shape=(len(rows), max(1, len(places)))
        )
        found.sum_duplicates()
        seen = np.bincount(found.indices, minlength=found.shape[1])
        found.data = np.sqrt(found.data) * np.log1p(len(rows) / np.maximum(seen, 1))[found.indices]
        lengths = np.sqrt(np.asarray(found.multiply(found).sum(axis=1)).ravel())
        mean = np.asarray(found.T @ (1 / np.maximum(lengths, 1e-9))) / max(1, len(rows))
        return np.asarray((found @ mean) / np.maximum(lengths, 1e-9), np.float64)

    def queue(self, order: str, done: set[tuple[str, ...]], leads: Callable[[], Array]) -> list[int]:
        """Places of sentences that are not done; ``leads`` tells how sure the model is of each.

        Those whose lead is not known (NaN) come last, but for their turns by chance.
        """
        if order not in ORDERS:
            raise DataError(f"order: one of {', '.join(ORDERS)} is wanted, not {order!r:.80}")
        left = np.array([i for i in self.random if tuple(self.pool[i]) not in done], dtype=int)
        if not len(left) or order == "random":
            return [int(i) for i in left]
        lead = leads()
        unsure = left[np.argsort(lead[left], kind="stable")]
        if order == "least sure":
            return [int(i) for i in unsure]
        telling = left[np.argsort(-(np.exp(-np.maximum(lead, 0)) * self.density)[left], kind="stable")]
        if order == "most telling":
            return [int(i) for i in telling]
        return by_turns(unsure, telling, left, len(done))
