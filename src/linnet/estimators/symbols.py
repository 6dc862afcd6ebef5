"""Classifiers of rows of symbols: what they read, and how they are tried."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from linnet.errors import DataError
from linnet.estimators.base import Estimator, Labels
from linnet.estimators.text.targets import Targets, read_targets
from linnet.model.instances import Column


class SymbolClassifier(Estimator):
    """Rows of symbols in, labels out."""

    task = "symbols"
    kind = "classifier"
    reads_text = True  # symbols

    classes_: Labels

    def _read_training(self, X: Any, y: Any) -> tuple[list[str], list[Column], Targets]:
        """Names of columns, columns and labels."""
        names, columns = read_symbols(X)
        targets = read_targets(y, several=False)
        if len(targets) != len(columns[0].codes):
            raise DataError(f"X has {len(columns[0].codes)} rows, and y {len(targets)} labels")
        if len(targets.classes) < 2:
            raise DataError(f"y has one class only ({targets.classes.tolist()}); two are needed")
        return names, columns, targets

    def predict(self, X: Any) -> Any:
        """The label of each row."""
        raise NotImplementedError

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy."""
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    def trials(self, names: frozenset[str], X: Any, y: Any) -> Any:
        """Of rows."""
        from linnet.estimators.lists.trials import symbol_trials

        return symbol_trials(self, X, y)


class Symbols(dict[str, list[str]]):
    """Columns by name, of which some rows can be taken."""

    @classmethod
    def of(cls, X: Any, known: list[str] | None = None) -> Self:
        """Rows as the classifiers read them; ``known`` are the names to look for."""
        names, columns = read_symbols(X, known)
        cells = ([c.names[code] for code in c.codes.tolist()] for c in columns)
        return cls(zip(names, cells, strict=True))

    def take(self, places: Any) -> Self:
        """These rows."""
        kept = [int(i) for i in places]
        return type(self)({name: [cells[i] for i in kept] for name, cells in self.items()})


def read_symbols(X: Any, known: list[str] | None = None) -> tuple[list[str], list[Column]]:
    """Columns of rows of symbols, by name; ``known`` are the names to look for."""
    if hasattr(X, "columns") and hasattr(X, "iloc"):  # a table of pandas
        X = {str(name): X[name].tolist() for name in X.columns}
    if isinstance(X, np.ndarray):
        X = X.tolist()
    if isinstance(X, (str, bytes)) or not hasattr(X, "__len__"):
        raise DataError("X must be rows of values: lists, tuples, dicts, or a table")
    if isinstance(X, Mapping):
        names = list(map(str, X)) if known is None else known
        missing = [name for name in names if name not in X]
        if missing:
            raise DataError(f"X has no column {', '.join(missing[:5])}")
        cells = [list(X[name]) for name in names]
        if len({len(column) for column in cells}) > 1:
            raise DataError("X: its columns differ in length")
    elif X and isinstance(X[0], Mapping):
        wrong = next((i for i, row in enumerate(X) if not isinstance(row, Mapping)), None)
        if wrong is not None:
            raise DataError(f"X: row {wrong + 1} is no dict, as the first is")
        names = known or list(dict.fromkeys(str(name) for row in X for name in row))
        cells = [[row.get(name) for row in X] for name in names]
    else:
        rows = list(X)
        width = len(known) if known is not None else (len(rows[0]) if rows else 0)
        for i, row in enumerate(rows):
            if isinstance(row, (str, bytes)) or not hasattr(row, "__len__") or len(row) != width:
                raise DataError(f"X: row {i + 1} is no list of {width} values")
        names = known or [f"x{k}" for k in range(width)]
        cells = [[row[k] for row in rows] for k in range(width)]
    if not names or (known is None and not cells[0]):
        raise DataError("X has no rows, or rows without features")
    return names, [_column(name, values) for name, values in zip(names, cells, strict=True)]


def _column(name: str, values: list[Any]) -> Column:
    number: dict[str, int] = {}
    codes = np.empty(len(values), np.int32)
    for i, value in enumerate(values):
        if not isinstance(value, (str, int, float, bool, type(None), np.generic)):
            raise DataError(f"X: feature {name} of row {i + 1} is {value!r:.40}, no symbol")
        text = "" if value is None else str(value)
        codes[i] = number.setdefault(text, len(number))
    return Column(codes, list(number))
