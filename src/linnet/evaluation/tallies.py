"""What a system's answers amount to: sums over instances, of which every metric is a formula.

So one bootstrap, one search for settings and one table of contenders serve labels, tags and trees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.answers import answers
from linnet.evaluation.metrics import METRICS, Counts, Outcomes, outcomes

Array = NDArray[np.float64]
Formula = Callable[[Any], Array]


class Resampled(Protocol):
    """Answers to some instances, those that are alike taken together: what a bootstrap draws from."""

    @property
    def times(self) -> NDArray[np.int64]:
        """(cells,): how often each outcome occurred; a resample draws them anew."""

    @property
    def formulas(self) -> Mapping[str, Formula]:
        """The metrics there are, as functions of totals."""

    def totals(self, times: NDArray[np.int64] | None = None) -> Any:
        """Sums over the instances, or over resamples of them: ``times`` (..., cells)."""


class Tally(Resampled, Protocol):
    """The same of one system, from splits that can be joined."""

    @classmethod
    def joined(cls, tallies: Sequence[Any]) -> Self:
        """Those of several splits, taken together."""


def formula_of(tally: Resampled, metric: str) -> Formula:
    """A metric by name."""
    if metric not in tally.formulas:
        raise ValueError(f"unknown metric {metric!r}; known are {', '.join(tally.formulas)}")
    return tally.formulas[metric]


def score(tally: Resampled, metric: str) -> float:
    """What the answers score."""
    return float(formula_of(tally, metric)(tally.totals()))


@dataclass(frozen=True)
class LabelTally:
    """Labels, or sets of them, of one system."""

    gold: Sequence[Any]
    guess: Sequence[Any]

    @cached_property
    def _outcomes(self) -> Outcomes:
        return outcomes(answers(self.gold, self.guess, sequences=False))

    @property
    def times(self) -> NDArray[np.int64]:
        """Of each pair of gold and guessed labels."""
        return self._outcomes.times

    @property
    def formulas(self) -> Mapping[str, Formula]:
        """Those of classifiers."""
        return METRICS

    def totals(self, times: NDArray[np.int64] | None = None) -> Counts:
        """Of labels that are right, guessed and gold."""
        return self._outcomes.counts(times)

    @classmethod
    def joined(cls, tallies: Sequence[LabelTally]) -> LabelTally:
        """One after the other."""
        return cls(
            [label for tally in tallies for label in tally.gold],
            [label for tally in tallies for label in tally.guess],
        )


@dataclass(frozen=True)
class SumTally:
    """Numbers of each instance, (instances, columns), and metrics that are ratios of two sums."""

    table: Array
    ratios: Mapping[str, tuple[int, int]]  # columns: over, under

    @property
    def times(self) -> NDArray[np.int64]:
        """Every instance is a cell of its own."""
        return np.ones(len(self.table), np.int64)

    @property
    def formulas(self) -> Mapping[str, Formula]:
        """The ratios."""
        return {name: _ratio_of(*columns) for name, columns in self.ratios.items()}

    def totals(self, times: NDArray[np.int64] | None = None) -> Array:
        """(..., columns)."""
        return self.table.sum(axis=0) if times is None else np.asarray(times @ self.table)

    @classmethod
    def joined(cls, tallies: Sequence[SumTally]) -> SumTally:
        """One after the other."""
        return cls(np.concatenate([tally.table for tally in tallies]), tallies[0].ratios)


def _ratio_of(over: int, under: int) -> Formula:
    """Of two columns; 0 of nothing."""

    def ratio(totals: Array) -> Array:
        below = np.asarray(totals[..., under])
        return np.divide(totals[..., over], below, out=np.zeros(below.shape), where=below != 0)

    return ratio
