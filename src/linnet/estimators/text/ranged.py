"""Ranges of files of labelled texts, as workers read them: looked at, counted, and made into rows."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._lacks import Lack, gathering
from linnet._writing import scratch
from linnet.data import CsrRows, LabelColumn
from linnet.data.mapped import MappedRows, mapped_rows, write_rows
from linnet.data.matrix import join_rows
from linnet.data.sections import Sections, Stored
from linnet.engines import Shared, kept
from linnet.estimators.caching import told_of
from linnet.estimators.ranges import check_there
from linnet.estimators.text.looked import Gathered, Settling
from linnet.estimators.text.reading import TextFile, remembered
from linnet.features import TextFeatures
from linnet.features.text.merged import RowMaker, SeeingFeatures, SeenFeatures
from linnet.formats import Range

Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class TextRange:
    """A range of a file, and how it is read."""

    file: TextFile
    where: Range
    settling: Settling

    def parts(self, gathered: Gathered) -> Iterator[tuple[_core.Texts, LabelColumn]]:
        """Some texts at a time, of which something may be kept."""
        check_there(self.where)
        for examples in self.file.parts(self.where):
            gathered.notes |= dict.fromkeys(examples.notes)
            gathered.read += len(examples)
            texts, labels, weights = self.settling(examples)
            gathered.add(labels, None if examples.weights is None else weights, remembered(examples))
            yield texts, labels

    def check_same(self, before: RangeKnown, hash_: int, count: int) -> None:
        """It must hold what it held when it was first looked at."""
        if (hash_, count) != (before.hash, before.count):
            raise self.where.changed()


@dataclass(frozen=True)
class RangeKnown:
    """What the driver remembers of a range."""

    count: int  # texts that are left to learn from
    hash: int  # of these
    entries: int  # of their rows, at most


@dataclass(frozen=True)
class RangeSeen:
    """What a look at a range has shown."""

    hashes: Hashes  # of each text
    bytes: int
    read: int  # examples, with those that were left out
    labels: LabelColumn
    weights: NDArray[np.float64] | None
    data: Mapping[str, Any]  # what to remember of the file
    notes: tuple[str, ...]
    lacks: tuple[Lack, ...]  # what was missing
    features: SeenFeatures | None  # if they were asked for

    @property
    def known(self) -> RangeKnown:
        """What is needed to read it again."""
        entries = 0 if self.features is None else self.features.entries
        return RangeKnown(len(self.hashes), _core.combine_hashes(self.hashes), entries)


def look(source: TextRange, features: TextFeatures | None, threads: int) -> RangeSeen:
    """A task: labels, weights and hashes of the texts of a range, and features if wanted."""
    seeing = None if features is None else SeeingFeatures(features, threads)
    gathered, hashes, size = Gathered(), [np.zeros(0, np.uint64)], 0
    with gathering() as lacks:
        for texts, labels in source.parts(gathered):
            hashes.append(_core.text_hashes(texts))
            size += texts.size_in_bytes
            if seeing is not None:
                seeing.add(texts, labels.codes, labels.names)
    left_out = sum(lack.count for lack in lacks.values() if lack.done == "skip")  # by the reader
    return RangeSeen(
        np.concatenate(hashes),
        size,
        gathered.read + left_out,
        gathered.labels,
        gathered.weights,
        gathered.data,
        tuple(gathered.notes),
        tuple(lacks.values()),
        None if seeing is None else seeing.seen(),
    )


@dataclass(frozen=True)
class Piece:
    """The texts [first, last) of a range."""

    source: TextRange
    known: RangeKnown
    first: int
    last: int

    def texts(self) -> Iterator[_core.Texts]:
        """Some at a time; at the end the range is known to be what it was."""
        before = hash_ = 0
        with gathering():  # it was told by those who looked
            for texts, _ in self.source.parts(Gathered()):
                hash_ = _core.hash_texts(texts, hash_)
                first, last = np.clip([self.first - before, self.last - before], 0, len(texts)).tolist()
                if first < last:
                    yield texts if last - first == len(texts) else texts.take(np.arange(first, last))
                before += len(texts)
        self.source.check_same(self.known, hash_, before)


@dataclass(frozen=True)
class TextShard:
    """A recipe: the rows of a shard, in memory, or in a file of which ``window`` bytes are read."""

    name: str  # no other shard has it
    pieces: tuple[Piece, ...]
    maker: Shared  # a RowMaker
    window: int | None
    threads: int

    def __call__(self) -> CsrRows:
        rows: CsrRows = kept(self.name, self._made)
        return rows

    def _made(self) -> CsrRows:
        maker: RowMaker = self.maker.get()
        features = maker.features()
        rows = (features.rows(texts, self.threads) for piece in self.pieces for texts in piece.texts())
        return join_rows([*rows]) if self.window is None else self._in_a_file(features, rows)

    def _in_a_file(self, features: TextFeatures, rows: Iterator[CsrRows]) -> MappedRows:
        place = tempfile.gettempdir()
        size = sum(piece.last - piece.first for piece in self.pieces)
        entries = sum(piece.known.entries for piece in self.pieces)
        parts = 0 if features.mix is None else len(features.part_weights)
        with told_of(place), scratch(place) as file:
            sections = Sections(file)
            write_rows(sections, rows, size, entries, parts)
            sections.finish({})
            stored = Stored(file.fileno(), place)
        assert self.window is not None
        return mapped_rows(stored, features.n_features, distinct=True, window=self.window)
