"""Examples of several files as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.examples import Examples, LabelColumn
from linnet.errors import DataError


@dataclass(frozen=True)
class JoinedExamples(Examples):
    """They know which file each one is of."""

    sources: tuple[str, ...] = ()
    ends: tuple[int, ...] = ()  # of each file, among all

    def line_of(self, place: int) -> str:
        """Where an example stands, for messages."""
        source = self.sources[int(np.searchsorted(self.ends, place, side="right"))]
        return f"{source}, line {int(self.lines[place])}"

    def take(self, places: NDArray[np.integer[Any]] | Sequence[int]) -> Examples:
        """These, of which nobody knows the file any more."""
        plain = {name: getattr(self, name) for name in Examples.__dataclass_fields__}
        return Examples(**plain).take(places)


def joined(parts: Sequence[Examples]) -> Examples:
    """One after the other; format and names are those of the first."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    texts = []
    for part in parts:
        if part.texts is None:
            raise DataError(f"{part.source} holds numbers; of several files all must hold texts")
        texts.append(part.texts)
    labels = [part.labels for part in parts]
    for part in parts:
        if (part.labels is None) != (first.labels is None):
            raise DataError(f"of {first.source} and {part.source} one has labels and one has none")
    weighed = any(part.weights is not None for part in parts)
    weights = [np.ones(len(part)) if part.weights is None else part.weights for part in parts]
    names = first.columns.keys()
    more = len(parts) - 1
    return JoinedExamples(
        _core.Texts.joined(texts),
        None if first.labels is None else join_labels([column for column in labels if column]),
        np.concatenate(weights) if weighed else None,
        {name: np.concatenate([part.columns[name] for part in parts]) for name in names},
        source=f"{first.source} and {more} more file{'s' if more > 1 else ''}",
        lines=np.concatenate([part.lines for part in parts]),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        format=first.format,
        names=first.names,
        sources=tuple(part.source for part in parts),
        ends=tuple(np.cumsum([len(part) for part in parts]).tolist()),
    )


def join_labels(columns: Sequence[LabelColumn]) -> LabelColumn:
    """One column after the other; if one has sets of labels, all have."""
    names = sorted({name for column in columns for name in column.names})
    number = {name: k for k, name in enumerate(names)}
    several = any(column.multilabel for column in columns)
    codes, ends, end = [], [np.zeros(1, np.int64)], 0
    for column in columns:
        place = np.array([number[name] for name in column.names], dtype=np.int32)
        codes.append(place[column.codes] if len(place) else column.codes)
        offsets = np.arange(len(column) + 1) if column.offsets is None else column.offsets
        ends.append(offsets[1:] + end)
        end += len(column.codes)
    flat = np.concatenate(codes)
    if not several:
        return LabelColumn(names, flat)
    return LabelColumn(names, flat, np.concatenate(ends))
