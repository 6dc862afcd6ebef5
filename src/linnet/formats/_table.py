"""The table of formats."""

from __future__ import annotations

from linnet.formats import csv, fasttext, jsonl, parquet, svmlight, text, tsv, vw
from linnet.formats._options import Format

FORMATS: dict[str, Format] = {
    room.FORMAT.name: room.FORMAT for room in (tsv, csv, jsonl, parquet, fasttext, vw, svmlight, text)
}


def named(name: str) -> Format:
    if name not in FORMATS:
        raise ValueError(f"there is no format {name!r}; there are {', '.join(FORMATS)}")
    return FORMATS[name]
