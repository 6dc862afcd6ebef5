"""Shards of instances that lie in ranges of files: which instances of which ranges each is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Slice(NamedTuple):
    """The instances [first, last) of a range, which is known by its place in a list of them."""

    range: int
    first: int
    last: int


def slices(counts: Sequence[int], bounds: Sequence[tuple[int, int]]) -> list[list[Slice]]:
    """For each shard [begin, end) of all instances the slices that it consists of, in their order.

    ``counts`` is how many instances each range holds; a shard may take part of a range, and a range
    may belong to several shards.

    >>> slices([3, 0, 4], [(0, 2), (2, 7)])[1]
    [Slice(range=0, first=2, last=3), Slice(range=2, first=0, last=4)]
    """
    ends = np.cumsum(counts).tolist()
    begins = [0, *ends[:-1]]
    found: list[list[Slice]] = []
    for begin, end in bounds:
        first = int(np.searchsorted(ends, begin, side="right"))
        shard = []
        for k in range(first, len(ends)):
            if begins[k] >= end:
                break
            if begins[k] < ends[k]:
                shard.append(Slice(k, max(begin - begins[k], 0), min(end, ends[k]) - begins[k]))
        found.append(shard)
    return found
