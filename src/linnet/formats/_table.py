"""The table of formats: what each holds, and whether it is read and written."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import PurePath
from typing import Any, TypeVar

from linnet.formats._options import Row

R = TypeVar("R", bound=Row)


@cache
def table() -> tuple[Row, ...]:
    """A format is one row here; all else (detection by ending, commands, the manual) reads them off.

    The rows are gathered when they are first asked for: their modules ask this one for others.
    """
    from linnet.formats import csv, exports, fasttext, jsonl, parquet, svmlight, text, tsv, vw
    from linnet.formats.brackets import penn
    from linnet.formats.sequences import conll, conllu, crfsuite, raw, spans, tokens
    from linnet.formats.sequences import tsv as token_tsv
    from linnet.formats.trees import columns

    examples = (tsv, csv, jsonl, parquet, fasttext, vw, svmlight, text)
    sentences = (conll, conllu, crfsuite, token_tsv, tokens, spans, raw)
    rows: tuple[Row, ...] = tuple(room.FORMAT for room in examples)
    rows += tuple(room.FORMAT for room in sentences)
    return (*rows, *exports.FORMATS, columns.CONLLU, columns.CONLLX, penn.FORMAT)


def holding(kind: type[R]) -> dict[str, R]:
    """The rows that hold examples (`Format`), sentences, trees or trees of phrases, by name."""
    return {row.name: row for row in table() if isinstance(row, kind)}


def named(name: str, kind: type[R]) -> R:
    """A row by its name; an unknown one is reported with the known ones."""
    known = holding(kind)
    if name not in known:
        raise ValueError(f"there is no format {name!r} of {kind.holds}; there are {', '.join(known)}")
    return known[name]


def by_ending(path: str | os.PathLike[str], kind: type[R]) -> R | None:
    """The row whose ending a file has; ``.gz`` after it is ignored."""
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    ending = suffixes[-1] if suffixes else ""
    return next((row for row in holding(kind).values() if ending in row.endings), None)


def writer(row: Row) -> Callable[..., Any]:
    """What writes a format; those that are only read are refused."""
    if row.write is None:
        raise ValueError(f"the format {row.name!r} is only read, not written")
    return row.write
