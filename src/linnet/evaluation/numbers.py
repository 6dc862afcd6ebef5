"""How near predicted numbers are to the right ones: errors, explained variance, and order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.evaluation.tallies import Formula

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Drawn:
    """Right and predicted numbers, and how often each pair was drawn, (..., instances)."""

    gold: Array
    guess: Array
    times: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Of one drawing."""
        return len(self.gold)

    def mean(self, values: Array) -> Array:
        """Over what was drawn."""
        return np.asarray(self.times @ values / self.times.sum(axis=-1))


def mae(drawn: Drawn) -> Array:
    """Mean absolute error."""
    return drawn.mean(np.abs(drawn.gold - drawn.guess))


def rmse(drawn: Drawn) -> Array:
    """Root of the mean squared error."""
    return np.asarray(np.sqrt(drawn.mean((drawn.gold - drawn.guess) ** 2)))


def r2(drawn: Drawn) -> Array:
    """1 − squared errors / squared distances from the mean; 0 where nothing varies."""
    centred = drawn.gold - drawn.gold.mean()  # the same variance, and fewer digits lost
    variance = np.asarray(drawn.mean(centred**2) - drawn.mean(centred) ** 2)
    errors = drawn.mean((drawn.gold - drawn.guess) ** 2)
    varies = variance > 1e-12 * max(float(np.square(centred).max()), 1e-300)
    return 1 - np.divide(errors, variance, out=np.ones(variance.shape), where=varies)


def spearman(drawn: Drawn) -> Array:
    """The correlation of ranks, those of equal numbers their mean; 0 where all are equal."""
    from scipy.stats import rankdata

    rows = np.atleast_2d(drawn.times)
    found = np.zeros(len(rows))
    for k, times in enumerate(rows):
        ranks = [rankdata(np.repeat(of, times)) for of in (drawn.gold, drawn.guess)]
        if all(np.ptp(rank) > 0 for rank in ranks):
            found[k] = np.corrcoef(*ranks)[0, 1]
    return found.reshape(drawn.times.shape[:-1])


NUMBER_METRICS: Mapping[str, Formula] = {"mae": mae, "rmse": rmse, "r2": r2, "spearman": spearman}


@dataclass(frozen=True)
class NumberTally:
    """Numbers of one system."""

    gold: Array
    guess: Array

    @property
    def times(self) -> NDArray[np.int64]:
        """Every instance is a cell of its own."""
        return np.ones(len(self.gold), np.int64)

    @property
    def formulas(self) -> Mapping[str, Formula]:
        """Those of regressors."""
        return NUMBER_METRICS

    def totals(self, times: NDArray[np.int64] | None = None) -> Drawn:
        """All there is: ranks are no sums."""
        return Drawn(self.gold, self.guess, self.times if times is None else times)

    @classmethod
    def joined(cls, tallies: Sequence[NumberTally]) -> NumberTally:
        """One after the other."""
        return cls(
            np.concatenate([tally.gold for tally in tallies]),
            np.concatenate([tally.guess for tally in tallies]),
        )


def by_numbers(model: Any, X: Any, y: Any = None) -> NumberTally:
    """Regressors; X brings its numbers along unless y has them."""
    gold = X.targets if y is None else y
    return NumberTally(np.asarray(gold, np.float64), np.asarray(model.predict(X), np.float64))
