"""Rows of numbers in ranges of a file, as workers read them: looked at once, then learnt from.

How many features there are, and whether they are counted from 0, is known when all rows have been seen.
So ranges are read with the numbers that stand in the file, and workers count from 1 afterwards.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np

from linnet._lacks import Lack, gathering, tell
from linnet._params import whole
from linnet.data import CsrRows, Examples, LabelColumn, RowsElsewhere
from linnet.data.fingerprint import fingerprint
from linnet.data.joined import join_labels
from linnet.data.matrix import join_rows
from linnet.engines import Engine, kept, slices
from linnet.errors import DataError
from linnet.estimators.ranges import LARGEST, SMALLEST, check_there, size_of_ranges
from linnet.formats import FORMATS, Range, ranges, read_batches
from linnet.formats._source import is_stream
from linnet.training.progress import Progress

FORM = "svmlight"


@dataclass(frozen=True)
class RowRange:
    """A range of a file, and how it is read."""

    where: Range
    options: Mapping[str, Any]

    def read(self) -> Examples | None:
        """Its rows with features as they are numbered in the file; None if there are none."""
        check_there(self.where)
        self.where.check()
        as_written = dict(self.options) | {"labelled": True, "zero_based": True}
        found = [some for some in read_batches(self.where, FORM, **as_written) if len(some)]
        rows = [some.matrix for some in found if some.matrix is not None]
        if not found:
            return None
        return Examples(
            labels=join_labels([some.labels for some in found if some.labels is not None]),
            matrix=replace(join_rows(rows), features=max(one.features for one in rows)),
            source=self.where.path,
            notes=tuple(dict.fromkeys(note for some in found for note in some.notes)),
        )


@dataclass(frozen=True)
class RangeSeen:
    """What a look at a range has shown."""

    labels: LabelColumn
    entries: int
    smallest: int | None  # number of a feature, as written; None: no row has any
    end: int  # after the largest one
    fingerprint: str
    notes: tuple[str, ...]
    lacks: tuple[Lack, ...]  # what was missing


def look(source: RowRange) -> RangeSeen:
    """A task: labels and numbers of features in a range."""
    with gathering() as lacks:
        data = source.read()
    missing = tuple(lacks.values())
    if data is None or data.matrix is None or data.labels is None:
        return RangeSeen(LabelColumn([], np.zeros(0, np.int32)), 0, None, 0, "", (), missing)
    numbers = data.matrix.indices
    return RangeSeen(
        data.labels,
        len(numbers),
        int(numbers.min()) if len(numbers) else None,
        data.matrix.features,
        fingerprint(data),
        data.notes,
        missing,
    )


@dataclass(frozen=True)
class Piece:
    """The rows [first, last) of a range."""

    source: RowRange
    fingerprint: str  # of the range, when it was looked at
    first: int
    last: int

    def rows(self) -> CsrRows:
        """With features as written, if the range is what it was."""
        with gathering():  # it was told by those who looked
            data = self.source.read()
        if data is None or data.matrix is None or fingerprint(data) != self.fingerprint:
            raise self.source.where.changed()
        rows = data.matrix
        return rows if self.last - self.first == len(rows) else rows[np.arange(self.first, self.last)]


@dataclass(frozen=True)
class RowShard:
    """A recipe: the rows of a shard."""

    name: str  # no other shard has it
    pieces: tuple[Piece, ...]
    zero_based: bool
    features: int

    def __call__(self) -> CsrRows:
        rows: CsrRows = kept(self.name, self._made)
        return rows

    def _made(self) -> CsrRows:
        rows = join_rows([piece.rows() for piece in self.pieces])
        indices = rows.indices if self.zero_based else rows.indices - np.int32(1)
        return replace(rows, indices=indices, features=self.features)


def rows_of_workers(
    path: str, options: Mapping[str, Any], engine: Engine, verbose: bool | None = None
) -> Examples:
    """What `formats.read` gives of a file of svmlight, but for its rows, which workers read."""
    sources = _cut(path, options, engine)
    seen: list[RangeSeen] = []
    with gathering() as lacks, Progress("looking", verbose) as progress:
        for found in engine.in_order(look, [(source,) for source in sources]):
            seen.append(found)
            tell(found.lacks)  # which adds them up
            progress.say(f"{len(seen):,} of {len(sources):,} parts")
    counts = [len(found.labels) for found in seen]
    read = sum(counts) + sum(lack.count for lack in lacks.values() if lack.done == "skip")
    tell(replace(lack, of=read) for lack in lacks.values())
    if not sum(counts):
        raise DataError(f"{path} holds a header or comments, and no examples")
    notes = dict.fromkeys(note for found in seen for note in found.notes)
    zero_based = options.get("zero_based")
    if zero_based is None:
        zero_based = any(found.smallest == 0 for found in seen)
        if zero_based:
            notes[f"{path}: the index 0 occurs, so features are counted from 0"] = None
    features = max(0, max(found.end for found in seen) - (not zero_based))
    known = json.dumps([zero_based, features, [found.fingerprint for found in seen]])
    digest = blake2b(known.encode(), digest_size=16).hexdigest()
    bounds = engine.cut(sum(counts))
    shards = [
        RowShard(
            f"{digest} {k}",
            tuple(Piece(sources[n], seen[n].fingerprint, first, last) for n, first, last in shard),
            zero_based,
            features,
        )
        for k, shard in enumerate(slices(counts, bounds))
    ]
    rows = RowsElsewhere.of(
        features,
        engine=engine,
        recipes=tuple(shards),
        sizes=tuple(end - begin for begin, end in bounds),
        total=sum(found.entries for found in seen),
        fingerprint=digest,
    )
    labels = join_labels([found.labels for found in seen])
    return Examples(
        labels=labels,
        matrix=rows,
        source=path,
        notes=tuple(notes),
        zero_based=zero_based,
        format=FORM,
    )


def why_rows_here(model: Any, path: str | os.PathLike[str]) -> str | None:
    """Why workers cannot read the rows by themselves, so that they are sent; None: they can."""
    if model.progressive:
        return "examples are predicted here while they are learnt from"
    if model.early_stopping or model._learner().needs_dev:
        return "some rows are held out"
    return f"{path} can be read only here, and once" if is_stream(os.fspath(path)) else None


def _cut(path: str, options: Mapping[str, Any], engine: Engine) -> list[RowRange]:
    place = os.path.abspath(path)
    size = size_of_ranges([place], whole("shards", engine.shards), SMALLEST, LARGEST)
    return [RowRange(where, options) for where in ranges(place, FORMATS[FORM], size, **options)]
