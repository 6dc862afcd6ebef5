"""Bootstrap confidence intervals, for one system and for the difference of two (Efron 1979)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.answers import Answers, answers
from linnet.evaluation.metrics import LOWER_IS_BETTER, METRICS, Counts, Outcomes, outcomes
from linnet.evaluation.tallies import LabelTally, Resampled, formula_of

Array = NDArray[np.float64]
CELLS_AT_ONCE = 4_000_000  # bounds the memory of one block of resamples
USUAL = ("accuracy", "macro_f1")


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
    found: Answers | Resampled,
    metrics: Sequence[str] = USUAL,
    *,
    system: int = 0,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Interval]:
    """Percentile intervals of several metrics, from the same resamples of the instances."""
    tally: Resampled = _System(outcomes(found), system) if isinstance(found, Answers) else found
    drawn = _drawn([tally], metrics, resamples, level, seed)
    whole = tally.totals()
    return {
        name: _interval(float(formula_of(tally, name)(whole)), drawn[name][0], level)
        for name in metrics
    }


def paired_bootstrap(
    found: Answers | tuple[Resampled, Resampled],
    metrics: Sequence[str] = USUAL,
    *,
    resamples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Difference]:
    """Both systems on the same resamples: is the second better than the first, or is it luck?

    ``p`` is twice the share of resamples in which the difference vanishes or changes sign, the
    observed data counted as one resample (so p is never 0).
    """
    first, second = _pair(found)
    drawn = _drawn([first, second], metrics, resamples, level, seed)
    totals = first.totals(), second.totals()
    told = {}
    for name in metrics:
        formula = formula_of(first, name)
        values = (float(formula(totals[0])), float(formula(totals[1])))
        told[name] = _difference(name, *values, drawn[name][1] - drawn[name][0], level)
    return told


@dataclass(frozen=True)
class _System:
    """One of the systems whose answers were gathered together."""

    cells: Outcomes
    system: int
    formulas = METRICS

    @property
    def times(self) -> NDArray[np.int64]:
        return self.cells.times

    def totals(self, times: NDArray[np.int64] | None = None) -> Counts:
        return self.cells.counts(times, self.system)


def _pair(found: Answers | tuple[Resampled, Resampled]) -> tuple[Resampled, Resampled]:
    """Two systems over the same cells."""
    if isinstance(found, Answers):
        if len(found.guesses) != 2:
            raise ValueError(f"a paired test compares two systems, not {len(found.guesses)}")
        cells = outcomes(found)
        return _System(cells, 0), _System(cells, 1)
    first, second = found
    if isinstance(first, LabelTally) and isinstance(second, LabelTally):
        return _pair(answers(first.gold, first.guess, second.guess, sequences=False))
    if not np.array_equal(first.times, second.times):
        raise ValueError("the two tallies are not of the same instances")
    return first, second


def _drawn(
    tallies: Sequence[Resampled], metrics: Sequence[str], resamples: int, level: float, seed: int
) -> dict[str, list[Array]]:
    """Of each metric its values over the resamples, for each of the tallies."""
    formulas = {name: formula_of(tallies[0], name) for name in metrics}
    values: dict[str, list[list[Array]]] = {name: [[] for _ in tallies] for name in metrics}
    width = max(tally.totals().size for tally in tallies)
    for times in _resamples(tallies[0].times, width, resamples, level, seed):
        for k, tally in enumerate(tallies):
            totals = tally.totals(times)
            for name, formula in formulas.items():
                values[name][k].append(formula(totals))
    return {name: [np.concatenate(one) for one in each] for name, each in values.items()}


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
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(value, float(low), float(high), level)


def _resamples(
    times: NDArray[np.int64], width: int, resamples: int, level: float, seed: int
) -> Iterator[NDArray[np.int64]]:
    """Blocks (some of the resamples, cells): how often each outcome was drawn. ``width``: of totals."""
    if resamples < 1:
        raise ValueError(f"resamples must be 1 or more, not {resamples}")
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, not {level}")
    generator = np.random.default_rng(seed)
    n = int(times.sum())
    at_once = max(1, CELLS_AT_ONCE // max(len(times), width, 1))
    for start in range(0, resamples, at_once):
        yield generator.multinomial(n, times / n, size=min(at_once, resamples - start))
