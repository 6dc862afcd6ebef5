"""The linear regressor: numbers in place of labels, by the learners of the grid that take them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet.data import as_rows
from linnet.errors import DataError
from linnet.estimators.base import Labels, unchanged_on_failure
from linnet.estimators.grid_settings import few_features
from linnet.estimators.linear.input import RowsEstimator, feature_names, given_weights
from linnet.learners.base import Learner
from linnet.model import LinearModel
from linnet.structures import Problem, Regression, Weights
from linnet.training import Stopping, grid, train

Array = NDArray[np.float64]


class LinearRegressor(RowsEstimator):
    """A linear regressor: ŷ = w·x + b by squared error.

    Minimises penalty(w) + C Σ_i weight_i ½(ŷ_i − y_i)², or for learners that take steps the same
    divided by C Σ weight_i. With penalty 'l2' that is ridge regression (C = 1/λ), with 'l1' the lasso.

    Parameters
    ----------
    loss : 'squared'
    learner : 'auto', 'newton', 'lbfgs', 'owlqn', 'cg', 'gradient', 'sgd', 'adagrad', 'perceptron' or \
'winnow', or a learner object
        ``SGD('constant', eta0=0.01)`` takes the steps of least mean squares (Widrow & Hoff 1960),
        w ← w + η(y − ŷ)x; 'perceptron' those with η = 1; 'winnow' multiplies by powers of y − ŷ
    penalty : 'l2', 'l1', 'elasticnet' or 'none'
    C, alpha, l1_ratio, average, fit_intercept, max_iter, tol, shuffle, random_state :
        as of `LinearClassifier`
    penalize_intercept : is the intercept penalised like a weight? (False)

    Attributes
    ----------
    coef_, intercept_, n_features_in_, n_iter_, record_ (a `TrainingRecord`), model_

    Examples
    --------
    >>> from linnet import LinearRegressor
    >>> lengths = [{"tail": 5.0, "wing": 8.0}, {"tail": 3.0, "wing": 5.0}, {"tail": 4.0, "wing": 6.0}]
    >>> model = LinearRegressor(C=1e6, tol=1e-8).fit(lengths, [13.0, 8.0, 10.0])
    >>> model.predict([{"tail": 6.0, "wing": 9.0}]).round(2)
    array([15.])
    """

    task = "regress"
    kind = "regressor"

    model_: LinearModel
    n_iter_: int

    def __init__(
        self,
        loss: str = "squared",
        learner: str | Learner = "auto",
        penalty: str = "l2",
        *,
        C: float = 1.0,
        alpha: float | None = None,
        l1_ratio: float = 0.5,
        average: bool = False,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        penalize_intercept: bool = False,
        max_iter: int | None = None,
        tol: float = 1e-4,
        shuffle: bool = True,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: bool | None = None,
    ) -> None:
        self.loss = loss
        self.learner = learner
        self.penalty = penalty
        self.C = C
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.average = average
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.penalize_intercept = penalize_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    margin = 1.0  # of hinge losses, which it has none of
    warm_start = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on X (sparse, dense, or a list of dicts of named features) and numbers y."""
        with unchanged_on_failure(self):
            X = self._read(X, reset=True)
            targets = numbers(y)
            if len(targets) != X.shape[0]:
                raise DataError(f"X has {X.shape[0]} rows but y has {len(targets)} targets")
            weights = np.ones(len(targets))
            if sample_weight is not None:
                weights = np.ascontiguousarray(given_weights(sample_weight, X), dtype=np.float64)
            kept = np.flatnonzero(weights)
            if not len(kept):
                raise DataError("all sample weights are zero: there is nothing to learn from")
            if len(kept) < len(weights):
                X, targets, weights = X[kept], targets[kept], weights[kept]
            learner = self._learner(few_features(X))
            problem = self._problem(X, targets, weights, learner)
            trained = train(learner, problem, Stopping(self._limit(learner)), self.verbose)
            self.model_ = LinearModel.of(trained.learnt, 1, self._bias)
            self.record_ = trained.record
            self.n_iter_ = max(1, trained.record.n_iter)
            self.model_ = self.model_.compact()
        return self

    def _learner(self, few_features: bool = False, candidates: bool = False) -> Learner:
        """'auto' is exact: one step of Newton's for a quadratic objective, unless L1 has kinks."""
        grid.check_names(self.loss, self.penalty)
        if self.learner != "auto":
            return super()._learner(few_features, candidates)
        if self.loss != "squared":
            return grid.resolve("adagrad")  # which takes all losses of labels, and says what is wrong
        if self._averages():
            return grid.resolve("sgd")
        return grid.resolve("owlqn" if self.penalty in ("l1", "elasticnet") else "newton")

    def _problem(self, X: Any, targets: Array, weights: Array, learner: Learner) -> Problem:
        l1, l2, C = self._strengths(float(weights.sum()), learner)
        return Problem(
            Regression(as_rows(X, self._bias), targets),
            self.loss,
            self.penalty,
            weights,
            l1=l1,
            l2=l2,
            C=C,
            tol=self._tolerance(),
            seed=self._seed(),
            average=self._averages(),
            hypotheses=self._kept(),
            penalize_intercept=self.penalize_intercept,
            shuffle=self.shuffle,
            threads=self._threads(),
        )

    # ------------------------------------------------------------------ prediction

    def predict(self, X: Any) -> Array:
        """A number for each row."""
        self._check_fitted()
        X = self._read(X, reset=False)
        return self._sound(self.model_.scores(X, self._threads()))[:, 0]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R², the share of the variance that is explained."""
        from sklearn.metrics import r2_score

        return float(r2_score(numbers(y), self.predict(X), sample_weight=sample_weight))

    def inspect(self, top: int = 10) -> Any:
        """The features with the largest weights, by name."""
        from linnet._params import whole
        from linnet.explain.top_weights import named_weights

        names = self.get_feature_names_out().tolist()
        return named_weights(names, self.model_, ["lower", "higher"], whole("top", top, 0))

    def get_feature_names_out(self, input_features: Any = None) -> Labels:
        """Names of the features, in the order of ``coef_``."""
        self._check_fitted()
        return feature_names(self, input_features)

    def trials(self, names: frozenset[str], X: Any, y: Any) -> Any:
        """Of rows with numbers."""
        from linnet.estimators.text.regressor_trials import regressor_trials

        return regressor_trials(self, names, X, y)

    @property
    def coef_(self) -> Weights:
        """(features,)."""
        self._check_has("coef_")
        weights: Weights = self.model_.coef[0]
        return weights

    @property
    def intercept_(self) -> float:
        """What is added to every prediction."""
        self._check_has("intercept_")
        return float(self.model_.intercept[0])

    def _check_has(self, name: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted")

    def nonzero_weights(self) -> int:
        """How many weights are not zero, the intercept's included."""
        return int(np.count_nonzero(self.coef_) + (self.intercept_ != 0))

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.linear.file import regressor_parts

        return regressor_parts(self)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import RegressorTags

        tags = super().__sklearn_tags__()
        online = self.learner != "auto" and self._learner().family == "online"
        tags.regressor_tags = RegressorTags(poor_score=online)
        return tags


def numbers(y: Any) -> Array:
    """Targets: one finite number for each example."""
    if y is None:
        raise DataError(
            "fit requires y to be passed, but the target y is None: give a number for each row"
        )
    from sklearn.utils.validation import column_or_1d

    array = column_or_1d(y.to_pylist() if hasattr(y, "to_pylist") else y, warn=True)
    if array.dtype.kind not in "fiub":
        values = array.tolist()
        texts = [isinstance(value, (str, bytes)) for value in values]
        wrong = next((k for k, value in enumerate(values) if not _is_number(value)), None)
        wrong = texts.index(True) if wrong is None and any(texts) else wrong
        if wrong is not None:
            raise DataError(
                f"y[{wrong}] is {values[wrong]!r:.40}, no number; a regressor learns numbers"
            )
    found = np.ascontiguousarray(array, dtype=np.float64)
    if not np.isfinite(found).all():
        place = int((~np.isfinite(found)).argmax())
        told = "NaN" if np.isnan(found[place]) else "inf"
        raise DataError(
            f"y[{place}] is {told}; every target must be a finite number (y contains {told})"
        )
    return found


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
