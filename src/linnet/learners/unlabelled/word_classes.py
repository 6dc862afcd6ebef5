"""Word classes by the exchange algorithm (Kneser, Ney 1993; Martin, Liermann, Ney 1998)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class WordClasses:
    """The class of each word, and F after each sweep: it never falls."""

    numbers: dict[str, int]
    size: int
    objectives: list[float]

    def of(self, words: Iterable[str]) -> list[int]:
        """−1 for words that have none."""
        return [self.numbers.get(word, -1) for word in words]


def exchange_classes(
    sentences: Iterable[Sequence[str]],
    size: int = 50,
    min_count: int = 2,
    max_words: int = 10_000,
    sweeps: int = 5,
) -> WordClasses:
    """Classes that make a bigram model of classes as good as exchanges of single words can make it.

    F = Σ_ab N(a,b) log N(a,b) − Σ_a N(a,·) log N(a,·) − Σ_b N(·,b) log N(·,b), the part of the log
    likelihood that depends on classes. Each word in turn moves to the class where F is largest. The
    most frequent words start with a class of their own, all others are dealt out in turn.
    """
    texts = list(sentences)
    counts = Counter(word for words in texts for word in words)
    kept = sorted((w for w, c in counts.items() if c >= min_count), key=lambda w: (-counts[w], w))
    kept = kept[:max_words]
    number = {word: i for i, word in enumerate(kept)}
    size = max(1, min(size, len(kept)))
    state = _Exchange(_bigrams(texts, number), size)
    objectives = [state.objective()]
    for _ in range(sweeps if size > 1 else 0):
        moved = sum(state.move(word) for word in range(len(kept)))
        objectives.append(state.objective())
        if not moved:
            break
    return WordClasses({word: int(state.classes[i]) for word, i in number.items()}, size, objectives)


def _bigrams(texts: list[Sequence[str]], number: dict[str, int]) -> Any:
    """How often word follows word, (words, words); pairs with an unknown word are left out."""
    from scipy.sparse import csr_array

    pairs: Counter[tuple[int, int]] = Counter()
    for words in texts:
        codes = [number.get(word, -1) for word in words]
        pairs.update((a, b) for a, b in pairwise(codes) if a >= 0 and b >= 0)
    firsts = np.fromiter((a for a, _ in pairs), dtype=np.int64, count=len(pairs))
    seconds = np.fromiter((b for _, b in pairs), dtype=np.int64, count=len(pairs))
    values = np.fromiter(pairs.values(), dtype=np.float64, count=len(pairs))
    return csr_array((values, (firsts, seconds)), shape=(len(number), len(number)))


class _Exchange:
    """Counts of classes, kept up to date as words move."""

    def __init__(self, bigrams: Any, size: int) -> None:
        self.after, self.before = bigrams.tocsr(), bigrams.T.tocsr()
        n = bigrams.shape[0]
        self.classes = np.arange(n) % size
        self.table = np.zeros((size, size))  # N(a, b)
        pairs = bigrams.tocoo()
        np.add.at(self.table, (self.classes[pairs.row], self.classes[pairs.col]), pairs.data)

    def objective(self) -> float:
        """F."""
        sums = _xlogx(self.table.sum(axis=1)).sum() + _xlogx(self.table.sum(axis=0)).sum()
        return float(_xlogx(self.table).sum() - sums)

    def move(self, word: int) -> bool:
        """To the class where F is largest; does it leave its own?"""
        left, right, twice = self._neighbours(word)
        home = int(self.classes[word])
        self._add(home, left, right, twice, -1.0)
        gains = self._gains(left, right, twice)
        best = int(gains.argmax())
        if gains[best] <= gains[home] + 1e-9 * (1 + abs(gains[home])):
            best = home
        self._add(best, left, right, twice, 1.0)
        self.classes[word] = best
        return best != home

    def _neighbours(self, word: int) -> tuple[Array, Array, float]:
        """N(c, w) and N(w, c) by class, without w itself, and N(w, w)."""
        sums, twice = [], 0.0
        for table in (self.before, self.after):
            part = slice(table.indptr[word], table.indptr[word + 1])
            others, values = table.indices[part], table.data[part]
            own = others == word
            twice = float(values[own].sum())
            classes = self.classes[others[~own]]
            added = np.bincount(classes, values[~own], minlength=len(self.table))
            sums.append(np.asarray(added, dtype=np.float64))
        return sums[0], sums[1], twice

    def _add(self, home: int, left: Array, right: Array, twice: float, sign: float) -> None:
        self.table[:, home] += sign * left
        self.table[home, :] += sign * right
        self.table[home, home] += sign * twice

    def _gains(self, left: Array, right: Array, twice: float) -> Array:
        """How much F grows if the word, which is in no class now, joins each class, (classes,)."""
        table = self.table
        gains = np.zeros(len(table))
        for sums, cells in ((left, table), (right, table.T)):
            near = np.flatnonzero(sums)
            grown = cells[near] + sums[near, None]
            gains += (_xlogx(grown) - _xlogx(cells[near])).sum(axis=0)
        own = np.diagonal(table)  # N(b, b) grows by all three at once
        gains -= _xlogx(own + left) + _xlogx(own + right) - 2 * _xlogx(own)
        gains += _xlogx(own + left + right + twice) - _xlogx(own)
        for own_pairs, others, axis in ((left, right, 0), (right, left, 1)):
            # N(·, b) has the word's neighbours already, wherever the word goes; its own pairs join b.
            sums = self.table.sum(axis=axis) + others
            gains -= _xlogx(sums + own_pairs.sum() + twice) - _xlogx(sums)
        return gains


def _xlogx(values: Array) -> Array:
    logs = np.log(values, out=np.zeros_like(values), where=values > 0)
    return np.asarray(values * logs)
