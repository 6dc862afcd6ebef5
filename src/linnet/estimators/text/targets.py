"""Labels of texts as users give them: one each, or several."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data import LabelColumn
from linnet.data.examples import take_ragged
from linnet.data.label_names import check_label_types, check_names
from linnet.errors import DataError
from linnet.estimators.base import Labels
from linnet.estimators.linear.input import column


@dataclass(frozen=True)
class Targets:
    """Labels as numbers of ``classes``; with ``offsets`` text i has codes[offsets[i]:offsets[i+1]]."""

    classes: Labels
    codes: NDArray[np.int32]
    offsets: NDArray[np.int64] | None = None
    table: str = ""  # "dense" or "sparse" if they came as a matrix of 0 and 1, a column for each label

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

    def take(self, places: NDArray[np.int64]) -> Targets:
        """Those of these texts; ``classes`` stay as they are."""
        if self.offsets is None:
            return replace(self, codes=self.codes[places])
        codes, offsets = take_ragged(self.codes, self.offsets, places)
        return replace(self, codes=codes, offsets=offsets)


def read_targets(y: Any, several: bool | None = None, classes: Labels | None = None) -> Targets:
    """From arrays, lists of labels, lists of lists of labels, or a column read from a file.

    A matrix of 0 and 1 has a column for each label: of ``classes``, if they are known.
    """
    if isinstance(y, Targets):
        return y
    if is_table(y):
        if several is False:
            raise DataError("y is a table of 0 and 1, but the model has one label for each text")
        return _from_table(y, classes)
    if isinstance(y, LabelColumn):
        names = np.asarray(y.names, dtype=np.str_)
        used = np.bincount(y.codes, minlength=len(names)) > 0  # part of a file may lack some labels
        number = np.cumsum(used, dtype=np.int32) - np.int32(1)
        renumbered = y.codes if used.all() else number[y.codes]
        return Targets(names[used], renumbered, y.offsets)
    y = _listed(y)
    if several or _is_nested(y):
        if several is False:
            raise DataError("y holds lists of labels, but the model has one label for each text")
        return _several(y)
    check_label_types(y)
    labels = np.asarray(y)
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise DataError(f"y[{np.isnan(labels).argmax()}] is nan; every text needs a label")
    classes, codes = np.unique(column(labels), return_inverse=True)
    return Targets(classes, codes.astype(np.int32))


def _listed(y: Any) -> Any:
    """An array of plain labels, or a list."""
    if y is None:
        raise DataError("y is missing: give a label for each text")
    if isinstance(y, (str, bytes)) or not isinstance(y, Iterable):
        raise DataError(f"y must be a list of labels, one for each text, not {y!r:.40}")
    if hasattr(y, "to_pylist"):  # Arrow
        return y.to_pylist()
    if not hasattr(y, "dtype") and not hasattr(y, "iloc"):
        return list(y)
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(f"y has {array.ndim} dimensions; give one label per text, or a list of them")
    return array.tolist() if array.dtype == object else array


def is_table(y: Any) -> bool:
    """A sparse matrix, or a table of two columns or more: not a column of labels."""
    if hasattr(y, "tocsr"):
        return True
    shape: tuple[int, ...] = getattr(y, "shape", ())
    return len(shape) == 2 and shape[1] != 1


def _from_table(y: Any, classes: Labels | None) -> Targets:
    """Labels of the columns that are 1: by the names of a data frame's columns, or by numbers."""
    from scipy.sparse import csr_array

    sparse = hasattr(y, "tocsr")
    names = classes
    if names is None:
        names = getattr(y, "column_names", getattr(y, "columns", None))  # of Arrow, of data frames
    try:
        table = csr_array(y if sparse else np.asarray(y))
        table.sum_duplicates()
        table.eliminate_zeros()
        sound = bool((table.data == 1).all())
    except (TypeError, ValueError):
        sound = False
    if not sound:
        raise DataError(
            "y is a table, but not of 0 and 1; give one label per text, a list of the labels of each "
            "text, or a matrix with 1 where a text (row) has a label (column)"
        )
    labels = np.arange(table.shape[1]) if names is None else np.asarray(list(names))
    if len(labels) != table.shape[1]:
        raise DataError(f"y has {table.shape[1]} columns, but the model has {len(labels)} labels")
    check_label_types(labels.tolist())
    codes, offsets = table.indices.astype(np.int32), table.indptr.astype(np.int64)
    return Targets(labels, codes, offsets, "sparse" if sparse else "dense")


def _is_nested(y: Any) -> bool:
    return isinstance(y, list) and any(isinstance(labels, _NESTED) for labels in y)


_NESTED = (list, tuple, set, frozenset, np.ndarray)


def _several(y: Iterable[Any]) -> Targets:
    lists: list[list[Any]] = []
    first: Any = None
    for i, labels in enumerate(y):
        if not isinstance(labels, _NESTED):
            raise DataError(f"y[{i}] is {labels!r}, but other texts have lists of labels")
        for label in labels:
            first = label if first is None else first
            if label is None or (isinstance(label, float) and np.isnan(label)):
                raise DataError(f"y[{i}] holds {label}; leave it out")
            if isinstance(label, str) != isinstance(first, str):
                raise DataError(
                    f"labels of mixed type: {first!r}, but y[{i}] holds {label!r}; use strings or "
                    f"numbers, not both"
                )
        check_names(label for label in labels if isinstance(label, str))
        lists.append(sorted(set(labels)))
    classes, codes = np.unique([label for labels in lists for label in labels], return_inverse=True)
    offsets = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([len(labels) for labels in lists], out=offsets[1:])
    return Targets(classes, codes.astype(np.int32), offsets)
