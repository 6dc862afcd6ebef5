"""Where records of CSV end: at ends of lines that stand in no quoted cell."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from linnet.formats._columns import DELIMITERS
from linnet.formats._ranges import PIECE
from linnet.formats._source import BOM

CLOSED = re.compile(rb'(?:[^"]++|"")*+"')  # the rest of a quoted cell, after its first quote
ENDS = re.compile(rb"\r\n?|\n")


def delimiter_in(header: str) -> str:
    """A comma, unless the header has none but another mark that divides cells."""
    return next((mark for mark in DELIMITERS if mark in header), DELIMITERS[0])


def lines_in(data: bytes) -> int:
    r"""Ends of lines as readers of CSV count them: ``\r`` alone is one, too."""
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


class Quotes:
    """Knows quoted cells: a quote opens one where a cell begins, and elsewhere is a character."""

    def __init__(self, delimiter: str) -> None:
        mark = re.escape(delimiter.encode())
        self.opening = re.compile(rb'(?:\A|(?<=[\r\n])|(?<=%s))"' % mark)

    @classmethod
    def of(cls, file: BinaryIO, delimiter: str | None, header: bool | None) -> Quotes:
        """Of a file whose delimiter is known, or that of its header."""
        if delimiter is None:
            first = "" if header is False else _header(file).decode(errors="replace")
            delimiter = delimiter_in(first)
        return cls(delimiter)

    def outside(self, data: bytes) -> Iterator[tuple[int, int]]:
        """The stretches of whole records that are in no quoted cell; the last may be open."""
        at = 0
        while (quote := self.opening.search(data, at)) is not None:
            yield at, quote.start()
            cell = CLOSED.match(data, quote.end())
            if cell is None or cell.end() == len(data):  # the next byte may be a second quote
                return
            at = cell.end()
        yield at, len(data)

    def last_end(self, data: bytes) -> int:
        """After the last record of ``data``, which begins with one; 0: none ends."""
        return max(data.rfind(b"\n", *stretch) + 1 for stretch in self.outside(data))

    def head(self, file: BinaryIO) -> int:
        """The bytes up to the end of the first record of a file."""
        data, more = b"", PIECE
        while piece := file.read(more):
            data, more = data + piece, len(data) + len(piece)
            begin = len(BOM) if data.startswith(BOM) else 0
            begin += len(data[begin:]) - len(data[begin:].lstrip(b"\r\n"))
            found = (ENDS.search(data[begin:], *part) for part in self.outside(data[begin:]))
            end = next((end for end in found if end is not None), None)
            if end is not None and begin + end.end() < len(data):  # else a \n may follow \r
                return begin + end.end()
        return len(data)

    def blocks(self, file: BinaryIO, step: int) -> Iterator[bytes]:
        """The bytes of a file, some whole records at a time."""
        held, more, mark = b"", step, BOM
        while piece := file.read(more):
            held += piece
            begin = len(mark) if held.startswith(mark) else 0
            end = self.last_end(held[begin:])
            more = step if end else len(held)  # so that a long record is looked at few times
            if end:
                yield held[: begin + end]
                held, mark = held[begin + end :], b""
        if held:
            yield held


def _header(file: BinaryIO) -> bytes:
    """The first line that is not empty."""
    line = file.readline().removeprefix(BOM)
    while line and not line.strip(b"\r\n"):
        line = file.readline()
    return line
