"""What a data file holds once it is read: texts or rows, labels, weights and columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.label_names import check_names
from linnet.errors import DataError

if TYPE_CHECKING:
    from linnet.data.matrix import CsrRows

BLOCK = 4096  # texts whose bytes are copied at a time


@dataclass(frozen=True)
class LabelColumn:
    """One label per example, or a set of them.

    ``names`` are sorted. With ``offsets`` the column is multi-label: the labels of example i are
    ``codes[offsets[i]:offsets[i + 1]]``; without, its label is ``names[codes[i]]``.
    """

    names: list[str]
    codes: NDArray[np.int32]
    offsets: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        check_names(self.names)

    def __len__(self) -> int:
        return len(self.codes) if self.offsets is None else len(self.offsets) - 1

    @property
    def multilabel(self) -> bool:
        return self.offsets is not None

    @classmethod
    def from_values(cls, values: Sequence[str] | Sequence[Sequence[str]]) -> LabelColumn:
        """Of labels, or of lists of labels.

        >>> LabelColumn.from_values(["b", "a", "b"]).codes.tolist()
        [1, 0, 1]
        """
        if not any(isinstance(value, (list, tuple, set, frozenset)) for value in values):
            return cls._of([str(value) for value in values], None)
        sets = [[value] if isinstance(value, str) else list(value) for value in values]
        offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
        return cls._of([str(name) for labels in sets for name in labels], offsets)

    @classmethod
    def _of(cls, flat: list[str], offsets: NDArray[np.int64] | None) -> LabelColumn:
        names = sorted(set(flat))
        code = {name: k for k, name in enumerate(names)}
        return cls(names, np.fromiter((code[name] for name in flat), np.int32, len(flat)), offsets)

    def values(self) -> list[Any]:
        """The labels as they stand in the file: strings, or lists of strings."""
        flat = [self.names[code] for code in self.codes.tolist()]
        if self.offsets is None:
            return flat
        ends = self.offsets.tolist()
        return [flat[begin:end] for begin, end in pairwise(ends)]

    def as_sets(self) -> LabelColumn:
        """The same as sets of labels, of one each if they were none.

        >>> LabelColumn.from_values(["b", "a"]).as_sets().values()
        [['b'], ['a']]
        """
        return self if self.multilabel else replace(self, offsets=np.arange(len(self) + 1))

    def take(self, places: NDArray[np.int64]) -> LabelColumn:
        """The labels of these examples; ``names`` stay as they are."""
        if self.offsets is None:
            return replace(self, codes=self.codes[places])
        codes, offsets = take_ragged(self.codes, self.offsets, places)
        return LabelColumn(self.names, codes, offsets)


@dataclass(frozen=True)
class Examples:
    """The examples of one file, in its order. ``lines`` says where each one begins (from 1)."""

    texts: _core.Texts | None = None
    labels: LabelColumn | None = None
    weights: NDArray[np.float64] | None = None
    columns: dict[str, NDArray[Any]] = field(default_factory=dict)  # float64, or object: str
    matrix: CsrRows | None = None
    feature_names: list[str] | None = None
    source: str = ""
    lines: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    notes: tuple[str, ...] = ()  # what the reader passed over, for the user to know
    zero_based: bool = False  # of a matrix: were its features counted from 0 in the file?
    format: str = ""  # of the file
    names: dict[str, str] = field(default_factory=dict)  # what its text, label and weight are called
    records: list[dict[str, Any]] | None = None  # all that the file holds, if that was asked for

    def __post_init__(self) -> None:
        if self.texts is None and self.matrix is None:
            raise ValueError("examples need texts or a matrix")
        sizes = {name: len(part) for name, part in self._parts()}
        if len(set(sizes.values())) > 1:
            raise DataError("parts of the examples differ in length: " + ", ".join(
                f"{name} {size}" for name, size in sizes.items()
            ))  # fmt: skip

    def _parts(self) -> Iterator[tuple[str, Any]]:
        if self.texts is not None:
            yield "texts", self.texts
        if self.matrix is not None:
            yield "rows", self.matrix  # which may be elsewhere
        for name, part in (("labels", self.labels), ("weights", self.weights)):
            if part is not None:
                yield name, part
        yield from ((f"column {name!r}", values) for name, values in self.columns.items())
        if len(self.lines):
            yield "lines", self.lines

    def line_of(self, place: int) -> str:
        """Where an example stands, for messages."""
        return f"{self.source}, line {int(self.lines[place])}"

    def __len__(self) -> int:
        return next(len(part) for _, part in self._parts())

    def take(self, places: NDArray[np.integer[Any]] | Sequence[int]) -> Examples:
        """These examples, in this order."""
        at = np.ascontiguousarray(places, np.int64)
        return replace(
            self,
            texts=None if self.texts is None else self.texts.take(at),
            labels=None if self.labels is None else self.labels.take(at),
            weights=None if self.weights is None else self.weights[at],
            columns={name: values[at] for name, values in self.columns.items()},
            matrix=None if self.matrix is None else self.matrix[at],
            lines=self.lines[at] if len(self.lines) else self.lines,
            records=None if self.records is None else [self.records[i] for i in at.tolist()],
        )

    def raw_texts(self) -> Iterator[bytes]:
        """The bytes of the texts as they stand in the file, malformed ones too."""
        if self.texts is not None:
            for begin in range(0, len(self.texts), BLOCK):
                data, offsets = _core.text_bytes(self.texts, begin, begin + BLOCK)
                ends = offsets.tolist()
                yield from (data[b:e] for b, e in pairwise(ends))


def take_ragged(
    values: NDArray[Any], offsets: NDArray[np.int64], places: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Rows of unequal length: the values of the rows at ``places``, and their offsets."""
    lengths = np.diff(offsets)[places]
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    inside = np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)
    return values[np.repeat(offsets[places], lengths) + inside], ends
