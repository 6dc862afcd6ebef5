"""What the oracle must answer, by adding up every output."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def brute_force(
    ring: str, outputs: Iterable[list[int]], theta: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """Value and μ of `ring` ('max' or 'log') over an enumeration of outputs."""
    counts = np.array([np.bincount(o, minlength=len(theta)) for o in outputs], dtype=float)
    scores = np.array([sum(theta[o_p] * c for o_p, c in enumerate(row) if c) for row in counts])
    if ring == "max":
        return float(scores.max()), counts[int(scores.argmax())]
    top = scores.max()
    weight = np.exp(scores - top)
    return float(top + np.log(weight.sum())), weight @ counts / weight.sum()
