"""A file that is answered in pieces: each has its answers in a hidden part, and parts are joined."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linnet.cli.journal import Journal, Key, state
from linnet.errors import DataError

if TYPE_CHECKING:
    from linnet.formats import Range

PIECE = "64MB"  # of a file that is answered by itself
PART = ".linnet-part-"  # how the names of parts begin


@dataclass(eq=False)
class Piece:
    """Some of a file, or all of it, and where its answers go."""

    file: File
    number: int
    data: Range | str
    output: str
    size: int  # bytes to read
    key: Key


@dataclass(eq=False)
class File:
    """A file to answer, and what has become of it."""

    number: int
    name: str
    target: str
    head: bytes = b""  # what stands before the answers of the first piece
    pieces: list[Piece] = field(default_factory=list)
    left: int = 0  # pieces to be answered
    said: dict[int, str] = field(default_factory=dict)  # about each piece
    error: str | None = None

    @property
    def key(self) -> Key:
        """Of the whole."""
        return state(self.name)

    def cut(self, ranges: list[Range], head: bytes) -> None:
        """Answer these ranges; without any, or of one alone, the file as a whole."""
        path, target = os.path.abspath(self.name), os.path.abspath(self.target)
        if len(ranges) < 2:
            self.pieces = [Piece(self, 0, path, target, _size(path), self.key)]
            return
        self.head = head
        for number, part in enumerate(ranges):
            key = (*self.key, part.begin, part.end)
            output = os.path.join(os.path.dirname(target), f"{_stem(target)}{part.begin}-{part.end}")
            self.pieces.append(Piece(self, number, part, output, part.size, key))

    def waiting(self, journal: Journal) -> list[Piece]:
        """Pieces without an answer; parts of others, which were cut otherwise, are removed."""
        found = [piece for piece in self.pieces if not journal.has(piece.key, piece.output)]
        missing = {piece.output for piece in found}
        self.sweep({piece.output for piece in self.pieces} - missing)
        self.left = len(found)
        return found

    def sweep(self, keep: set[str]) -> None:
        """Remove parts of this file, but those that are to be kept."""
        folder = Path(self.target).absolute().parent
        for path in folder.glob(f"{_stem(self.target)}*"):
            if str(path) not in keep:
                path.unlink()

    def finish(self, journal: Journal) -> None:
        """All pieces are there: join them, byte for byte what one answer would have been."""
        from linnet.cli.output import written

        if len(self.pieces) > 1:
            with written(self.target) as out:
                out.write(self.head)
                for piece in self.pieces:
                    with open(piece.output, "rb") as part:
                        shutil.copyfileobj(part, out, 1 << 20)
            journal.add(self.pieces[0].key[:3], self.target)
            self.sweep(set())

    def notes(self) -> list[str]:
        """What was said, in the order of pieces; the same of several pieces but for numbers once."""
        lines = [line for number in sorted(self.said) for line in self.said[number].splitlines()]
        return list({re.sub(r"\d+", "0", line): line for line in reversed(lines)}.values())[::-1]


def size_of(given: dict[str, Any]) -> int:
    """The bytes of a piece."""
    from linnet._memory import byte_size

    size = byte_size("--piece", given["piece"] or PIECE)
    if size < 1:
        raise click.UsageError(f"--piece {given['piece']}: a piece has at least one byte")
    return size


def ranges_of(
    task: Any, model: Any, name: str, given: dict[str, Any], size: int
) -> tuple[list[Range], bytes]:
    """The ranges of a file, and what stands before all answers.

    None if it is small, or cannot be read: whoever answers it will say why. What is packed when it is
    written is answered as a whole.
    """
    if name.endswith(".gz") or _size(name) <= size:
        return [], b""
    does = task.does("predict")
    try:
        found = does.ranges(model, os.path.abspath(name), given, size)
        return found, does.head(model, os.path.abspath(name), given) if len(found) > 1 else b""
    except (DataError, click.ClickException, OSError):
        return [], b""


def _stem(target: str) -> str:
    """How the parts of an answer are called, however long its own name is."""
    import hashlib

    name = os.path.basename(target).encode(errors="surrogateescape")
    return f"{PART}{hashlib.blake2b(name, digest_size=8).hexdigest()}-"


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
