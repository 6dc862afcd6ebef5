"""Rows in a mapped file that is larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._memory import check_held
from linnet.data.matrix import CsrRows
from linnet.data.sections import Sections, Stored

BLOCK = 64  # rows from anywhere in the file, whose pages are held at a time
ENTRY = 8  # bytes, of index and value


@dataclass(frozen=True)
class MappedRows(CsrRows):
    """Rows whose arrays are those of a file; each reader keeps ``window`` bytes of them in memory.

    Whatever is made of them lies in memory, if there is room below the limit.
    """

    window: int = 1 << 24
    give_back: Callable[[], None] = lambda: None  # what has been read of the file

    def core(self, bias: float) -> _core.Rows:
        """As learners read them."""
        return _core.Rows.csr(
            self.indptr, self.indices, self.values, self.features, bias, window=self.window
        )

    def __getitem__(self, places: NDArray[np.integer[Any]]) -> CsrRows:
        """The rows at these places, in this order, in memory."""
        places = np.asarray(places)
        entries = int((self.indptr[places + 1] - self.indptr[places]).sum())
        self._check(entries, f"{len(places):,} rows of the data")
        indptr = np.zeros(len(places) + 1, np.int64)
        indices, values = np.empty(entries, np.int32), np.empty(entries, np.float32)
        parts = self._parts(places)
        for block in range(0, len(places), BLOCK):
            for k in range(block, min(block + BLOCK, len(places))):
                begin, end = self.indptr[places[k] : places[k] + 2].tolist()
                at = int(indptr[k])
                indptr[k + 1] = at + end - begin
                indices[at : at + end - begin] = self.indices[begin:end]
                values[at : at + end - begin] = self.values[begin:end]
            self.give_back()
        return CsrRows(indptr, indices, values, self.features, self.distinct, parts)

    def _parts(self, places: NDArray[np.integer[Any]]) -> NDArray[np.int64] | None:
        if self.part_starts is None:
            return None
        number = (len(self.part_starts) - 1) // max(len(self), 1)
        sizes = [np.diff(self.part_starts[p * number : (p + 1) * number + 1]) for p in places.tolist()]
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(sizes))])

    def scaled(self, factors: NDArray[np.float32]) -> CsrRows:
        """In memory, with the indices where they are."""
        self._check(len(self.indices), "rows scaled for a label")
        return self._held().scaled(factors)

    def among(self, kept: NDArray[np.integer[Any]]) -> CsrRows:
        """In memory."""
        self._check(len(self.indices), "rows of some features")
        return self._held().among(kept)

    def scipy(self) -> Any:
        """In memory, as all of SciPy's are."""
        self._check(len(self.indices), "a matrix of all rows")
        return self._held().scipy()

    def in_memory(self) -> CsrRows:
        """The same arrays, of which nothing is given back."""
        return self._held()

    def _held(self) -> CsrRows:
        return CsrRows(
            self.indptr, self.indices, self.values, self.features, self.distinct, self.part_starts
        )

    @staticmethod
    def _check(entries: int, what: str) -> None:
        check_held(ENTRY * entries, what, "use a learner and settings that go through rows in order")


def write_rows(
    sections: Sections, parts: Iterable[Any], rows: int, entries: int, number: int = 0
) -> None:
    """Rows that come some at a time (`CsrRows`, or what has their arrays), for `mapped_rows`.

    There are so many ``rows``, and at most so many ``entries``; ``number`` is that of parts of a row
    which say where they begin.
    """
    sections.reserve("indptr", np.int64, rows + 1)
    sections.reserve("indices", np.int32, entries)
    sections.reserve("values", np.float32, entries)
    if number:
        sections.reserve("part_starts", np.int64, rows * number + 1)
    row = at = 0
    for some in parts:
        sections.put("indptr", row, some.indptr + at)
        if some.part_starts is not None:
            sections.put("part_starts", row * number, some.part_starts + at)
        sections.put("indices", at, some.indices)
        sections.put("values", at, some.values)
        row, at = row + len(some.indptr) - 1, at + len(some.indices)
    sections.shrink("indices", at)
    sections.shrink("values", at)


def mapped_rows(
    stored: Stored, features: int, distinct: bool, window: int = MappedRows.window
) -> MappedRows:
    """The inverse."""
    return MappedRows(
        stored.array("indptr"),
        stored.array("indices"),
        stored.array("values"),
        features,
        distinct,
        stored.array("part_starts") if "part_starts" in stored else None,
        window=window,
        give_back=stored.give_back,
    )
