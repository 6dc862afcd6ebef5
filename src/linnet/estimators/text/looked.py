"""Labelled texts of files that go by in parts: what is kept of them are labels and weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import Examples, LabelColumn
from linnet.data.fingerprint import LabelledSeen, TextsSeen, fingerprint
from linnet.data.joined import join_labels
from linnet.data.sections import Sections, Stored
from linnet.errors import DataError
from linnet.estimators.caching import Inputs
from linnet.estimators.text.missing import Settled, settled
from linnet.estimators.text.reading import TextFile, remembered

Seen = Callable[[_core.Texts], None]


@dataclass(frozen=True)
class Looked:
    """What a pass over all texts has shown."""

    texts: TextsSeen
    labels: LabelColumn
    weights: NDArray[np.float64] | None
    data: dict[str, Any]  # what to remember of the files

    def described(self) -> dict[str, Any]:
        """For the record of a model."""
        names = [*self.labels.names]
        return {
            "texts": self.texts.count,
            "bytes": self.texts.bytes,
            "labels": len(names),
            "fingerprint": fingerprint(LabelledSeen(self.texts, self.labels)),
        }

    def store(self, sections: Sections) -> dict[str, Any]:
        """Into a file; what is small is handed back."""
        sections.add("codes", self.labels.codes)
        if self.labels.offsets is not None:
            sections.add("label_offsets", self.labels.offsets)
        if self.weights is not None:
            sections.add("weights", self.weights)
        seen = [self.texts.count, self.texts.bytes, f"{self.texts.hash:x}"]
        return {"texts": seen, "names": self.labels.names, "data": self.data}

    @classmethod
    def stored(cls, file: Stored, facts: Mapping[str, Any]) -> Looked:
        """The inverse."""
        offsets = file.array("label_offsets") if "label_offsets" in file else None
        count, size, hash_ = facts["texts"]
        return cls(
            TextsSeen(count, size, int(hash_, 16)),
            LabelColumn(facts["names"], file.array("codes"), offsets),
            file.array("weights") if "weights" in file else None,
            facts["data"],
        )


@dataclass(frozen=True)
class Settling:
    """What is done about examples of files that lack something, or weigh nothing."""

    missing: Any
    weightless: tuple[str, ...]  # labels

    def __call__(self, examples: Examples) -> tuple[_core.Texts, LabelColumn, NDArray[np.float64]]:
        """Nothing is missing in what is left, and everything weighs something."""
        if examples.texts is None:
            raise DataError(
                f"{examples.source} has numbered features, no texts; rows are read as a whole"
            )
        if examples.labels is None:
            raise DataError(f"{examples.source} has no labels, and there is nothing to learn from")
        found: Settled = settled(
            self, examples.texts, "X", None, examples.labels, True, examples.line_of
        )
        weights = np.ones(len(examples)) if examples.weights is None else examples.weights
        weights = np.asarray(found.left(weights), dtype=np.float64)
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise DataError(f"{examples.source}: weights must be numbers of 0 or more")
        texts, labels = found.texts, _used(found.y)
        present = weights > 0
        if self.weightless and not labels.multilabel:
            gone = [labels.names.index(name) for name in self.weightless if name in labels.names]
            present &= ~np.isin(labels.codes, gone)
        if not present.all():
            places = np.flatnonzero(present)
            texts, labels, weights = texts.take(places), labels.take(places), weights[places]
        return texts, labels, weights


class Gathered:
    """What is kept of texts that go by."""

    def __init__(self) -> None:
        self.texts = TextsSeen()
        self.read = 0  # examples, with those that nothing was kept of
        self.notes: dict[str, None] = {}
        self._columns: list[LabelColumn] = []
        self._weights: list[NDArray[np.float64] | None] = []
        self._data: dict[str, Any] = {}

    def add(
        self, labels: LabelColumn, weights: NDArray[np.float64] | None, data: dict[str, Any]
    ) -> None:
        """Of the next ones; ``weights`` are None where a file has none."""
        self._columns.append(labels)
        self._weights.append(weights)
        self._data = self._data or data

    @property
    def labels(self) -> LabelColumn:
        """Of all."""
        return join_labels(self._columns)

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """1 where a file has no weights; None if none has."""
        if all(some is None for some in self._weights):
            return None
        pairs = zip(self._weights, self._columns, strict=True)
        return np.concatenate([np.ones(len(c)) if some is None else some for some, c in pairs])

    @property
    def data(self) -> dict[str, Any]:
        """What to remember of the files: of the first."""
        return self._data

    def looked(self, source: str) -> Looked:
        """At all of them; there must be some."""
        if not self.texts.count:
            raise DataError(f"{source}: no example is left to learn from")
        return Looked(self.texts, self.labels, self.weights, self.data)


class TextFiles(Inputs):
    """Files that are read in parts, more than once if they are no pipes."""

    def __init__(self, files: Sequence[TextFile], model: Any, class_weight: Any) -> None:
        self.files = list(files)
        # Who weighs nothing is not there: no word of theirs is seen.
        given = class_weight.items() if isinstance(class_weight, Mapping) else ()
        weightless = sorted(str(label) for label, factor in given if factor == 0)
        self.settling = Settling(model.missing, tuple(weightless))
        super().__init__([file.path for file in self.files])
        self.passes = 0
        self.told: list[str] = []  # what is no part of a model

    def look(self, seen: Seen | None = None) -> Looked:
        """A pass over all; ``seen`` gets the texts of each part."""
        if self.passes and self.pipes:
            raise DataError(f"{self.pipes[0]} can be read only once; give a file")
        self.passes += 1
        gathered = Gathered()
        for file, watched in zip(self.files, self.watched, strict=True):
            with nullcontext(file.path) if watched is None else watched.reading() as arriving:
                for examples in file.parts(arriving):
                    gathered.notes |= dict.fromkeys(examples.notes)
                    some, labels, weights = self.settling(examples)
                    weighed = None if examples.weights is None else weights
                    gathered.add(labels, weighed, remembered(examples))
                    gathered.texts = gathered.texts.with_more(some)
                    if seen is not None and len(some):
                        seen(some)
        if self.passes == 1:
            self.told += gathered.notes
        return gathered.looked(self.files[0].path)


def _used(column: LabelColumn) -> LabelColumn:
    """Without names that no text has."""
    used = np.bincount(column.codes, minlength=len(column.names)) > 0
    if used.all():
        return column
    number = np.cumsum(used, dtype=np.int32) - np.int32(1)
    names = [name for name, kept in zip(column.names, used.tolist(), strict=True) if kept]
    return LabelColumn(names, number[column.codes], column.offsets)
