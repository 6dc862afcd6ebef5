"""Segments: sentences cut into spans, with weights of places in a span, of lengths and transitions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.matrix import rows_between
from linnet.data.segments import SegmentShape
from linnet.structures.base import Reals, Structure, Trait


@dataclass(frozen=True)
class Segments(Structure):
    """Sentence i is tokens [offsets[i], offsets[i + 1]); codes are those of `SegmentShape`."""

    rows: _core.Rows
    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    shape: SegmentShape

    name = "segments"
    plural = "segments"
    outputs = "spans of a sentence, each of a type"
    complete = "the label of every token"
    traits = frozenset({Trait.TIED, Trait.MANY_PARTS, Trait.EXACT_SUMS})

    def dataset(self, weights: Reals) -> _core.SegmentData:
        """Sentences cut into segments."""
        shape = self.shape
        sizes = (shape.n_types, shape.lengths, shape.longest)
        return _core.SegmentData(self.rows, self.offsets, self.codes, *sizes, weights)

    @property
    def size(self) -> int:
        """Of sentences."""
        return len(self.offsets) - 1

    @property
    def width(self) -> int:
        """Places of a token: outside, first, inside and last of each type."""
        return 3 * self.shape.n_types + 1

    @property
    def n_weights(self) -> float:
        """Mostly of tokens."""
        return (self.rows.features + 1.0) * _core.padded(self.width) + (self.shape.n_types + 1.0) ** 2

    def part(self, begin: int, end: int) -> Segments:
        """Some of the sentences."""
        first, last = int(self.offsets[begin]), int(self.offsets[end])
        rows, offsets = rows_between(self.rows, first, last), self.offsets[begin : end + 1] - first
        return Segments(rows, offsets, self.codes[first:last].copy(), self.shape)

    def log_outputs(self) -> float:
        """At most one of the codes for each token."""
        return int(np.diff(self.offsets).max(initial=0)) * math.log(2 * self.shape.n_types + 1)
