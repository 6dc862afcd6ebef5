"""The lines of a source as spans of its bytes, and labels cut out of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.examples import LabelColumn
from linnet.data.label_names import WRONG_END, ends_wrong
from linnet.errors import DataError, EmptyError
from linnet.formats._access import Source
from linnet.formats._options import Options
from linnet.formats._source import check_encoding

Spans = NDArray[np.int64]


@dataclass
class Lines:
    """Line i is ``data[starts[i]:ends[i]]``; its first tab stands at ``tabs[i]``, or that is -1."""

    source: Source
    keep_blank: bool = False  # blank lines are examples; otherwise only the last ones may be blank
    buffer: NDArray[np.uint8] = field(init=False)
    starts: Spans = field(init=False)
    ends: Spans = field(init=False)
    tabs: Spans = field(init=False)
    places: Spans | None = field(init=False, default=None)  # among all lines, if some were left out

    def __post_init__(self) -> None:
        self.buffer = np.frombuffer(self.source.data, np.uint8)
        found = _core.find_lines(self.buffer, check_encoding(self.source))
        self.starts, self.ends, self.tabs = found
        if not self.keep_blank:
            filled = np.flatnonzero(self.ends > self.starts)
            self._cut(int(filled[-1]) + 1 if len(filled) else 0)
            blank = np.flatnonzero(self.ends == self.starts)
            if len(blank):
                raise self.error(blank[0], "the line is empty; remove it")
        if not len(self.starts):
            raise EmptyError(f"{self.source.name} is empty")

    def _cut(self, size: int) -> None:
        self.starts, self.ends, self.tabs = (s[:size] for s in (self.starts, self.ends, self.tabs))

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, i: int) -> bytes:
        return self.source.data[self.starts[i] : self.ends[i]]

    def all(self) -> list[bytes]:
        data = self.source.data
        return [data[b:e] for b, e in zip(self.starts.tolist(), self.ends.tolist(), strict=True)]

    def keep(self, places: list[int]) -> None:
        """These lines alone."""
        self.places = self.numbers[places] - self.source.first_line
        self.starts, self.ends, self.tabs = (s[places] for s in (self.starts, self.ends, self.tabs))

    @property
    def numbers(self) -> Spans:
        there = np.arange(len(self), dtype=np.int64) if self.places is None else self.places
        return there + self.source.first_line

    def error(self, i: Any, message: str) -> DataError:
        place = int(i) if self.places is None else int(self.places[int(i)])
        return self.source.error(place + self.source.first_line, message)

    def texts(self, starts: Spans, ends: Spans) -> _core.Texts:
        return _core.Texts.from_spans(self.buffer, starts, ends)


def label_column(
    texts: _core.Texts,
    offsets: Spans | None,
    raw: Callable[[int], bytes],
    error: Callable[[int, str], DataError],
) -> LabelColumn:
    """Number the labels. ``raw`` and ``error`` give the bytes of a label and complain of its line."""
    codes, names = texts.codes()
    if names and names[0] == "":
        raise error(int(np.argmax(codes == 0)), "the label is empty")
    for code, name in enumerate(names):
        if ends_wrong(name):
            raise error(int(np.argmax(codes == code)), f"the label {name!r:.80} {WRONG_END}")
        if "\ufffd" in name:  # written so, or bytes that are not UTF-8
            for i in np.flatnonzero(codes == code).tolist():
                try:
                    raw(i).decode()
                except UnicodeDecodeError:
                    raise error(i, f"the label {name!r} is not UTF-8") from None
    return LabelColumn(names, codes, offsets)


def several(
    counts: NDArray[np.int64], options: Options, error: Callable[[int, str], DataError]
) -> bool | None:
    """Whether examples with so many labels are multi-label; None: they are not labelled."""
    if options.labelled is False or (options.labelled is None and not counts.any()):
        return None
    multi = bool((counts > 1).any()) if options.multilabel is None else options.multilabel
    if not multi:
        wrong = np.flatnonzero(counts != 1)
        if len(wrong):
            many = counts[wrong[0]] > 1
            raise error(int(wrong[0]), "several labels where one is wanted" if many else "no label")
    return multi


def listed_labels(
    labels: list[list[bytes]], options: Options, error: Callable[[int, str], DataError]
) -> LabelColumn | None:
    """A column from the labels of each example, by the rule of ``several``."""
    counts = np.fromiter(map(len, labels), np.int64, len(labels))
    multi = several(counts, options, error)
    if multi is None:
        return None
    flat = [label for row in labels for label in row]
    rows = np.repeat(np.arange(len(labels)), counts)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)]) if multi else None
    return label_column(
        _core.Texts.from_list(flat),
        offsets,
        lambda i: flat[i],
        lambda i, message: error(int(rows[i]), message),
    )
