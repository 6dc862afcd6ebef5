"""Naive Bayes: the preset that also knows its joint probabilities."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from linnet.data import CsrRows, RowsElsewhere
from linnet.errors import DataError
from linnet.estimators.linear.input import presence
from linnet.estimators.linear.presets import OwnLearner
from linnet.learners import Counting, Learner


class NaiveBayes(OwnLearner):
    """Naive Bayes: ``multinomial``, ``bernoulli`` or ``complement``, with Laplace smoothing."""

    preset: ClassVar[dict[str, Any]] = {
        "loss": "joint_likelihood",
        "learner": "counting",
        "penalty": "none",
    }

    def __init__(
        self,
        variant: str = "multinomial",
        smoothing: float = 1.0,
        prior: str = "empirical",
        **settings: Any,
    ) -> None:
        super().__init__(**self.preset | settings)
        self.variant = variant
        self.smoothing = smoothing
        self.prior = prior

    def _own_learner(self) -> Learner:
        return Counting(self.variant, self.smoothing, self.prior)

    def _transform(self, X: Any) -> Any:
        if isinstance(X, RowsElsewhere):
            return X.mapped(self._transform)
        X = X.scipy() if isinstance(X, CsrRows) else X
        values = X.data if hasattr(X, "tocsr") else X
        if (values < 0).any():
            raise DataError(
                "Negative values in data passed to NaiveBayes: it counts things; use non-negative "
                "counts, or a discriminative classifier"
            )
        return presence(X) if self.variant == "bernoulli" else X

    def joint_log_likelihood(self, X: Any, coefficient: bool = False) -> NDArray[np.float64]:
        """Log P(x, y), (n, labels).

        With ``coefficient`` x is a vector of counts and the multinomial coefficient (Σx)!/Πx! counts
        the orders its words could have come in; without, x is one sequence of words. The posterior
        P(y|x) is the same.
        """
        if self.variant == "complement":
            raise AttributeError("complement naive Bayes is no model of P(x, y)")
        joint = self._scores(X)
        if not coefficient:
            return joint
        if self.variant != "multinomial":
            raise ValueError("only the multinomial has a coefficient")
        from scipy.special import gammaln

        matrix = self._read(X, reset=False)
        if hasattr(matrix, "tocsr"):
            per_value = matrix.copy()
            per_value.data = gammaln(matrix.data + 1)
            factorials = np.asarray(per_value.sum(axis=1)).ravel()
        else:
            factorials = gammaln(matrix + 1).sum(axis=1)
        totals = np.asarray(matrix.sum(axis=1)).ravel()
        return np.asarray(joint + (gammaln(totals + 1) - factorials)[:, None])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # on data that are not counts
        return tags
