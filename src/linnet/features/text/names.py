"""Names of features, decoded when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray


class _Names(Sequence[str]):
    """A sequence of strings that are made one at a time."""

    def name(self, j: int) -> str:
        raise NotImplementedError

    @overload
    def __getitem__(self, j: int) -> str: ...
    @overload
    def __getitem__(self, j: slice) -> list[str]: ...
    def __getitem__(self, j: int | slice) -> str | list[str]:
        if isinstance(j, slice):
            return [self.name(k) for k in range(*j.indices(len(self)))]
        if not -len(self) <= j < len(self):
            raise IndexError(f"there is no feature {j} among {len(self)}")
        return self.name(int(j) % len(self))


class StoredNames(_Names):
    """Name j is bytes offsets[j] to offsets[j + 1] of UTF-8, which may lie in a mapped file."""

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self._data = data
        self._offsets = offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def name(self, j: int) -> str:
        begin, end = self._offsets[j : j + 2]
        return self._data[begin:end].tobytes().decode("utf-8", "replace")


class BucketNames(_Names):
    """Buckets of hashing: the names of the first few features that fell into each, if kept."""

    shown = 3

    def __init__(self, bits: int, hashes: NDArray[np.uint64], names: Sequence[str]) -> None:
        self._size = 1 << bits
        self._names = names
        buckets = hashes >> np.uint64(64 - bits)
        self._order = np.argsort(buckets, kind="stable")  # those seen first stay first
        self._buckets = buckets[self._order]

    def __len__(self) -> int:
        return self._size

    def name(self, j: int) -> str:
        begin, end = np.searchsorted(self._buckets, np.array([j, j + 1], dtype=np.uint64))
        if begin == end:
            return f"hash:{j}"
        found = [self._names[k] for k in self._order[begin : min(end, begin + self.shown)]]
        return " | ".join([*found, "…"] if end - begin > self.shown else found)

    @property
    def collisions(self) -> int:
        """How many features share their bucket with another."""
        counts = np.unique(self._buckets, return_counts=True)[1]
        return int(counts[counts > 1].sum())


class JoinedNames(_Names):
    """One sequence of names after the other."""

    def __init__(self, first: Sequence[str], second: Sequence[str]) -> None:
        self._first = first
        self._second = second

    def __len__(self) -> int:
        return len(self._first) + len(self._second)

    def name(self, j: int) -> str:
        n = len(self._first)
        return self._first[j] if j < n else self._second[j - n]
