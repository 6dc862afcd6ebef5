"""Writing examples, if the format can hold what they are made of."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from linnet.data.examples import Examples
from linnet.errors import DataError, setting
from linnet.formats import csv
from linnet.formats._arriving import GZIP
from linnet.formats._options import Format
from linnet.formats._source import BOM, store
from linnet.formats._table import R, by_ending, holding, named, writer


def write(
    examples: Examples,
    path: str | os.PathLike[str],
    format: str | None = None,  # noqa: A002
    *,
    lossy: bool = False,
    safe_csv: bool = False,
) -> None:
    """Write a file; ``-`` is standard output, and a name that ends in ``.gz`` is packed.

    The format is that of the ending unless it is given. What the format cannot hold is refused by
    a `DataError`. With ``lossy``, line breaks in texts become spaces, and weights, columns and names
    of features without a place are left out. With ``safe_csv`` an apostrophe stands before what a
    spreadsheet would take for a formula. The file appears when it is complete.
    """
    chosen = target_of(path, format, Format)
    if safe_csv and chosen.name != csv.FORMAT.name:
        raise ValueError(f"{setting('safe_csv', True)}: for the format 'csv'; it is {chosen.name!r}")
    kept = _fitting(examples, chosen, lossy)
    store(path, _marked(csv.write(kept, lossy, True) if safe_csv else writer(chosen)(kept, lossy)))


def target_of(path: str | os.PathLike[str], name: str | None, kind: type[R]) -> R:
    """The format to write a file in: as it was said, or as its ending has it."""
    if name is not None:
        return named(name, kind)
    found = None if os.fspath(path) == "-" else by_ending(path, kind)
    if found is None:
        raise ValueError(f"the format of {os.fspath(path)!r} is not known by its ending: give it")
    return found


def _fitting(examples: Examples, chosen: Format, lossy: bool) -> Examples:
    """The examples without what may be left out; what may not is refused."""
    present = {
        "texts": examples.texts is not None,
        "matrix": examples.matrix is not None,
        "labels": examples.labels is not None,
        "multilabel": examples.labels is not None and examples.labels.multilabel,
        "names": examples.feature_names is not None,
        "weights": examples.weights is not None,
        "columns": bool(examples.columns),
    }
    missing = [part for part, there in present.items() if there and part not in chosen.carries]
    for part in missing:
        if part in ("texts", "matrix", "labels", "multilabel"):
            written = [row for row in holding(Format).values() if row.write is not None]
            able = [row.name for row in written if part in row.carries and row is not chosen]
            raise DataError(f"the format {chosen.name!r} cannot hold {HELD[part]}; {_or(able)} can")
        if not lossy:
            raise DataError(
                f"the format {chosen.name!r} cannot hold {HELD[part]}; with {setting('lossy', True)} "
                f"they are left out"
            )
    return replace(
        examples,
        weights=None if "weights" in missing else examples.weights,
        columns={} if "columns" in missing else examples.columns,
        feature_names=None if "names" in missing else examples.feature_names,
    )


HELD = {
    "texts": "texts",
    "matrix": "a matrix of features",
    "labels": "labels",
    "multilabel": "several labels per example",
    "names": "names of features",
    "weights": "weights",
    "columns": "further columns",
}


def _or(names: list[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _marked(parts: Iterator[bytes]) -> Iterator[bytes]:
    """A first text that begins with U+FEFF, or as gzip does, is kept from being taken for that."""
    for first in parts:
        yield BOM + first if first.startswith((BOM, GZIP)) else first
        break
    yield from parts
