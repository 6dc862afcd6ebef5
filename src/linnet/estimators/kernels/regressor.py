"""Regression with kernels: numbers within a tube."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import linnet._core as _core
from linnet._params import flag, number, whole
from linnet.errors import DataError
from linnet.estimators.base import unchanged_on_failure
from linnet.estimators.kernels.examples import shown_texts
from linnet.estimators.kernels.input import Array, KernelEstimator
from linnet.estimators.kernels.svm import note
from linnet.explain.support import LargestSupport
from linnet.kernels import kernel_named
from linnet.training import TrainingRecord


class KernelRegressor(KernelEstimator):
    """Support vector regression: ½‖w‖² + C Σ_i max(0, abs(y_i − w·φ(x_i) − b) − epsilon).

    ``epsilon`` is how far off a number may be without cost; the other settings are those of
    `KernelSVM`. [Vapnik 1995]

    >>> from linnet import KernelRegressor
    >>> model = KernelRegressor("linear", C=100.0, epsilon=0.0)
    >>> model.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).predict([[4.0]]).round(2)
    array([9.])
    """

    task = "regress"
    kind = "regressor"
    classes_: Any
    class_weight = None

    def __init__(
        self,
        kernel: Any = "gaussian",
        C: float = 1.0,
        *,
        epsilon: float = 0.1,
        tol: float = 1e-3,
        cache: Any = "200MB",
        shrinking: bool = True,
        max_iter: int | None = None,
        features: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.epsilon = epsilon
        self.tol = tol
        self.cache = cache
        self.shrinking = shrinking
        self.max_iter = max_iter
        self.features = features
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on examples and numbers y."""
        with unchanged_on_failure(self):
            C, tol = self._cost(), self._positive("tol", self.tol)
            if not 0 <= number(self.epsilon) < float("inf"):
                raise ValueError(f"epsilon must be a number of 0 or more, not {self.epsilon!r}")
            flag("shrinking", self.shrinking)
            examples = self._examples(X, reset=True)
            n = examples.shape[0] if hasattr(examples, "shape") else len(examples)
            targets = _numbers(_column(y), n, "y")
            weights = (
                np.ones(n) if sample_weight is None else _numbers(sample_weight, n, "sample_weight")
            )
            if (weights < 0).any() or not weights.any():
                raise DataError("sample_weight needs numbers of 0 or more, not all zero")
            self.kernel_ = kernel_named(self.kernel).fitted(examples)
            limit = -1 if self.max_iter is None else whole("max_iter", self.max_iter)
            beta, intercept, objective, violation, pairs, converged, interrupted = _core.smo_regress(
                self._cached(self._gram(examples)),
                targets,
                C * weights,
                float(self.epsilon),
                tol,
                limit,
                bool(self.shrinking),
            )
            record = TrainingRecord("epsilon_insensitive", "smo", "l2", "kernel", C, 0.0)
            note(record, objective, violation, pairs, converged, interrupted)
            self.model_ = self._with_support(examples, beta[:, None], [intercept])
            self.shown_ = shown_texts(X, self.model_.places)
            record.facts["support vectors"] = len(self.model_)
            self.record_ = record
        return self

    def predict(self, X: Any) -> Array:
        """A number for each example."""
        return np.ascontiguousarray(self._columns(X)[:, 0])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R², as scikit-learn's regressors have it."""
        from sklearn.metrics import r2_score

        return float(r2_score(y, self.predict(X), sample_weight=sample_weight))

    def explain(self, X: Any, top: int = 5) -> Any:
        """The support vectors that add most to each number."""
        return self._explain(X, top, lambda row, scores: (f"{scores[row, 0]:.4g}", 0, 1.0))

    def inspect(self, top: int = 10) -> Any:
        """The support vectors of largest weight."""
        self._check_fitted()
        return LargestSupport({"number": self._largest(0, whole("top", top, 1))})

    def no_probabilities(self) -> str | None:
        """There are no labels."""
        return "numbers have no probabilities"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import RegressorTags

        tags = super().__sklearn_tags__()
        tags.regressor_tags = RegressorTags()
        return tags


def _column(y: Any) -> Any:
    if y is None:
        raise DataError("KernelRegressor requires y to be passed, but the target y is None")
    if getattr(y, "ndim", 1) == 2:
        from sklearn.utils.validation import column_or_1d

        return column_or_1d(y, warn=True)
    return y


def _numbers(values: Any, n: int, name: str) -> Array:
    try:
        found = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} must hold numbers") from None
    if found.shape != (n,) or not np.isfinite(found).all():
        raise DataError(f"{name} must hold {n} finite numbers, one for each example")
    return found
