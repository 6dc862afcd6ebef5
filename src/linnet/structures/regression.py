"""A number for each instance, in place of one of several outputs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.matrix import rows_between
from linnet.structures.base import Reals, Structure, Trait


@dataclass(frozen=True)
class Regression(Structure):
    """Rows of features, and what the score of each is to be."""

    rows: _core.Rows
    targets: NDArray[np.float64]

    name = "regression"
    plural = "regressions"
    outputs = "a number"
    complete = "the target of every instance"
    traits = frozenset({Trait.TARGETS, Trait.EXACT_SUMS})

    def dataset(self, weights: Reals) -> _core.Dataset:
        """One score a row."""
        return _core.RegressionData(self.rows, self.targets, weights)

    @property
    def size(self) -> int:
        """Of rows."""
        return len(self.targets)

    @property
    def width(self) -> int:
        """One score."""
        return 1

    def part(self, begin: int, end: int) -> Regression:
        """Some of the rows."""
        return replace(
            self, rows=rows_between(self.rows, begin, end), targets=self.targets[begin:end].copy()
        )
