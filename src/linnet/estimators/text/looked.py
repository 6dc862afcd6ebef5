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
from linnet.formats import why_whole
from linnet.formats._source import is_stream

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


class TextFiles:
    """Files that are read in parts, more than once if they are no pipes."""

    def __init__(self, files: Sequence[TextFile], model: Any, class_weight: Any) -> None:
        self.files, self.model = list(files), model
        # Who weighs nothing is not there: no word of theirs is seen.
        given = class_weight.items() if isinstance(class_weight, Mapping) else ()
        self.weightless = sorted(str(label) for label, factor in given if factor == 0)
        self.inputs = Inputs([file.path for file in self.files])
        self.passes = 0
        self.told: list[str] = []  # what is no part of a model
        for file in self.files:
            why = None if is_stream(file.path) else why_whole(file.path, file.form)
            if why is not None:
                raise DataError(f"{file.path} cannot be read in parts: {why}")

    def look(self, seen: Seen | None = None) -> Looked:
        """A pass over all; ``seen`` gets the texts of each part."""
        if self.passes and self.inputs.pipes:
            raise DataError(f"{self.inputs.pipes[0]} can be read only once; give a file")
        self.passes += 1
        columns: list[LabelColumn] = []
        weights: list[NDArray[np.float64] | None] = []
        texts = TextsSeen()
        data: dict[str, Any] = {}
        notes: dict[str, None] = {}
        for file, watched in zip(self.files, self.inputs.watched, strict=True):
            with nullcontext(file.path) if watched is None else watched.reading() as arriving:
                for examples in file.parts(arriving):
                    data = data or remembered(examples)
                    notes |= dict.fromkeys(examples.notes)
                    some, labels, weight = self._settled(examples)
                    columns.append(labels)
                    weights.append(weight if examples.weights is not None else None)
                    texts = texts.with_more(some)
                    if seen is not None and len(some):
                        seen(some)
        if self.passes == 1:
            self.told += notes
        if not texts.count:
            raise DataError(f"{self.files[0].path}: no example is left to learn from")
        return Looked(
            texts,
            join_labels(columns),
            _joined(weights, columns),
            data,
        )

    def _settled(self, examples: Examples) -> tuple[_core.Texts, LabelColumn, NDArray[np.float64]]:
        """Nothing is missing in what is left, and everything weighs something."""
        if examples.texts is None:
            raise DataError(
                f"{examples.source} has numbered features, no texts; rows are read as a whole"
            )
        if examples.labels is None:
            raise DataError(f"{examples.source} has no labels, and there is nothing to learn from")
        found: Settled = settled(
            self.model, examples.texts, "X", None, examples.labels, True, examples.line_of
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


def _used(column: LabelColumn) -> LabelColumn:
    """Without names that no text has."""
    used = np.bincount(column.codes, minlength=len(column.names)) > 0
    if used.all():
        return column
    number = np.cumsum(used, dtype=np.int32) - np.int32(1)
    names = [name for name, kept in zip(column.names, used.tolist(), strict=True) if kept]
    return LabelColumn(names, number[column.codes], column.offsets)


def _joined(
    weights: list[NDArray[np.float64] | None], columns: list[LabelColumn]
) -> NDArray[np.float64] | None:
    """1 where a file has no weights; None if none has."""
    if all(some is None for some in weights):
        return None
    pairs = zip(weights, columns, strict=True)
    return np.concatenate([np.ones(len(c)) if some is None else some for some, c in pairs])
