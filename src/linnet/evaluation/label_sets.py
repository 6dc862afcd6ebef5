"""Texts with several labels each: what was missed, what was said instead, and thresholds per label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.answers import Answers, Codes
from linnet.evaluation.metrics import METRICS, Confusions, Counts

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
FIGURES = ("accuracy", "micro_f1", "micro_precision", "micro_recall", "macro_f1")
LEAST = 2  # texts with a label among those that choose its threshold


def members(found: Answers, sets: Codes) -> Flags:
    """(examples, labels): which labels the sets of these numbers have."""
    table = np.zeros((len(found.sets), len(found.labels)), dtype=bool)
    for number, labels in enumerate(found.sets):
        table[number, list(labels)] = True
    return np.asarray(table[sets])


def instead(found: Answers, system: int = 0) -> Confusions:
    """How often one label was missed where another was too many: what was said instead of what.

    A label that was missed where nothing was too many has "nothing" (number K) said instead of it, and
    one that was too many where nothing was missed is said instead of nothing. An example that misses
    two labels and has one too many counts in two cells.
    """
    nothing = len(found.labels)
    pairs, times = np.unique(
        np.stack([found.gold, found.guesses[system]], axis=1), axis=0, return_counts=True
    )
    cells: Counter[tuple[int, int]] = Counter()
    for (gold, guess), n in zip(pairs.tolist(), times.tolist(), strict=True):
        right, said = set(found.sets[gold]), set(found.sets[guess])
        if right != said:
            for missed in right - said or {nothing}:
                for extra in said - right or {nothing}:
                    cells[missed, extra] += n
    rows = np.array([(*pair, n) for pair, n in sorted(cells.items())], np.int64).reshape(-1, 3)
    return Confusions(rows[:, 0], rows[:, 1], rows[:, 2], nothing + 1)


def counts_of(gold: Flags, said: Flags) -> Counts:
    """What metrics are made of; both are (examples, labels)."""
    right = (gold == said).all(axis=1).sum(dtype=np.float64)
    sums = (flags.sum(axis=0, dtype=np.float64) for flags in (gold & said, said, gold))
    return Counts(len(gold), np.asarray(right), np.asarray(float(len(gold))), *sums)


def figures(gold: Flags, said: Flags) -> dict[str, float]:
    """Subset accuracy and the F1 of all labels."""
    counts = counts_of(gold, said)
    return {name: float(METRICS[name](counts)) for name in FIGURES}


# ---------------------------------------------------------------------- single decisions


@dataclass(frozen=True)
class WrongDecision:
    """An example's label that was missed or too many, and how far its score is on the wrong side."""

    example: int
    label: int
    missed: bool
    margin: float


def worst_decisions(gold: Flags, said: Flags, scores: Array, n: int = 10) -> list[WrongDecision]:
    """Of each wrong example the decision that is wrong by most, the n worst of them first.

    ``scores`` are (examples, columns), labels beyond the columns have none and are left out.
    """
    known = scores.shape[1]
    wrong = gold[:, :known] != said[:, :known]
    margins = np.where(wrong, np.where(gold[:, :known], -scores, scores), -np.inf)
    label = margins.argmax(axis=1)
    worst = margins[np.arange(len(margins)), label]
    rows = np.flatnonzero(wrong.any(axis=1))
    order = rows[np.argsort(-worst[rows], kind="stable")][:n]
    return [
        WrongDecision(int(i), int(label[i]), bool(gold[i, label[i]]), float(worst[i])) for i in order
    ]


# ---------------------------------------------------------------------- thresholds


@dataclass(frozen=True)
class Threshold:
    """From which value on a label would be said for the best F1, and that F1."""

    at: float
    f1: float


def best_threshold(positive: Flags, values: Array) -> Threshold | None:
    """Of one label, the highest of equals; None if no example, or only one, has it.

    It lies in the middle between two values, or at the lowest of all.
    """
    wanted = int(positive.sum())
    if wanted < LEAST:
        return None
    order = np.argsort(-values, kind="stable")
    sorted_ = values[order].astype(np.float64)
    f1 = 2 * np.cumsum(positive[order]) / (np.arange(1, len(order) + 1) + wanted)
    f1[:-1][sorted_[:-1] == sorted_[1:]] = -1.0  # equal values are said together
    best = int(f1.argmax())
    below = sorted_[best + 1] if best + 1 < len(order) else sorted_[best]
    return Threshold(float((sorted_[best] + below) / 2), float(f1[best]))


def with_thresholds(values: Array, said: Flags, at: Sequence[float | None]) -> Flags:
    """What would be said: by the thresholds that are given, and as it is said where there is none."""
    found = said.copy()
    for k, limit in enumerate(at):
        if limit is not None:
            found[:, k] = values[:, k] >= limit
    return found


def chosen_elsewhere(gold: Flags, said: Flags, values: Array, seed: int = 0) -> Flags:
    """What would be said if each half of the examples had the thresholds that are best on the other.

    Thresholds that are judged by what chose them flatter themselves.
    """
    order = np.random.default_rng(seed).permutation(len(gold))
    found = said.copy()
    for half, other in ((order[::2], order[1::2]), (order[1::2], order[::2])):
        found[half] = with_thresholds(
            values[half], said[half], best_of_each(gold[other], values[other])
        )
    return found


def best_of_each(gold: Flags, values: Array) -> list[float | None]:
    """The best threshold of each column."""
    found = (best_threshold(gold[:, k], values[:, k]) for k in range(values.shape[1]))
    return [None if one is None else one.at for one in found]
