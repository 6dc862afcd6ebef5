"""Families of events: outcomes that share a probability of one, given something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Family:
    """Tables side by side, (given, outcomes) each, whose rows together share a probability of one.

    They are views of flat weights or counts, so that what is written here is written there.
    """

    tables: tuple[Reals, ...]
    events: bool  # of features, given a label; else of labels
    allowed: NDArray[np.bool_] | None = None  # outcomes that may be, of the first table

    def values(self) -> Reals:
        """A copy of all of them, (given, all outcomes)."""
        return np.concatenate(self.tables, axis=1)

    def write(self, values: Reals) -> None:
        """The inverse of `values`."""
        begin = 0
        for table in self.tables:
            table[:] = values[:, begin : begin + table.shape[1]]
            begin += table.shape[1]

    def prior(self, alpha: float) -> Reals:
        """α of every outcome that may be, 0 of others."""
        outcomes = sum(table.shape[1] for table in self.tables)
        found = np.full((len(self.tables[0]), outcomes), alpha)
        if self.allowed is not None:
            found[:, : self.allowed.shape[1]][~self.allowed] = 0
        return found


def log_shares(counts: Reals) -> Reals:
    """The log of each count's share of its row; a row without counts has log 0 throughout."""
    totals = counts.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):  # log 0 = −inf is meant
        shares: Any = np.log(counts) - np.log(np.where(totals > 0, totals, 1.0))
    return np.asarray(shares)
