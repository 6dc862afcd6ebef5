"""Columns beside the text, and statistics of the text itself, as further features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import DataError

STATISTICS = ("punctuation", "uppercase", "digits", "length")

Entries = tuple[NDArray[np.int32], NDArray[np.float32]]


class Columns:
    """Encodes statistics, then numeric columns, then categories, in this order.

    A numeric column is one feature, divided by its largest magnitude among the examples it was
    learnt from. A categorical column has a feature for each value it had there; other values are
    left out.
    """

    def __init__(
        self, statistics: Sequence[str], numeric: Sequence[str], categorical: Sequence[str]
    ) -> None:
        for name in statistics:
            if name not in STATISTICS:
                raise ValueError(f"statistics may be {', '.join(STATISTICS)}, not {name!r}")
        self.statistics = list(statistics)
        self.scales: dict[str, float] = dict.fromkeys(numeric, 1.0)
        self.categories: dict[str, list[str]] = {name: [] for name in categorical}

    def __bool__(self) -> bool:
        return bool(self.statistics or self.scales or self.categories)

    @property
    def names(self) -> list[str]:
        return [
            *(f"text:{name}" for name in self.statistics),
            *(f"column:{name}" for name in self.scales),
            *(f"column:{name}={value}" for name, kept in self.categories.items() for value in kept),
        ]

    def fit(self, columns: Mapping[str, Any] | None, size: int) -> None:
        """Learn the scales of numeric columns and the values of categorical ones."""
        for name in self.scales:
            largest = np.abs(_numbers(columns, name, size)).max(initial=0.0)
            self.scales[name] = float(largest) or 1.0
        for name in self.categories:
            self.categories[name] = sorted(set(_strings(columns, name, size)))

    def entries(
        self,
        texts: _core.Texts,
        analyzer: _core.Analyzer,
        columns: Mapping[str, Any] | None,
        first: int,
        threads: int,
    ) -> Entries:
        """(texts, m) feature numbers from ``first`` on, -1 for none, and their values."""
        n = len(texts)
        ids: list[NDArray[np.int32]] = []
        values: list[NDArray[np.float32]] = []

        def put(id_: int | NDArray[np.int32], value: Any) -> None:
            ids.append(np.broadcast_to(np.asarray(id_, dtype=np.int32), n))
            values.append(np.broadcast_to(np.asarray(value, dtype=np.float32), n))

        if self.statistics:
            table = _core.text_statistics(texts, analyzer, threads)
            for name in self.statistics:
                put(first, table[:, STATISTICS.index(name)])
                first += 1
        for name, scale in self.scales.items():
            put(first, _numbers(columns, name, n) / scale)
            first += 1
        for name, kept in self.categories.items():
            number = {value: first + k for k, value in enumerate(kept)}
            for k, value in enumerate(kept):  # models that wrote whole numbers as floats
                number.setdefault(value.removesuffix(".0"), first + k)
            found = [number.get(value, -1) for value in _strings(columns, name, n)]
            put(np.array(found, dtype=np.int32), 1.0)
            first += len(kept)
        return np.stack(ids, axis=1), np.stack(values, axis=1)

    def spec(self) -> dict[str, Any]:
        return {"scales": self.scales, "categories": self.categories}

    def restore(self, spec: Mapping[str, Any]) -> None:
        """The inverse of `spec`."""
        scales = {name: float(scale) for name, scale in spec["scales"].items()}
        categories = {name: [str(value) for value in kept] for name, kept in spec["categories"].items()}
        if scales.keys() != self.scales.keys() or categories.keys() != self.categories.keys():
            raise DataError(
                "the text features are damaged: their columns are not those of the settings"
            )
        if not all(0 < scale < float("inf") for scale in scales.values()):
            raise DataError("the text features are damaged: a column is divided by 0 or less")
        self.scales = {name: scales[name] for name in self.scales}  # JSON has its keys sorted
        self.categories = {name: categories[name] for name in self.categories}


def _column(columns: Mapping[str, Any] | None, name: str, size: int) -> NDArray[Any]:
    if columns is None or name not in columns:
        raise DataError(f"there is no column {name!r}; pass columns={{{name!r}: ...}}")
    column = np.asarray(columns[name])
    if column.shape != (size,):
        raise DataError(f"column {name!r} has shape {column.shape}, but there are {size} texts")
    return column


def _numbers(columns: Mapping[str, Any] | None, name: str, size: int) -> NDArray[np.float64]:
    try:
        numbers = _column(columns, name, size).astype(np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"column {name!r} does not hold numbers ({error}); name it in categorical="
        ) from None
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        raise DataError(
            f"column {name!r} holds {numbers[bad[0]]} at position {bad[0]}; fill it or drop the example"
        )
    return numbers


def _strings(columns: Mapping[str, Any] | None, name: str, size: int) -> list[str]:
    given = columns.get(name) if isinstance(columns, dict) else None
    if isinstance(given, list) and len(given) == size and all(isinstance(v, str) for v in given):
        return given  # as an array of strings it would lose NUL characters at their ends
    return [str(value) for value in _column(columns, name, size).tolist()]
