"""Trying settings of classifiers of rows of symbols."""

from __future__ import annotations

from typing import Any

from linnet.errors import DataError
from linnet.estimators.symbols import SymbolClassifier, Symbols
from linnet.estimators.text.targets import read_targets
from linnet.estimators.trials import Trials, usual_of_lists
from linnet.evaluation import by_labels


def symbol_trials(model: SymbolClassifier, X: Any, y: Any) -> Trials:
    """Rows are held out whole, and read anew by each fit."""
    if y is None:
        raise DataError("y is needed: the labels of the rows")
    data, labels = Symbols.of(X), read_targets(y, several=False).values().tolist()
    size = len(next(iter(data.values())))
    if size != len(labels):
        raise DataError(f"X has {size} rows, and y {len(labels)} labels")

    def tried(**settings: Any) -> SymbolClassifier:
        return model.__sklearn_clone__().set_params(**settings)

    return Trials(data, labels, size, by_labels, "accuracy", usual_of_lists(model), tried, tried)
