"""Training on files of texts that workers read: each its shard, wherever it is.

Tasks over ranges of the files show labels, lengths and features in a first pass. Vocabularies of ranges
are joined in their order, so that features have the numbers that they have on one machine. Then
each worker makes the rows of its shard. Here are labels and weights, the vocabulary, and no texts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import numpy as np

from linnet._lacks import Lack, gathering, tell
from linnet._params import whole
from linnet.data import RowsElsewhere
from linnet.data.mapped import ENTRY
from linnet.engines import Engine, slices
from linnet.estimators.ranges import LARGEST, SMALLEST, size_of_ranges
from linnet.estimators.text.looked import Gathered, Looked, TextFiles
from linnet.estimators.text.parted import (
    PER_TEXT,
    WORKING,
    Made,
    PartedTexts,
    targets_of,
    width_of,
    window_of,
)
from linnet.estimators.text.ranged import (
    Piece,
    RangeKnown,
    RangeSeen,
    TextRange,
    TextShard,
    look,
)
from linnet.estimators.text.settings import unfitted
from linnet.features import TextFeatures
from linnet.features.text.merged import MergedFeatures, RowMaker
from linnet.formats import FORMATS, ranges
from linnet.training.progress import Progress

NARROWEST = 1 << 19  # bytes of a shard that is read


class OnMachines(PartedTexts):
    """Shards that workers make of ranges of files."""

    def __init__(
        self, model: Any, files: TextFiles, limit: int | None, threads: int, engine: Engine
    ) -> None:
        super().__init__(model, files, limit, threads)
        self.engine = engine
        self.at_work = engine.worker_threads if engine.far else threads
        if limit is not None:
            self._check_parts()
        self.ranges = self._cut()
        self.known: list[RangeKnown] = []  # of each
        self.shards: tuple[TextShard, ...] = ()

    def _cut(self) -> list[TextRange]:
        paths = [os.path.abspath(file.path) for file in self.files.files]
        size = size_of_ranges(paths, whole("shards", self.engine.shards), SMALLEST, LARGEST)
        if self.limit is not None:
            size = int(np.clip(self.limit // 64, SMALLEST, size))
        return [
            TextRange(replace(file, path=path), where, self.files.settling)
            for file, path in zip(self.files.files, paths, strict=True)
            for where in ranges(path, FORMATS[file.form], size, **file.options)
        ]

    def _looked(self) -> Looked:
        return self._pass("looking", None)

    def _pass(self, what: str, merged: MergedFeatures | None) -> Looked:
        """Over all ranges, in their order."""
        settings = None if merged is None else unfitted(merged.features)
        items = [(source, settings, self.at_work) for source in self.ranges]
        gathered, known = Gathered(), []
        with gathering() as lacks, Progress(what, self.model.verbose) as progress:
            for number, seen in enumerate(self.engine.in_order(look, items)):
                gathered.notes |= dict.fromkeys(seen.notes)
                gathered.read += seen.read
                gathered.texts = gathered.texts.with_hashes(seen.hashes, seen.bytes)
                gathered.add(seen.labels, seen.weights, dict(seen.data))
                known.append(seen.known)
                tell(self._true_lines(number, seen, lacks))  # which adds them up
                if merged is not None and seen.features is not None:
                    merged.add(seen.features)
                    self._check_vocabulary(merged)
                progress.say(f"{number + 1:,} of {len(items):,} parts  {gathered.texts.count:,} texts")
        if not self.known:
            tell(replace(lack, of=gathered.read) for lack in lacks.values())
            self.files.told += gathered.notes
        for source, before, now in zip(self.ranges, self.known, known, strict=False):
            source.check_same(before, now.hash, now.count)
        self.known = known
        return gathered.looked(self.files.files[0].path)

    def _true_lines(self, number: int, seen: RangeSeen, before: Mapping[Any, Lack]) -> Iterable[Lack]:
        """What was missing; of the first of a kind the line in its file is told."""
        new = {(lack.kind, lack.name, lack.done) for lack in seen.lacks} - before.keys()
        source = self.ranges[number]
        where = source.where.numbered() if new else source.where
        if where == source.where:
            return seen.lacks
        return look(replace(source, where=where), None, 1).lacks

    def _rows(
        self, features: TextFeatures, looked: Looked | None
    ) -> tuple[TextFeatures, Looked, RowsElsewhere]:
        merged = MergedFeatures(features)
        found = self._pass("counting", merged)
        targets = targets_of(found)
        self._settle(merged, targets)
        maker = self.engine.shared(RowMaker.of(features))
        counts = [known.count for known in self.known]
        bounds = self.engine.cut(len(targets))
        about = json.dumps([found.described()["fingerprint"], features.spec()], default=repr)
        fingerprint = blake2b(about.encode(), digest_size=16).hexdigest()
        self.shards = tuple(
            TextShard(
                f"{fingerprint} {k}",
                tuple(self._piece(*one) for one in shard),
                maker,
                window=None,
                threads=self.at_work,
            )
            for k, shard in enumerate(slices(counts, bounds))
        )
        rows = RowsElsewhere.of(
            features.n_features,
            engine=self.engine,
            recipes=self.shards,
            sizes=tuple(end - begin for begin, end in bounds),
            total=merged.entries,
            fingerprint=fingerprint,
        )
        return features, found, rows

    def _piece(self, number: int, first: int, last: int) -> Piece:
        return Piece(self.ranges[number], self.known[number], first, last)

    def _fitting(self, made: Made) -> Made:
        """Each worker has its shard in memory, if that fits; here they are all in one process."""
        rows = made.rows
        assert isinstance(rows, RowsElsewhere)
        if self.limit is None:
            return made
        sizes = [
            ENTRY * sum(piece.known.entries for piece in shard.pieces) + (8 + PER_TEXT) * count
            for shard, count in zip(self.shards, rows.sizes, strict=True)
        ]
        size = max(sizes) if self.engine.far else sum(sizes)
        left = self.limit - self.at_start - WORKING
        weights = 16 * (rows.features + 1.0) * width_of(made.targets)
        if size + weights <= left:
            return made
        features = made.features
        self._check_distinct(features.mix is None or features.hash_bits is None, size)
        window = window_of(self.limit)
        if not self.engine.far:
            window = max(window // len(self.shards), NARROWEST)
        recipes = tuple(replace(shard, window=window) for shard in self.shards)
        made.rows = replace(rows, recipes=recipes)
        return self._in_order(made, size, left)
