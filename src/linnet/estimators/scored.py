"""Classifiers that score labels, and what follows from scores, whatever makes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data import LabelColumn
from linnet.errors import DataError
from linnet.estimators.available import with_probabilities
from linnet.estimators.base import Estimator, Labels
from linnet.estimators.linear.input import column
from linnet.estimators.linear.probabilities import difference
from linnet.model import best_labels

Array = NDArray[np.float64]


class ScoredClassifier(Estimator):
    """Families say how examples are scored, and what probabilities are where there are some."""

    task = "classify"
    kind = "classifier"
    classes_: Labels

    def _scores(self, X: Any) -> Array:
        """(examples, labels), or (examples, 1): how far the second of two labels is ahead."""
        raise NotImplementedError

    def _probabilities(self, scores: Array) -> Array:
        """P(y|x) of scores, where ``no_probabilities`` has nothing against it."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> Array:
        """Scores: (n,) for two labels (above 0: the second), (n, labels) for more."""
        return self._decision(self._scores(X))

    def _decision(self, scores: Array) -> Array:
        if len(self.classes_) == 2:
            return scores[:, 0] if scores.shape[1] == 1 else difference(scores)
        return scores

    def predict(self, X: Any) -> Any:
        """The best label of each example; equal scores go to the earlier label."""
        return self._decide(self._scores(X))

    def _decide(self, scores: Array) -> Any:
        best = best_labels(scores)
        return self.classes_[np.minimum(best, len(self.classes_) - 1)]  # a stream may know one only

    @with_probabilities
    def predict_proba(self, X: Any) -> Array:
        """P(y|x), (n, labels)."""
        return self._probabilities(self._scores(X))

    @with_probabilities
    def predict_log_proba(self, X: Any) -> Array:
        """Log P(y|x)."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy."""
        found, y = self.predict(X), column(y.values() if isinstance(y, LabelColumn) else y)
        if len(found) != len(y):
            raise DataError(f"X has {len(found)} rows but y has {len(y)} labels")
        if len(y) == 0:
            raise DataError("X is empty: there is nothing to score")
        return float(np.average(found == y, weights=sample_weight))
