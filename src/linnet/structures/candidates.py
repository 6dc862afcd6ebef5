"""Lists of candidates: each has features of its own, f(x, y), and all share one weight per feature."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.matrix import rows_between
from linnet.structures.base import Reals, Structure, Trait


@dataclass(frozen=True)
class Candidates(Structure):
    """Candidates of instance i are rows [offsets[i], offsets[i + 1]); ``gold`` counts from there."""

    rows: _core.Rows
    offsets: NDArray[np.int64]
    gold: NDArray[np.int32]

    name = "candidates"
    plural = "lists of candidates"
    outputs = "one of a list of candidates"
    traits = frozenset({Trait.LISTED, Trait.EXACT_SUMS})
    duals_why = (
        "candidates have features of their own, so that one step moves the weights of all of them; use "
        "'frank_wolfe' with loss 'hinge', 'lbfgs' or 'sgd'"
    )

    def dataset(self, weights: Reals) -> _core.CandidateData:
        """A site for each candidate."""
        return _core.CandidateData(self.rows, self.offsets, self.gold, weights)

    @property
    def size(self) -> int:
        """Of lists."""
        return len(self.gold)

    def part(self, begin: int, end: int) -> Candidates:
        """Some of the lists."""
        first, last = int(self.offsets[begin]), int(self.offsets[end])
        return Candidates(
            rows_between(self.rows, first, last),
            self.offsets[begin : end + 1] - first,
            self.gold[begin:end].copy(),
        )

    def log_outputs(self) -> float:
        """The longest list's."""
        return math.log(max(1, int(np.diff(self.offsets).max(initial=1))))
