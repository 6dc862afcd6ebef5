"""Scores of a classifier, each a formula over how often every label was right, guessed and gold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.answers import Answers

Array = NDArray[np.float64]
LABELS_IN_TABLE = 1000  # beyond them a report has no full table of confusions


@dataclass(frozen=True)
class Counts:
    """What every metric is made of; leading axes, if any, are resamples of the examples."""

    examples: int
    correct: Array  # (...,): examples whose labels are exactly right
    covered: Array  # (...,): examples that got an answer
    hits: Array  # (..., K): label is gold and guessed
    guessed: Array  # (..., K)
    gold: Array  # (..., K)

    @property
    def size(self) -> int:
        """K, how many labels."""
        return int(self.gold.shape[-1])

    @property
    def precision(self) -> Array:
        """(..., K): hits / guessed; 0 where nothing was guessed."""
        return _ratio(self.hits, self.guessed)

    @property
    def recall(self) -> Array:
        """(..., K): hits / gold."""
        return _ratio(self.hits, self.gold)

    @property
    def f1(self) -> Array:
        """(..., K): 2 hits / (guessed + gold), the harmonic mean of the two."""
        return _ratio(2 * self.hits, self.guessed + self.gold)

    @property
    def false_positive_rate(self) -> Array:
        """(..., K): share of the examples without the label that were given it."""
        return _ratio(self.guessed - self.hits, self.examples - self.gold)

    @property
    def specificity(self) -> Array:
        """(..., K): share of the examples without the label that were not given it."""
        return _ratio(self.examples - self.gold - self.guessed + self.hits, self.examples - self.gold)


def _ratio(over: Array, under: Array) -> Array:
    return np.divide(over, under, out=np.zeros(np.shape(over)), where=under != 0)


@dataclass(frozen=True)
class Outcomes:
    """The distinct outcomes (gold, guess of each system) and how often each occurred.

    A resample of the examples is a resample of these: n draws with the observed frequencies. So a
    bootstrap costs what the outcomes cost, not what the examples do, and is exactly the same.
    """

    times: NDArray[np.int64]  # (cells,)
    systems: tuple[tuple[Array, Array, Any, Any, Any], ...]  # what each cell adds to Counts

    def counts(self, times: NDArray[np.int64] | None = None, system: int = 0) -> Counts:
        """Counts of the data, or of resamples: ``times`` (..., cells)."""
        times = self.times if times is None else times
        correct, covered, hits, guessed, gold = self.systems[system]
        return Counts(
            int(self.times.sum()),
            times @ correct,
            times @ covered,
            np.asarray(times @ hits),
            np.asarray(times @ guessed),
            np.asarray(times @ gold),
        )


def outcomes(found: Answers) -> Outcomes:
    """Gather equal outcomes of one system or more."""
    from scipy.sparse import csr_array

    key = found.gold
    for guess in found.guesses:  # numbered anew each time, so that products stay small
        pair = key * len(found.sets) + guess
        _, first, key, times = np.unique(
            pair, return_index=True, return_inverse=True, return_counts=True
        )
    cells = np.stack([found.gold, *found.guesses])[:, first]
    sizes = np.array([len(members) for members in found.sets])
    members = np.array([label for members in found.sets for label in members], dtype=np.int64)
    sets = csr_array(
        (np.ones(len(members)), members, np.concatenate([[0], np.cumsum(sizes)])),
        shape=(len(found.sets), len(found.labels)),
    )  # (sets, K): which labels a set holds
    gold = sets[cells[0]]
    systems = []
    for guess in cells[1:]:
        guessed = sets[guess]
        answered = (sizes[guess] > 0) | found.multilabel
        right = (cells[0] == guess).astype(np.float64)
        systems.append((right, answered.astype(np.float64), gold.multiply(guessed), guessed, gold))
    return Outcomes(times, tuple(systems))


def count(found: Answers, system: int = 0) -> Counts:
    """Counts of one system's answers."""
    return outcomes(found).counts(system=system)


@dataclass(frozen=True)
class Confusions:
    """The pairs of gold and guessed label that occur, and how often: few of all there could be."""

    gold: NDArray[np.int64]  # (pairs,): ascending, and the guesses of a gold label, too
    guess: NDArray[np.int64]  # K: no answer
    times: NDArray[np.int64]
    labels: int  # K

    def table(self) -> NDArray[np.int64]:
        """(K, K + 1): gold label by guessed label, the last column for no answer."""
        table = np.zeros((self.labels, self.labels + 1), np.int64)
        table[self.gold, self.guess] = self.times
        return table

    def told(self, gold: Sequence[str | None], guessed: Sequence[str | None]) -> dict[str, Any]:
        """Plain data: the pairs, and the table of ``counts`` unless there are too many labels."""
        cells = np.stack([self.gold, self.guess, self.times], axis=1).tolist()
        told = {"gold": list(gold), "guessed": list(guessed), "cells": cells}
        if len(gold) <= LABELS_IN_TABLE:
            told["counts"] = self.table()[:, : len(guessed)].tolist()
        return told


def gather(gold: NDArray[np.int64], guess: NDArray[np.int64], labels: int) -> Confusions:
    """Count pairs of codes, of guesses up to ``labels``; memory goes by the pairs that occur."""
    cells, times = np.unique(gold * (labels + 1) + guess, return_counts=True)
    return Confusions(*np.divmod(cells, labels + 1), times, labels)


def most_confused(told: dict[str, Any], most: int) -> dict[str, Any]:
    """Of `Confusions.told` the labels confused most, each with its row; the others together."""
    gold, guessed = told["gold"], told["guessed"]
    wrong = np.zeros(max(len(gold), len(guessed)))
    for a, b, times in told["cells"]:
        if a != b:
            wrong[a] += times
            wrong[b] += times
    order = np.argsort(-wrong, kind="stable")[:most]
    shown = sorted(int(k) for k in order if k < len(gold))
    place = {k: i for i, k in enumerate(shown)}
    table = np.zeros((len(shown), len(shown)), int)
    left = 0
    for a, b, times in told["cells"]:
        if a in place and b in place:
            table[place[a], place[b]] = times
        else:
            left += times
    return {"labels": [gold[k] for k in shown], "counts": table.tolist(), "elsewhere": left}


def confusions(found: Answers, system: int = 0) -> Confusions:
    """Pairs of gold and guessed label; one label each."""
    if found.multilabel:
        raise ValueError("examples with several labels have no confusion matrix")
    return gather(found.gold, found.guesses[system], len(found.labels))


def confusion(found: Answers, system: int = 0) -> NDArray[np.int64]:
    """(K, K + 1): gold label by guessed label, the last column for no answer; one label each.

    A full table: where labels are many, `confusions` has the pairs that occur.
    """
    return confusions(found, system).table()


def _macro(values: Array, counts: Counts) -> Array:
    """Mean over the labels that occur, as gold or as guess."""
    present = counts.gold + counts.guessed > 0
    return _ratio((values * present).sum(axis=-1), present.sum(axis=-1).astype(np.float64))


def _weighted(values: Array, counts: Counts) -> Array:
    """Mean over labels, weighted by how often each is gold."""
    return _ratio((values * counts.gold).sum(axis=-1), counts.gold.sum(axis=-1))


def _micro(over: Array, under: Array) -> Array:
    return _ratio(over.sum(axis=-1), under.sum(axis=-1))


Metric = Callable[[Counts], Array]

METRICS: MappingProxyType[str, Metric] = MappingProxyType(
    {
        "accuracy": lambda c: c.correct / c.examples,  # several labels: all of them right
        "coverage": lambda c: c.covered / c.examples,
        "covered_accuracy": lambda c: _ratio(c.correct, c.covered),
        "hamming_loss": lambda c: (
            (c.gold + c.guessed - 2 * c.hits).sum(axis=-1) / (c.examples * c.gold.shape[-1])
        ),
        "macro_f1": lambda c: _macro(c.f1, c),
        "macro_precision": lambda c: _macro(c.precision, c),
        "macro_recall": lambda c: _macro(c.recall, c),
        "macro_specificity": lambda c: _macro(c.specificity, c),
        "micro_f1": lambda c: _micro(2 * c.hits, c.guessed + c.gold),
        "micro_precision": lambda c: _micro(c.hits, c.guessed),
        "micro_recall": lambda c: _micro(c.hits, c.gold),
        "weighted_f1": lambda c: _weighted(c.f1, c),
        "weighted_precision": lambda c: _weighted(c.precision, c),
        "weighted_recall": lambda c: _weighted(c.recall, c),
    }
)
LOWER_IS_BETTER = frozenset({"hamming_loss", "mae", "rmse"})


def metric(name: str) -> Metric:
    """A metric by name."""
    if name not in METRICS:
        raise ValueError(f"unknown metric {name!r}; known are {', '.join(METRICS)}")
    return METRICS[name]
