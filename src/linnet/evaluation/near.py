"""Texts that are nearly the same: many words in common (Broder 1997, min-wise hashing)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np

WORD = re.compile(r"\w+")
BANDS, ROWS = 16, 3  # texts of which a share s of words is common meet with 1 − (1 − sᴿ)ᴮ
LARGEST_GROUP = 50  # of texts that look alike, so that pairs stay few
PRIME = (1 << 61) - 1


@dataclass(frozen=True)
class Near:
    """Two texts by their positions, and the share of their words that both have (Jaccard)."""

    first: int
    second: int
    share: float


def near_duplicates(texts: Sequence[str], least: float = 0.8, seed: int = 0) -> list[Near]:
    """Pairs of texts with ``least`` of their words in common, most alike first.

    Candidates meet in one of the bands of their signatures; each pair is then compared exactly. A pair
    at the border may be missed, with the chance above; one that is told is right.

    >>> near_duplicates(["a wren in the old hedge", "A wren in the hedge", "an owl"], 0.7)
    [Near(first=0, second=1, share=0.8333333333333334)]
    """
    words = [frozenset(WORD.findall(text.casefold())) for text in texts]
    random = np.random.default_rng(seed)
    factors = random.integers(1, 1 << 31, BANDS * ROWS, dtype=np.uint64)
    shifts = random.integers(0, 1 << 31, BANDS * ROWS, dtype=np.uint64)
    met: dict[tuple[int, bytes], list[int]] = defaultdict(list)
    for i, each in enumerate(words):
        if not each:
            continue
        codes = np.array([crc32(word.encode("utf-8", "replace")) for word in each], np.uint64)
        hashed = (codes[:, None] * factors + shifts) % np.uint64(PRIME)
        signature = hashed.min(axis=0)
        for band in range(BANDS):
            met[band, signature[band * ROWS : (band + 1) * ROWS].tobytes()].append(i)
    pairs = {
        (i, j)
        for group in met.values()
        if len(group) > 1
        for k, i in enumerate(group[:LARGEST_GROUP])
        for j in group[k + 1 : LARGEST_GROUP]
    }
    found = []
    for i, j in pairs:
        share = len(words[i] & words[j]) / len(words[i] | words[j])
        if share >= least:
            found.append(Near(i, j, share))
    return sorted(found, key=lambda near: (-near.share, near.first, near.second))
