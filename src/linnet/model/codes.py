"""Labels decoded from the signs of several binary classifiers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.structures import Weights


@dataclass(frozen=True)
class CodeVotes:
    """Linear classifiers that vote, each with one vote."""

    codes: NDArray[np.int8]  # (labels, classifiers): 1 yes, −1 no, 0 not asked
    columns: Weights  # (features + 1, padded), a column for each classifier

    def __call__(self, rows: _core.Rows) -> NDArray[np.float64]:
        """(rows, labels)."""
        margins = _core.decision(rows, self.columns.reshape(-1), self.codes.shape[1], 1)
        return votes(margins, self.codes)


def votes(margins: NDArray[np.float64], codes: NDArray[np.int8]) -> NDArray[np.float64]:
    """score(y) = Σ_b code[y, b] · sign of the b-th margin: each binary classifier has one vote.

    Between labels of equal votes the sum of their margins decides; it adds less than a third of a
    vote. With the code of all pairs these are votes of pairs, with a dense one Hamming decoding.
    """
    asked = codes.T.astype(np.float64)
    signs, sums = np.where(margins > 0, 1.0, -1.0) @ asked, margins @ asked
    return np.asarray(signs + sums / (3 * (np.abs(sums) + 1)))
