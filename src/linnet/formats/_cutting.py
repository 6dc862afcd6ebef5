"""Where a file may be cut, so that its parts can be read apart."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, BinaryIO

from linnet.errors import DataError
from linnet.formats import parquet
from linnet.formats._access import Stamp, name_of, told
from linnet.formats._options import Format, Row
from linnet.formats._quotes import Quotes, lines_in
from linnet.formats._ranges import PIECE, Range, lines_of
from linnet.formats._read import divides, why_whole
from linnet.formats._source import is_plain, is_stream
from linnet.formats.brackets import BracketFormat
from linnet.formats.sequences import SequenceFormat
from linnet.formats.sequences._cells import in_sentence

# The next place at or after one where a file may be cut; None: there is none
Next = Callable[[BinaryIO, int], int | None]


def ranges(
    path: str | os.PathLike[str], form: Row, size: int, *, lines: bool = False, **options: Any
) -> list[Range]:
    """Cut a file into ranges of about ``size`` bytes, in order; together they are all of it.

    ``form`` is its row in the table of formats (`FORMATS`, `SEQUENCE_FORMATS`, `TREE_FORMATS`), and
    ``options`` are those that the reader will be given. Cuts are between lines, between sentences
    (comments stay before the sentence that they stand before), between records of CSV, or between row
    groups of Parquet. Only the bytes around the cuts are read; but CSV is read once, for the sake of
    its quotes, and so is every file if ``lines`` are to be counted (see `Range`).

    What can only be read whole is one range: gzip, lists of JSON, exports of tools, TSV with a header
    (which may have quotes), running text that is not read by lines, trees in brackets.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1; it is {size}")
    if is_stream(path):
        raise DataError(f"{name_of(path)} is a pipe, which cannot be cut into ranges")
    name = os.fspath(path)
    stamp = Stamp.of(name)
    whole = Range(name, 0, stamp.size, stamp, stamp.size, 1)
    if stamp.size <= size or not is_plain(name) or _is_whole(name, form, options):
        return [whole]
    if form.name == "parquet":
        found = [
            replace(whole, begin=begin, end=end, size=bytes_, groups=True)
            for begin, end, bytes_ in parquet.groups(name, size)
        ]
        return found if len(found) > 1 else [whole]
    with told(name), open(name, "rb") as file:
        if form.name == "csv":
            return _records(file, whole, size, options)
        cuts = [0, *_cuts(file, size, _next_cut(form, options)), stamp.size]
        found = [
            replace(whole, begin=begin, end=end, size=end - begin, line=1 if begin == 0 else None)
            for begin, end in pairwise(cuts)
        ]
        return _numbered(file, found) if lines else found


def _is_whole(path: str, form: Row, options: dict[str, Any]) -> bool:
    """Can it be read in no other way?"""
    if isinstance(form, BracketFormat):  # only brackets before it tell where a tree ends
        return True
    if isinstance(form, Format):
        if form.name == "tsv" and options.get("header") is False:
            return False
        return why_whole(path, form.name) is not None
    if isinstance(form, SequenceFormat):
        if form.whole or (form.name == "text" and not options.get("by_line", True)):
            return True
        with told(path), open(path, "rb") as file:
            return form.whole_if is not None and form.whole_if(file.read(PIECE))
    return False


def _next_cut(form: Row, options: dict[str, Any]) -> Next:
    if form.by_line:
        return _after_line
    return partial(_after_sentence, comment=(options.get("comment") or form.comment).encode())


def _cuts(file: BinaryIO, size: int, next_cut: Next) -> Iterator[int]:
    cut: int | None = 0
    while cut is not None:
        cut = next_cut(file, cut + size)
        if cut is not None:
            yield cut


def _lines_from(file: BinaryIO, at: int) -> Iterator[tuple[bytes, int]]:
    """The lines that begin at a place or after it, and where they end."""
    file.seek(at - 1)
    at += len(file.readline()) - 1
    for line in file:
        at += len(line)
        yield line, at


def _after_line(file: BinaryIO, at: int) -> int | None:
    """Between two lines that are not empty.

    Empty ones stay before the line that they stand before, so that readers that do not want them
    complain; at the end of the file they stay after the last one.
    """
    cut = None
    for line, end in _lines_from(file, at):
        if not line.rstrip(b"\r\n"):
            continue
        if cut is not None:
            return cut
        cut = end
    return None


def _after_sentence(file: BinaryIO, at: int, comment: bytes) -> int | None:
    """After the first empty line that ends a sentence, if there is another one to come.

    Comments and boundaries of documents belong to the sentence after them.
    """
    cut, token = None, False
    for line, end in _lines_from(file, at):
        if not line.rstrip(b"\r\n").strip(b" \t"):
            cut = end if token and cut is None else cut
            token = False
            continue
        token = in_sentence(line, comment, token)
        if token and cut is not None:
            return cut
    return None


def _numbered(file: BinaryIO, found: list[Range]) -> list[Range]:
    """With the number of the first line of each."""
    file.seek(0)
    line, numbered = 1, []
    for part in found:
        numbered.append(replace(part, line=line))
        line += lines_of(file, part.size)
    return numbered


def _records(file: BinaryIO, whole: Range, size: int, options: dict[str, Any]) -> list[Range]:
    """Of CSV, by its quotes; lines are counted on the way."""
    quotes = Quotes.of(file, divides(options.get("delimiter")), options.get("header"))
    file.seek(0)
    head = quotes.head(file)
    file.seek(0)
    begins = [(0, 1)]  # byte and line
    at, line = 0, 1
    for block in quotes.blocks(file, min(size, PIECE)):
        if at >= head and at - begins[-1][0] >= size:
            begins.append((at, line))
        at += len(block)
        line += lines_in(block)
    return [
        replace(whole, begin=begin, end=end, size=end - begin, line=line, head=head if begin else 0)
        for (begin, line), (end, _) in pairwise([*begins, (whole.end, line)])
    ]
