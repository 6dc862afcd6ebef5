"""The familiar names: each a few settings of `LinearClassifier`, under the parameters users know."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.estimators.linear import LinearClassifier
from linnet.learners import (
    AROW as AROWLearner,
    MIRA as MIRALearner,
    Counting,
    Learner,
    PassiveAggressive as PALearner,
    Winnow as WinnowLearner,
)


class NaiveBayes(LinearClassifier):
    """Naive Bayes: multinomial, Bernoulli or complement, with Laplace smoothing."""

    def __init__(
        self,
        variant: str = "multinomial",
        *,
        smoothing: float = 1.0,
        prior: str = "empirical",
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            "joint_likelihood", penalty="none", class_weight=class_weight, n_jobs=n_jobs
        )
        self.variant = variant
        self.smoothing = smoothing
        self.prior = prior

    def _learner(self, candidates: bool = False) -> Learner:  # noqa: ARG002
        return Counting(self.variant, self.smoothing, self.prior)

    def _transform(self, X: Any) -> Any:
        values = X.data if hasattr(X, "tocsr") else X
        if (values < 0).any():
            raise DataError(
                "Negative values in data passed to NaiveBayes: it counts things; use non-negative "
                "counts, or a discriminative classifier"
            )
        if self.variant != "bernoulli":
            return X
        return (X > 0).astype(np.float64)

    def joint_log_likelihood(self, X: Any, coefficient: bool = False) -> NDArray[np.float64]:
        """log P(x, y), (n, labels).

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
        return tags


class Perceptron(LinearClassifier):
    """The perceptron, averaged unless told otherwise; ``margin`` > 0 updates on close calls too."""

    def __init__(
        self,
        *,
        average: bool = True,
        margin: float = 0.0,
        max_iter: int | None = None,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = 0,
        class_weight: Any = None,
        calibration: str | None = None,
        warm_start: bool = False,
        grow: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        # The hinge loss with margin 0 is the perceptron's.
        super().__init__(
            "hinge",
            "perceptron",
            "none",
            average=average,
            margin=margin,
            max_iter=max_iter,
            fit_intercept=fit_intercept,
            shuffle=shuffle,
            random_state=random_state,
            class_weight=class_weight,
            calibration=calibration,
            warm_start=warm_start,
            grow=grow,
            n_jobs=n_jobs,
        )


class Winnow(LinearClassifier):
    """Winnow: ``balanced``, or ``positive``/``winnow1`` for non-negative features."""

    def __init__(
        self,
        variant: str = "balanced",
        *,
        promotion: float | None = None,
        demotion: float | None = None,
        threshold: float | None = None,
        average: bool = False,
        max_iter: int | None = None,
        shuffle: bool = True,
        random_state: Any = 0,
        class_weight: Any = None,
        calibration: str | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            "perceptron",
            penalty="none",
            average=average,
            max_iter=max_iter,
            shuffle=shuffle,
            random_state=random_state,
            class_weight=class_weight,
            calibration=calibration,
            n_jobs=n_jobs,
        )
        self.variant = variant
        self.promotion = promotion
        self.demotion = demotion
        self.threshold = threshold

    def _learner(self, candidates: bool = False) -> Learner:  # noqa: ARG002
        return WinnowLearner(self.variant, self.promotion, self.demotion, self.threshold)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.variant != "balanced"
        return tags


class _Margin(LinearClassifier):
    """What the large-margin online presets share."""

    def __init__(
        self,
        *,
        average: bool = True,
        max_iter: int | None = None,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = 0,
        class_weight: Any = None,
        calibration: str | None = None,
        warm_start: bool = False,
        grow: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            "hinge",
            penalty="none",
            average=average,
            max_iter=max_iter,
            fit_intercept=fit_intercept,
            shuffle=shuffle,
            random_state=random_state,
            class_weight=class_weight,
            calibration=calibration,
            warm_start=warm_start,
            grow=grow,
            n_jobs=n_jobs,
        )


class PassiveAggressive(_Margin):
    """Passive-aggressive: ``variant`` 'I' or 'II', C = inf without slack."""

    def __init__(
        self,
        C: float = 1.0,
        variant: str = "I",
        *,
        average: bool = True,
        max_iter: int | None = None,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = 0,
        class_weight: Any = None,
        calibration: str | None = None,
        warm_start: bool = False,
        grow: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            average=average,
            max_iter=max_iter,
            fit_intercept=fit_intercept,
            shuffle=shuffle,
            random_state=random_state,
            class_weight=class_weight,
            calibration=calibration,
            warm_start=warm_start,
            grow=grow,
            n_jobs=n_jobs,
        )
        self.C = C
        self.variant = variant

    def _learner(self, candidates: bool = False) -> Learner:  # noqa: ARG002
        return PALearner(self.C, self.variant)


class MIRA(_Margin):
    """MIRA: the smallest change that satisfies the best wrong label's constraint, or all of them."""

    def __init__(
        self,
        C: float = 1.0,
        constraints: str = "all",
        *,
        average: bool = True,
        max_iter: int | None = None,
        fit_intercept: bool = True,
        shuffle: bool = True,
        random_state: Any = 0,
        class_weight: Any = None,
        calibration: str | None = None,
        warm_start: bool = False,
        grow: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            average=average,
            max_iter=max_iter,
            fit_intercept=fit_intercept,
            shuffle=shuffle,
            random_state=random_state,
            class_weight=class_weight,
            calibration=calibration,
            warm_start=warm_start,
            grow=grow,
            n_jobs=n_jobs,
        )
        self.C = C
        self.constraints = constraints

    def _learner(self, candidates: bool = False) -> Learner:  # noqa: ARG002
        if self.constraints not in ("all", "best"):
            raise ValueError(f"constraints must be 'all' or 'best', not {self.constraints!r}")
        return MIRALearner(self.C) if self.constraints == "all" else PALearner(self.C, "I")
