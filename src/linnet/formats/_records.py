"""Values of JSON, one after the other: a line for each, or the items of one list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, EmptyError
from linnet.formats._access import Source
from linnet.formats._json import parse
from linnet.formats._source import check_encoding

BLANKS = " \t\r\n"
DECODE = json.JSONDecoder().raw_decode


@dataclass
class Records:
    """The values of a file, and the line on which each one begins."""

    source: Source
    rows: list[Any]
    numbers: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i: int) -> bytes:
        """Bytes that hold the value."""
        return self.source.data

    def keep(self, places: list[int]) -> None:
        """These values alone."""
        self.rows, self.numbers = [self.rows[i] for i in places], self.numbers[places]

    def error(self, i: int, message: str) -> DataError:
        return self.source.error(int(self.numbers[i]), message)


def is_list(data: bytes) -> bool:
    """Whether JSON begins with a list; such a file cannot be read line by line."""
    return data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"["


def read_records(source: Source) -> Records:
    """The items of a list, if the file is one; otherwise a value per line, or one over many lines."""
    text = source.data[check_encoding(source) :].decode(errors="replace")
    if not text.strip(BLANKS):
        raise EmptyError(f"{source.name} is empty")
    rows, lines = _listed(source, text) or _lined(source, text)
    if not rows:
        raise EmptyError(f"{source.name} is an empty list")
    return Records(source, rows, np.array(lines, np.int64))


def first_values(data: bytes) -> list[Any]:
    """The first values of a file that may be cut off: those that are whole."""
    text = data.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
    found: list[Any] = []
    try:
        if text.lstrip(BLANKS)[:1] == "[":
            items = _items(text)
            found.extend(value for value, _ in items)
            return found  # a list from beginning to end
    except ValueError as error:
        if "after the list" not in str(error):
            return found
    found = []
    for line in filter(str.strip, text.split("\n")):
        try:
            found.append(parse(line))
        except ValueError:
            break
    return found


def _listed(source: Source, text: str) -> tuple[list[Any], list[int]] | None:
    """None: there is no list, or more than one."""
    if text.lstrip(BLANKS)[:1] != "[":
        return None
    rows: list[Any] = []
    lines: list[int] = []
    line, at = source.first_line, 0
    try:
        for value, begin in _items(text):
            line += text.count("\n", at, begin)
            at = begin
            rows.append(value)
            lines.append(line)
    except _AfterListError:
        return None
    except json.JSONDecodeError as error:
        if _each_line(text):
            return None
        raise _not_json(source, source.first_line + error.lineno - 1, error) from None
    except ValueError as error:
        raise source.error(line, f"not usable JSON: {error}") from None
    return rows, lines


def _each_line(text: str) -> bool:
    """Is a list cut short the fault of a later line, in a file of one list per line?"""
    first = text.lstrip(BLANKS).partition("\n")[0]
    try:
        return isinstance(parse(first), list)
    except ValueError:
        return False


class _AfterListError(ValueError):
    pass


def _items(text: str) -> Iterator[tuple[Any, int]]:
    """The items of a list and where they begin; ValueError once it is broken, or not all there is."""
    at = _filled(text, 0) + 1  # after the bracket
    at = _filled(text, at)
    if text[at : at + 1] != "]":
        while True:
            try:
                value, end = DECODE(text, at)
            except RecursionError:
                raise ValueError("it is nested too deeply") from None
            yield value, at
            at = _filled(text, end)
            if text[at : at + 1] == "]":
                break
            if text[at : at + 1] != ",":
                raise json.JSONDecodeError("Expecting ',' delimiter", text, at)
            at = _filled(text, at + 1)
    if text[at + 1 :].strip(BLANKS):
        raise _AfterListError("something stands after the list")


def _filled(text: str, at: int) -> int:
    """The next place that is not blank."""
    while at < len(text) and text[at] in BLANKS:
        at += 1
    return at


def _lined(source: Source, text: str) -> tuple[list[Any], list[int]]:
    rows: list[Any] = []
    lines: list[int] = []
    for number, line in enumerate(text.split("\n"), source.first_line):
        if not line.strip(BLANKS):
            continue
        try:
            rows.append(parse(line))
        except json.JSONDecodeError as error:
            if not rows:
                whole = _whole(text)
                if whole is not None:
                    return [whole], [number]
            raise _not_json(source, number, error) from None
        except ValueError as error:
            raise source.error(number, f"not usable JSON: {error}") from None
        lines.append(number)
    return rows, lines


def _whole(text: str) -> Any:
    """One object over many lines."""
    try:
        return parse(text)
    except ValueError:
        return None


def _not_json(source: Source, line: int, error: json.JSONDecodeError) -> DataError:
    return source.error(line, f"not JSON: {error.msg}, column {error.colno}")
