"""Classifiers without weights of words, on rows that are there already, to be compared."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from linnet.data import CsrRows
from linnet.estimators.text.by_rows import TextByRows
from linnet.estimators.text.rows import Rows
from linnet.estimators.text.targets import read_targets
from linnet.model import best_labels


class Listed:
    """A list or a memory of texts learns from rows in place of texts."""

    def __init__(self, inner: TextByRows) -> None:
        self.inner = inner

    def fit(self, data: Rows, y: Any) -> Self:
        """Learn."""
        targets = read_targets(y)
        self.classes_ = targets.classes
        self.inner._check_own()
        self.model_ = self.inner._learn(data.rows, targets, None)
        return self

    def predict(self, data: Rows) -> Any:
        """Labels."""
        model, rows = self.model_, data.rows
        if hasattr(model, "begin"):  # rules, which mend the label that rows begin with
            return self.classes_[model.labels(rows, model.begin(len(rows)))]
        return self.classes_[best_labels(model.scores(rows, self.inner._threads()))]

    def nonzero_weights(self) -> int:
        """How many entries, rules or texts are kept."""
        return len(self.model_)


class Nearest(Listed):
    """A memory, of rows of length one."""

    def fit(self, data: Rows, y: Any) -> Self:
        """Learn."""
        return super().fit(_of_length_one(data), y)

    def predict(self, data: Rows) -> Any:
        """Labels."""
        return super().predict(_of_length_one(data))

    def nonzero_weights(self) -> int:
        """How many values are kept."""
        return int(self.model_.rows.entries)


def _of_length_one(data: Rows) -> Rows:
    rows = data.rows
    owner = np.repeat(np.arange(len(rows)), np.diff(rows.indptr))
    values = np.asarray(rows.values, np.float64)
    length = np.sqrt(np.bincount(owner, weights=values**2, minlength=len(rows)))
    scaled = (values / np.maximum(length, 1e-300)[owner]).astype(np.float32)
    return Rows(CsrRows(rows.indptr, rows.indices, scaled, rows.features, rows.distinct), None, None)


class Machine:
    """A kernel machine learns from rows."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def fit(self, data: Rows, y: Any) -> Self:
        """Learn."""
        weights = {} if data.weights is None else {"sample_weight": data.weights}
        self.inner.fit(data.rows.scipy(), np.asarray(list(y), dtype=object), **weights)
        self.record_ = self.inner.record_
        return self

    def predict(self, data: Rows) -> Any:
        """Labels."""
        return self.inner.predict(data.rows.scipy())

    def nonzero_weights(self) -> int:
        """How many examples support it."""
        return int(self.inner.nonzero_weights())
