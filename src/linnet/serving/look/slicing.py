"""Parts of data that are judged by themselves: by length, in quarters."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from linnet.serving.look.judged import fraction

Told = dict[str, Any]


def by_length(lengths: Any, right: Any, named: str, least: int = 1) -> list[Told | None]:
    """Of things that are right or not, each in something of a length; quarters of them, about.

    ``named`` has a place for the lengths, as in ``sentences of {} words``.
    """
    if not len(lengths):
        return []
    quarters = np.unique(np.quantile(lengths, [0.25, 0.5, 0.75], method="lower"))
    cuts = [least - 1, *quarters, lengths.max()]
    found = []
    for low, high in pairwise(cuts):
        part = (lengths > low) & (lengths <= high)
        said = f"{int(high)}" if low + 1 == high else f"{int(low) + 1} to {int(high)}"
        found.append(fraction(named.format(said), part, right))
    return found
