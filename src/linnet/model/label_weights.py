"""Weights of few labels per feature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float32]
ROWS = 1 << 14  # of a block that are looked at together
FULL = 3  # a row with one in so many labels is as fast with all of them


@dataclass(frozen=True)
class LabelWeights:
    """Sparse rows of (label, weight): row r is ``starts[r]:starts[r + 1]``, row 0 the constant feature.

    Labels ascend within a row. Weights are float32; or int8, times a scale for each label.
    """

    starts: NDArray[np.int64]
    labels: NDArray[np.int32]
    weights: Reals | NDArray[np.int8]
    scales: Reals | None = None

    @classmethod
    def of_dense(cls, block: NDArray[Any]) -> LabelWeights:
        """From (features + 1, labels); zeros are left out."""
        size, width = block.shape
        cuts = [slice(begin, begin + ROWS) for begin in range(0, size, ROWS)]
        counts = [np.count_nonzero(block[cut].astype(np.float32), axis=1) for cut in cuts]
        found = np.concatenate([np.zeros(0, np.int64), *counts])
        full = found * FULL >= max(width, 1)
        starts = np.zeros(size + 1, np.int64)
        np.cumsum(np.where(full, width, found), out=starts[1:])
        labels, weights = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
        for cut in cuts:  # so that little is held beside the two
            reals = block[cut].astype(np.float32)
            rows, places = np.nonzero((reals != 0) | full[cut, None])
            at = slice(starts[cut.start], starts[cut.start] + len(rows))
            labels[at], weights[at] = places, reals[rows, places]
        return cls(starts, labels, weights)

    @classmethod
    def of_pairs(
        cls,
        pairs: NDArray[Any],
        weights: NDArray[Any],
        size: int,
        width: int,
    ) -> LabelWeights:
        """From the weights of distinct (row, label) pairs, of ``size`` rows.

        Zeros are left out; but rows with many labels get all of them, for speed.
        """
        reals = weights.astype(np.float32)
        kept = np.flatnonzero(reals)
        rows, labels = pairs[kept].T.astype(np.int64)
        full = np.flatnonzero(np.bincount(rows, minlength=size) * FULL >= width)
        place = np.full(size, -1)
        place[full] = np.arange(len(full))
        in_full = place[rows] >= 0
        block = np.zeros((len(full), width), np.float32)
        block[place[rows[in_full]], labels[in_full]] = reals[kept][in_full]
        rows = np.concatenate([rows[~in_full], np.repeat(full, width)])
        labels = np.concatenate([labels[~in_full], np.tile(np.arange(width), len(full))])
        order = np.argsort(rows * width + labels, kind="stable")
        starts = np.zeros(size + 1, np.int64)
        np.cumsum(np.bincount(rows, minlength=size), out=starts[1:])
        reals = np.concatenate([reals[kept][~in_full], block.ravel()])
        return cls(starts, labels[order].astype(np.int32), reals[order])

    @property
    def features(self) -> int:
        """How many features, the constant one not counted."""
        return len(self.starts) - 2

    @property
    def reals(self) -> Reals:
        """The weights, unpacked if they are packed."""
        if self.scales is None:
            return self.weights.astype(np.float32, copy=False)
        return self.scales[self.labels] * self.weights.astype(np.float32)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The row of each weight."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def packed(self, width: int) -> LabelWeights:
        """The weights in 8 bits: whole multiples of a 127th of the largest of their label."""
        reals = self.reals
        largest = np.zeros(width, np.float32)
        np.maximum.at(largest, self.labels, np.abs(reals))
        scales = np.maximum(largest / 127, np.finfo(np.float32).tiny)
        codes = np.rint(reals / scales[self.labels]).astype(np.int8)
        return LabelWeights(self.starts, self.labels, codes, scales)

    def dense(self, width: int) -> Reals:
        """(features + 1, width)."""
        block = np.zeros((len(self.starts) - 1, width), np.float32)
        np.add.at(block, (self.rows, self.labels), self.reals)
        return block

    def tensors(self, prefix: str) -> dict[str, NDArray[Any]]:
        parts: dict[str, NDArray[Any] | None] = {
            "starts": self.starts,
            "labels": self.labels,
            "weights": self.weights,
            "scales": self.scales,
        }
        return {prefix + name: array for name, array in parts.items() if array is not None}

    @classmethod
    def from_tensors(cls, prefix: str, tensors: Mapping[str, NDArray[Any]]) -> LabelWeights:
        return cls(
            tensors[prefix + "starts"],
            tensors[prefix + "labels"],
            tensors[prefix + "weights"],
            tensors.get(prefix + "scales"),
        )
