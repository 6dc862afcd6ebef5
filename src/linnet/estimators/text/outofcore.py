"""Training on more text than memory holds: rows in a file, made by one pass over the texts."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, BinaryIO

import linnet._core as _core
from linnet._memory import memory
from linnet._writing import scratch
from linnet.data import MappedRows
from linnet.data.mapped import ENTRY, mapped_rows, write_rows
from linnet.data.sections import Sections, Stored
from linnet.errors import DataError
from linnet.estimators.caching import Cache, made_anew, told_of
from linnet.estimators.text.looked import Looked, TextFiles
from linnet.estimators.text.parted import (
    PER_TEXT,
    WORKING,
    Made,
    PartedTexts,
    targets_of,
    width_of,
    window_of,
)
from linnet.features import TextFeatures
from linnet.features.text.counted import CountedTexts
from linnet.features.text.hooks import HOOKS


class OutOfCore(PartedTexts):
    """Rows in a file, which may be kept for the next time."""

    def __init__(
        self, model: Any, files: TextFiles, limit: int | None, cache: str | None, threads: int
    ) -> None:
        super().__init__(model, files, limit, threads)
        self._check_parts()
        self.kept = Cache(cache, files)
        self.place = self.kept.place

    # ------------------------------------------------------------------ what there is

    def _looked(self) -> Looked:
        """Labels and lengths, which features='auto' goes by."""
        if self.files.pipes:
            raise DataError(
                f"{self.files.pipes[0]} can be read only once, and features='auto' looks at all texts "
                f"before it begins; say which features there are, or give a file"
            )
        path = self._path("look", None)
        stored = self.kept.reused(path, "looked")
        if stored is not None:
            return Looked.stored(stored, stored.facts["looked"])
        looked = self.files.look()
        if path is not None:
            with self.kept.written(path) as file:
                sections = Sections(file)
                sections.finish({"looked": looked.store(sections)} | self.files.facts())
        return looked

    def _rows(
        self, features: TextFeatures, looked: Looked | None
    ) -> tuple[TextFeatures, Looked, MappedRows]:
        """From the cache or made anew."""
        hooked = any(getattr(features, name) is not None for name in HOOKS)
        path = None if hooked else self._path("rows", features)  # code is no part of a name
        stored = self.kept.reused(path, "looked")
        if stored is not None:
            try:
                names = [name for name in stored.table if name.startswith("feature ")]
                tensors = {name.removeprefix("feature "): stored.array(name) for name in names}
                known = TextFeatures.from_parts(stored.facts["features"], tensors)
                found = Looked.stored(stored, stored.facts["looked"])
                self.files.told.append(f"rows are those kept in {stored.name}")
                return known, found, self._mapped(stored, known)
            except DataError as error:
                made_anew(error)
        with told_of(self.place), scratch(self.place) as file:
            counted = CountedTexts(features, file, self.threads)
            found = self.files.look(lambda texts: self._count(counted, texts))
            self._settle(counted, targets_of(found))
            if path is None:
                with scratch(self.place) as rows:
                    self._write(rows, counted, None)
                    stored = Stored(rows.fileno(), self.place)
                return features, found, self._mapped(stored, features)
            with self.kept.written(path) as rows:
                self._write(rows, counted, found)
        return features, found, self._mapped(self.kept.kept(path), features)

    def _count(self, counted: CountedTexts, texts: _core.Texts) -> None:
        counted.add(texts)
        self._check_vocabulary(counted)

    def _write(self, file: BinaryIO, counted: CountedTexts, looked: Looked | None) -> None:
        """Rows, and if they are to be kept what else there is."""
        sections, features = Sections(file), counted.features
        parts = 0 if features.mix is None else len(features.part_weights)
        write_rows(sections, counted.rows(), counted.documents, counted.entries, parts)
        facts: dict[str, Any] = {"size": features.n_features}
        if looked is not None:
            facts |= {
                "looked": looked.store(sections),
                "features": features.spec(),
            } | self.files.facts()
            for name, tensor in features.tensors().items():
                sections.add(f"feature {name}", tensor)
        sections.finish(facts)

    def _mapped(self, stored: Stored, features: TextFeatures) -> MappedRows:
        distinct = features.mix is None or features.hash_bits is None
        return mapped_rows(stored, features.n_features, distinct)

    # ------------------------------------------------------------------ who learns from it

    def _fitting(self, made: Made) -> Made:
        """Rows in memory if they fit; otherwise a learner that reads them in order."""
        rows = made.rows
        assert isinstance(rows, MappedRows)
        rows.give_back()
        size = ENTRY * len(rows.indices) + 8 * len(rows)
        left = memory() - WORKING - PER_TEXT * len(rows)
        weights = 16 * (rows.features + 1.0) * width_of(made.targets)
        if self.limit is None or size + weights <= left:
            made.rows = rows.in_memory()
            return made
        made.rows = replace(rows, window=window_of(self.limit))
        self._check_distinct(rows.distinct, size)
        return self._in_order(made, size, left)

    # ------------------------------------------------------------------ what is kept

    def _path(self, kind: str, features: TextFeatures | None) -> str | None:
        """Where it is kept: by the files and how they are read, and by the features."""
        read = [[os.path.abspath(f.path), f.form, dict(f.options)] for f in self.files.files]
        settings = None if features is None else features.get_params(deep=False)
        settling = self.files.settling
        return self.kept.path(kind, read, settings, list(settling.weightless), repr(settling.missing))
