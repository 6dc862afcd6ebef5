"""Labels of texts as users give them: one each, or several."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data import LabelColumn
from linnet.errors import DataError
from linnet.estimators._input import column
from linnet.estimators.base import Labels, check_label_types


@dataclass(frozen=True)
class Targets:
    """Labels as numbers of ``classes``; with ``offsets`` text i has codes[offsets[i]:offsets[i+1]]."""

    classes: Labels
    codes: NDArray[np.int32]
    offsets: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.codes) if self.offsets is None else len(self.offsets) - 1

    @property
    def several(self) -> bool:
        """May a text have several labels, or none?"""
        return self.offsets is not None

    def has(self, label: int) -> NDArray[np.bool_]:
        """Which texts have this label."""
        if self.offsets is None:
            return np.asarray(self.codes == label)
        found = np.zeros(len(self), dtype=bool)
        owners = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        found[owners[self.codes == label]] = True
        return found

    def values(self) -> Any:
        """An array of labels, or a list of tuples."""
        if self.offsets is None:
            return self.classes[self.codes]
        names = self.classes[self.codes].tolist()
        return [tuple(names[a:b]) for a, b in pairwise(self.offsets.tolist())]

    def known_to(self, classes: Labels) -> Targets:
        """The same labels as numbers of other classes; −1 for a label they lack."""
        index = {label: k for k, label in enumerate(classes.tolist())}
        numbers = np.array([index.get(label, -1) for label in self.classes.tolist()], dtype=np.int32)
        return Targets(classes, numbers[self.codes] if len(numbers) else self.codes, self.offsets)


def read_targets(y: Any, several: bool | None = None) -> Targets:
    """From arrays, lists of labels, lists of lists of labels, or a column read from a file."""
    if isinstance(y, Targets):
        return y
    if isinstance(y, LabelColumn):
        return Targets(np.asarray(y.names), y.codes, y.offsets)
    if several or (several is None and _is_nested(y)):
        return _several(y)
    if not hasattr(y, "dtype"):
        y = list(y)
    check_label_types(y)
    classes, codes = np.unique(column(np.asarray(y)), return_inverse=True)
    return Targets(classes, codes.astype(np.int32))


def _is_nested(y: Any) -> bool:
    if isinstance(y, np.ndarray) and y.ndim == 2:
        raise DataError("y is a table; give one label per text, or a list of the labels of each text")
    first = next(iter(y), None) if isinstance(y, (list, tuple)) else None
    return isinstance(first, (list, tuple, set, frozenset))


def _several(y: Iterable[Any]) -> Targets:
    lists = []
    for i, labels in enumerate(y):
        if isinstance(labels, str) or not isinstance(labels, Iterable):
            raise DataError(f"y[{i}] is {labels!r}, but other texts have lists of labels")
        lists.append(sorted(set(labels)))
    check_label_types([label for labels in lists for label in labels])
    flat = np.asarray([label for labels in lists for label in labels])
    classes, codes = np.unique(flat, return_inverse=True)
    offsets = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([len(labels) for labels in lists], out=offsets[1:])
    return Targets(classes, codes.astype(np.int32), offsets)
