"""Classifiers that vote: all past weights of a voted perceptron in place of one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core


@dataclass(frozen=True)
class VoteShares:
    """Scores by the share of votes; two labels in one column have the difference of their shares."""

    votes: _core.Votes
    width: int

    def __call__(self, rows: _core.Rows) -> NDArray[np.float64]:
        """(rows, width), between −1 and 1."""
        counts = self.votes.count(rows)
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        return np.asarray(shares[:, 1:] - shares[:, :1] if self.width == 1 else shares)
