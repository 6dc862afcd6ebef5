"""A part of a file that is read by itself, as if the rest had been read before it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from linnet._lacks import gathering
from linnet.errors import DataError
from linnet.formats._access import Stamp, told

T = TypeVar("T")
PIECE = 1 << 20  # bytes asked for at a time; a pipe gives what it has
LATER = 2  # what the first line of a later part is called where nobody has counted those before


@dataclass(frozen=True)
class Range(os.PathLike[str]):
    """The bytes from ``begin`` to ``end`` of a file, between two examples, sentences or trees.

    It stands where readers take a path, and is made by `ranges`. Of Parquet ``begin`` and ``end`` count
    row groups. What the first lines of a file decide (names of columns, whether it is labelled, how
    many columns there are) is decided by those of the file, not by those of the range.

    ``line`` is the number of its first line. None: nobody has counted; then lines of examples are
    counted from the beginning of the range, but errors name the line of the file all the same.
    """

    path: str
    begin: int
    end: int
    stamp: Stamp  # of the file when it was cut
    size: int  # bytes that it takes in the file
    line: int | None = None
    head: int = 0  # bytes of a header, which are read before those of a later range
    groups: bool = False  # begin and end count row groups

    def __fspath__(self) -> str:
        return self.path

    def __str__(self) -> str:
        return self.path

    @property
    def whole(self) -> bool:
        """Is it all of the file?"""
        return not self.groups and self.begin == 0 and self.end == self.stamp.size

    @property
    def first_line(self) -> int:
        """The number of its first line; 1 is the first of the file and of nothing else."""
        return self.line or (LATER if self.begin else 1)

    def check(self) -> None:
        """The file must be what it was when it was cut."""
        if Stamp.of(self.path).key() != self.stamp.key():
            raise self.changed()

    def changed(self) -> DataError:
        """What to say if it is not."""
        return DataError(f"{self.path} has changed since it was cut into ranges; begin again")

    def numbered(self) -> Range:
        """With the number of its first line; all lines before it are counted."""
        if self.line is not None or self.begin == 0 or self.groups:
            return self
        with told(self.path), open(self.path, "rb") as file:
            return replace(self, line=1 + lines_of(file, self.begin))


def lines_of(file: Any, size: int) -> int:
    """How many lines end in the next ``size`` bytes."""
    count = 0
    while size > 0 and (piece := file.read(min(PIECE, size))):
        count += piece.count(b"\n")
        size -= len(piece)
    return count


def part_of(path: Any) -> Range | None:
    """The range that is to be read, if it is not a whole file."""
    found = path if isinstance(path, Range) else getattr(path, "range", None)
    return None if found is None or found.whole else found


def truly_told(path: Any, read: Callable[[Any], Iterator[T]]) -> Iterator[T]:
    """What is read; if it is wrong, lines before are counted, so that the true one is named."""
    part = part_of(path)
    return read(path) if part is None or part.line is not None else _again(path, part, read)


def _again(path: Any, part: Range, read: Callable[[Any], Iterator[T]]) -> Iterator[T]:
    try:
        yield from read(path)
    except DataError:
        numbered = part.numbered()
        if numbered != part:
            with gathering():  # what was missing has been told
                for _ in read(numbered):
                    pass
        raise
