"""Words whose hashes were chosen to share a home, as somebody could who knows how they are made."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
SALTS = (0x243F6A8885A308D3, 0x13198A2E03707344)  # as in hash.hpp
LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)


def fold(a: Words, b: int) -> Words:
    """High xor low half of the products, of 128 bits."""
    low, high = np.uint64(b & 0xFFFFFFFF), np.uint64(b >> 32)
    a0, a1 = a & LOW, a >> HALF
    bottom = a0 * low
    left = a1 * low + (bottom >> HALF)
    middle = (left & LOW) + a0 * high
    top = a1 * high + (left >> HALF) + (middle >> HALF)
    return (middle << HALF | bottom & LOW) ^ top


def hashes_of(words: Words, length: int) -> Words:
    """Of words of so many bytes, at most eight, as the analyzer has them."""
    return fold(words ^ np.uint64(SALTS[0]), length ^ SALTS[1])


def words_that_share_a_home(count: int, bits: int, seed: int = 0) -> list[str]:
    """Eight letters each; the leading ``bits`` of their hashes are zero. By trying: 2^bits for each."""
    rng = np.random.default_rng(seed)
    found: list[str] = []
    known: set[str] = set()
    while len(found) < count:
        letters = rng.integers(97, 123, (1 << 18, 8), dtype=np.uint8)
        words = letters.view("<u8").reshape(-1)
        chosen = letters[hashes_of(words, 8) >> np.uint64(64 - bits) == 0]
        for row in chosen:
            word = row.tobytes().decode()
            if word not in known:
                known.add(word)
                found.append(word)
    return found[:count]
