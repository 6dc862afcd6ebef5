"""Which format a file is of: by its ending, then by its first lines."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass

from linnet.errors import DataError, setting
from linnet.formats._access import Source, name_of
from linnet.formats._columns import DELIMITERS, known
from linnet.formats._json import parse
from linnet.formats._options import Format
from linnet.formats._records import first_values, is_list
from linnet.formats._source import check_encoding, head, is_stream
from linnet.formats._table import by_ending, named

HEAD = 1 << 16  # bytes looked at
NUMBER = rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
SVMLIGHT = re.compile(rb"[^\s:|]*(?:\s+qid:\d+)?(?:\s+\d+:" + NUMBER + rb")+\s*(?:#.*)?|#.*", re.DOTALL)
VW = re.compile(rb"(?:[^\s|]+(?: +" + NUMBER + rb"){0,2} +)?(?:'[^\s|]* +|[^\s|]*)\|.*", re.DOTALL)


@dataclass(frozen=True)
class Expected:
    """What is known of a file before it is looked at, from the data that a model learnt from."""

    format: str | None = None  # wins where several fit
    names: tuple[str, ...] = ()  # columns, by which the header of a CSV file is known
    otherwise: str = "text"  # what lines are that fit nothing


def detect(
    path: str | os.PathLike[str], task: str = "classify", expected: Expected | None = None
) -> str:
    """The name of the format of a file: of examples, or with the task ``tag`` of sentences.

    A known ending decides (``.gz`` after it is ignored). Otherwise all of the first lines must
    fit one format only; if they fit several or some do not fit, the format must be given. A pipe
    can be looked at as `Arriving`, which keeps what was seen for the reader.
    """
    from linnet.formats.sequences import detect_sequences

    if task == "tag":
        return detect_sequences(path)
    if task != "classify":
        raise ValueError(f"task must be 'classify' or 'tag'; it is {task!r}")
    if is_stream(path):
        raise ValueError(f"{name_of(path)} can be read only once: give its format")
    row = by_ending(path, Format)
    if row is not None and not (row.in_json and os.path.exists(path)):
        return row.name
    return by_name_and_content(path, head(path, HEAD), expected or Expected()).name


def by_name_and_content(
    path: str | os.PathLike[str],
    source: Source,
    expected: Expected = Expected(),
) -> Format:
    """As the ending says; but many tools write JSON, and its content tells which."""
    row = by_ending(path, Format)
    if row is None:
        return named(by_content(source, expected), Format)
    tool = exporter(source) if row.in_json else None
    return row if tool is None else named(tool, Format)


def exporter(source: Source) -> str | None:
    """The format of what a tool has exported, if it is one."""
    from linnet.formats.exports import recognised

    found = recognised(source, HEAD)
    return None if found is None else found[0]


def by_content(source: Source, expected: Expected = Expected()) -> str:
    """Of the first lines; the last one is not looked at if it may be cut off."""
    if source.data.startswith(b"PAR1"):
        return "parquet"
    tool = exporter(source)
    if tool is not None:
        return tool
    data = source.data[check_encoding(source) : HEAD]
    lines = data.split(b"\n")
    if len(lines) > 1 and (len(source.data) >= HEAD or not lines[-1]):
        lines.pop()
    lines = [line.removesuffix(b"\r") for line in lines]
    filled = [line for line in lines if line]
    if not filled:
        return expected.otherwise
    fits = [name for name, rule in RULES.items() if rule(filled)]
    if "csv" not in fits and _names(filled[0], *expected.names):
        fits.append("csv")
    if expected.format in fits:
        return expected.format
    if fits == []:
        tabbed = sum(b"\t" in line for line in filled)
        if tabbed == 0 or expected.otherwise != "text":
            return expected.otherwise
        if 2 * tabbed > len(filled):  # its reader will name the lines that lack one
            return "tsv"
        fits = ["tsv", "text"]
    if len(fits) > 1:
        raise DataError(
            f"{source.name} may be of the formats {' or '.join(fits)}: "
            f"say which, by {setting('format', fits[0])}"
        )
    return fits[0]


def _jsonl(lines: list[bytes]) -> bool:
    if is_list(lines[0]):
        return all(isinstance(value, dict) for value in first_values(b"\n".join(lines)) or [None])
    try:
        return all(line.startswith(b"{") for line in lines) and isinstance(parse(lines[0]), dict)
    except ValueError:
        return False


def _csv(lines: list[bytes]) -> bool:
    """A header that names a known column; commas alone may be prose, and of one line so may names."""
    if len(lines) == 1 and b", " in lines[0]:
        return False
    names = _cells(lines[0], ",")
    return len(names) > 1 and (known(names, "text") or known(names, "label")) is not None


def _names(line: bytes, *names: str) -> bool:
    """Is this a header with one of these columns?"""
    return any(
        len(cells := _cells(line, mark)) > 1 and not {*names}.isdisjoint(cells) for mark in DELIMITERS
    )


def _cells(line: bytes, mark: str) -> list[str]:
    return [cell.strip().strip('"') for cell in line.decode(errors="replace").split(mark)]


RULES: dict[str, Callable[[list[bytes]], bool]] = {
    "jsonl": _jsonl,
    "fasttext": lambda lines: all(line.startswith(b"__label__") for line in lines),
    "svmlight": lambda lines: all(map(SVMLIGHT.fullmatch, lines)),
    "vw": lambda lines: all(map(VW.fullmatch, lines)),
    "csv": _csv,
    "tsv": lambda lines: all(b"\t" in line for line in lines),
}
