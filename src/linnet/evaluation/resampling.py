"""Bootstrap confidence intervals, for one system and for the difference of two (Efron 1979)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.answers import Answers
from linnet.evaluation.metrics import LOWER_IS_BETTER, Outcomes, metric, outcomes

Array = NDArray[np.float64]
CELLS_AT_ONCE = 4_000_000  # bounds the memory of one block of resamples


@dataclass(frozen=True)
class Interval:
    """A value and the central interval of its bootstrap distribution."""

    value: float
    low: float
    high: float
    level: float


@dataclass(frozen=True)
class Difference:
    """Second system minus first, its interval, and how easily chance would reverse its sign."""

    metric: str
    first: float
    second: float
    difference: Interval
    p: float


def bootstrap(
    found: Answers,
    metrics: tuple[str, ...] = ("accuracy", "macro_f1"),
    *,
    system: int = 0,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Interval]:
    """Percentile intervals of several metrics, from the same resamples of the examples."""
    functions = {name: metric(name) for name in metrics}
    cells = outcomes(found)
    values: dict[str, list[Array]] = {name: [] for name in metrics}
    for times in _resamples(cells, resamples, level, seed):
        counts = cells.counts(times, system)
        for name, function in functions.items():
            values[name].append(function(counts))
    whole = cells.counts(system=system)
    return {
        name: _interval(float(function(whole)), np.concatenate(values[name]), level)
        for name, function in functions.items()
    }


def paired_bootstrap(
    found: Answers,
    metrics: tuple[str, ...] = ("accuracy", "macro_f1"),
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Difference]:
    """Both systems on the same resamples: is the second better than the first, or is it luck?

    ``p`` is twice the share of resamples in which the difference vanishes or changes sign, the
    observed data counted as one resample (so p is never 0).
    """
    if len(found.guesses) != 2:
        raise ValueError(f"a paired test compares two systems, not {len(found.guesses)}")
    functions = {name: metric(name) for name in metrics}
    cells = outcomes(found)
    drawn: dict[str, list[Array]] = {name: [] for name in metrics}
    for times in _resamples(cells, resamples, level, seed):
        first, second = (cells.counts(times, system) for system in (0, 1))
        for name, function in functions.items():
            drawn[name].append(function(second) - function(first))
    whole = tuple(cells.counts(system=system) for system in (0, 1))
    return {
        name: _difference(
            name,
            float(function(whole[0])),
            float(function(whole[1])),
            np.concatenate(drawn[name]),
            level,
        )
        for name, function in functions.items()
    }


def _difference(name: str, first: float, second: float, drawn: Array, level: float) -> Difference:
    sign = np.sign(second - first)
    reversed_ = int((sign * drawn <= 1e-12).sum()) if sign else len(drawn)
    p = min(1.0, 2 * (reversed_ + 1) / (len(drawn) + 1))
    return Difference(name, first, second, _interval(second - first, drawn, level), p)


def better(difference: Difference) -> int | None:
    """Which system does better: 0, 1, or None for the same."""
    gain = difference.difference.value * (-1 if difference.metric in LOWER_IS_BETTER else 1)
    return None if gain == 0 else int(gain > 0)


def _interval(value: float, drawn: Array, level: float) -> Interval:
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(value, float(low), float(high), level)


def _resamples(cells: Outcomes, resamples: int, level: float, seed: int) -> Iterator[NDArray[np.int64]]:
    """Blocks (some of the resamples, cells): how often each outcome was drawn."""
    if resamples < 1:
        raise ValueError(f"resamples must be 1 or more, not {resamples}")
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    generator = np.random.default_rng(seed)
    n = int(cells.times.sum())
    at_once = max(1, CELLS_AT_ONCE // len(cells.times))
    for start in range(0, resamples, at_once):
        yield generator.multinomial(n, cells.times / n, size=min(at_once, resamples - start))
