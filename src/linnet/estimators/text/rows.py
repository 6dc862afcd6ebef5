"""Text features made once and learnt from many times, for whoever tries many settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from linnet.data import CsrRows
from linnet.estimators.linear.classifier import LinearClassifier
from linnet.estimators.text.decisions import several
from linnet.estimators.text.per_label import fit_per_label
from linnet.estimators.text.targets import read_targets
from linnet.features import label_ratios
from linnet.model import LinearModel, best_labels


@dataclass(frozen=True)
class Rows:
    """Rows of numbers, the text features they came from if any, and weights of the examples."""

    rows: Any  # CsrRows
    features: Any
    weights: Any

    def take(self, places: Any) -> Rows:
        """Some of them; features stay as they were fitted."""
        matrix = self.rows.scipy()[places]
        rows = CsrRows(
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int32, copy=False),
            matrix.data,
            matrix.shape[1],
            self.rows.distinct,
        )
        return Rows(rows, self.features, None if self.weights is None else self.weights[places])


class RowMaker:
    """Examples in, rows out; `TextFeatures` in between unless the examples are rows already."""

    def __init__(self, features: Any = None, threads: int = 1) -> None:
        self.features = features
        self.threads = threads

    def fit_transform(self, examples: Any, y: Any) -> Rows:
        """Choose features on these examples."""
        if self.features is None:
            return Rows(examples.matrix, None, examples.weights)
        targets = read_targets(y)
        codes = None if targets.several else targets.codes
        rows = self.features.fit_rows(
            examples.texts,
            codes,
            len(targets.classes),
            columns=examples.columns,
            threads=self.threads,
        )
        return Rows(rows, self.features, examples.weights)

    def transform(self, examples: Any) -> Rows:
        """Known features of other examples."""
        if self.features is None:
            return Rows(examples.matrix, None, examples.weights)
        rows = self.features.rows(examples.texts, columns=examples.columns, threads=self.threads)
        return Rows(rows, self.features, examples.weights)


class RowsClassifier:
    """Trains as a text classifier does, on rows that are there already.

    Several labels per text, and naive Bayes ratios of more than two labels, are one problem per label.
    """

    def __init__(self, linear: LinearClassifier) -> None:
        self.linear = linear

    def set_params(self, **params: Any) -> Self:
        """Change settings of the classifier within, which keeps its weights if it starts warm."""
        self.linear.set_params(**params)
        return self

    def fit(self, data: Rows, y: Any) -> Self:
        """Learn."""
        targets = read_targets(y)
        self.classes_, self.several_ = targets.classes, targets.several
        ratios, labels = None, len(targets.classes)
        naive_bayes = data.features is not None and data.features.scale == "nb"
        if naive_bayes and labels > 2 and not targets.several:
            ratios = label_ratios(data.rows, targets.codes, labels, data.features.alpha)
        if targets.several or ratios is not None:
            weights = np.ones(len(targets)) if data.weights is None else data.weights
            self.model_: LinearModel
            self.model_, record = fit_per_label(
                self.linear.__sklearn_clone__, data.rows, targets, weights, ratios
            )
            self.record_ = record
            return self
        self.linear.fit(data.rows, targets.codes, sample_weight=data.weights)
        self.model_, self.record_ = self.linear.model_, self.linear.record_
        return self

    def predict(self, data: Rows) -> Any:
        """Labels, or tuples of labels."""
        scores = self.model_.scores(data.rows)
        if self.several_:
            return several(scores > 0, self.classes_)
        return self.classes_[best_labels(scores)]

    @property
    def coef_(self) -> Any:
        """(1 or labels, features)."""
        return self.model_.coef

    @property
    def intercept_(self) -> Any:
        """(1 or labels,)."""
        return self.model_.intercept

    def __getattr__(self, name: str) -> Any:
        """Probabilities are there if the classifier within has them."""
        if name == "predict_proba" and hasattr(self.linear, "predict_proba"):
            return lambda data: self.linear.predict_proba(data.rows)
        raise AttributeError(name)
