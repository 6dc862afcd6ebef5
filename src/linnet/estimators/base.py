"""What all estimators share: settings of the grid, input checks, scikit-learn's tags.

scikit-learn is imported where it is used and not before, and never inherited from: a model must be
able to predict without paying for that import.
"""

from __future__ import annotations

import numbers
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import LARGEST, Params, is_whole, number, whole
from linnet.errors import DataError
from linnet.learners.base import Learner
from linnet.losses import LOSSES
from linnet.regularisers import strengths
from linnet.structures import Cell, Structure
from linnet.training import grid

Labels = NDArray[Any]


class GridEstimator(Params):
    """Settings along the axes of the grid, checked together."""

    loss: str
    learner: str | Learner
    penalty: str
    C: float
    alpha: float | None
    l1_ratio: float
    margin: float
    average: bool
    penalize_intercept: bool
    fit_intercept: bool
    intercept_scaling: float
    random_state: Any
    warm_start: bool
    tol: float
    max_iter: int | None

    def _learner(self, few_features: bool = False, candidates: bool = False) -> Learner:
        """The learner in use; 'auto' may depend on the shape of the data."""
        grid.check_names(self.loss, self.penalty)
        if self.learner == "auto":
            hard_margin = self.alpha is None and np.inf == self.C
            if hard_margin and self.loss in ("hinge", "squared_hinge"):
                return grid.resolve("dual")
            free = self.fit_intercept and not self.penalize_intercept
            primal = candidates or self.warm_start  # dual variables are of no use there
            name = _automatic(
                self.loss, self.penalty, self.average, few_features, candidates, primal, free
            )
            if name == "coordinate" and self.penalty == "elasticnet" and self.l1_ratio == 0:
                name = "owlqn"  # no L1 makes zeros for working sets to leave out
            return grid.resolve(name)
        return grid.resolve(self.learner)

    def _cell(self, structure: type[Structure]) -> Cell:
        return Cell(
            structure,
            self.loss,
            self.penalty,
            self.average,
            self.penalize_intercept,
            self.warm_start,
        )

    def _strengths(self, total_weight: float, learner: Learner) -> tuple[float, float, float]:
        """(l1, l2, C); with ``alpha`` the mean loss is penalised: C = 1 / (alpha · Σ weights)."""
        l1, l2 = strengths(self.penalty, self.l1_ratio)
        if self.alpha is None:
            if not number(self.C) > 0:
                raise ValueError(f"C must be positive (inf for a hard margin), not {self.C!r}")
            if np.isinf(float(self.C)) and not learner.hard_margin:
                raise ValueError(
                    f"C = inf asks for a hard margin, which {learner.name} does not have; use a finite "
                    f"C, penalty='none', or the learner 'dual' with a hinge loss"
                )
            return l1, l2, float(self.C)
        if not 0 < number(self.alpha) < float("inf"):
            raise ValueError(f"alpha must be positive, not {self.alpha!r}; penalty='none' has none")
        return l1, l2, 1.0 / (float(self.alpha) * total_weight)

    @property
    def _bias(self) -> float:
        if self._learner().needs_unit_intercept:
            return 1.0  # its weight is the threshold
        scaling = self.intercept_scaling
        if not 0 < number(scaling) < float("inf"):
            raise ValueError(f"intercept_scaling must be a positive number, not {scaling!r}")
        return float(self.intercept_scaling) if self.fit_intercept else 0.0

    def _tolerance(self) -> float:
        if not 0 <= number(self.tol) < float("inf"):
            raise ValueError(f"tol must be a number of 0 or more, not {self.tol!r}")
        return float(self.tol)

    def _margin(self) -> float:
        if not 0 <= number(self.margin) < float("inf"):
            raise ValueError(f"margin must be a number of 0 or more, not {self.margin!r}")
        return float(self.margin)

    def _seed(self) -> int:
        if isinstance(self.random_state, numbers.Integral):
            return int(self.random_state) & 0xFFFFFFFFFFFFFFFF
        from sklearn.utils import check_random_state

        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _limit(self, learner: Learner) -> int:
        if self.max_iter is None:
            return learner.epochs
        return whole("max_iter", self.max_iter)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _check_fitted(self) -> None:
        check_fitted(self)

    def __sklearn_clone__(self) -> Self:
        """A new object with the same settings, settings of settings copied too."""
        return type(self)(
            **{
                name: type(value)(**value.get_params(deep=False))
                if isinstance(value, Params)
                else _copied(value)
                for name, value in self.get_params(deep=False).items()
            }
        )


@contextmanager
def unchanged_on_failure(estimator: Any) -> Iterator[dict[str, Any]]:
    """Data that are refused leave an estimator as it was, ready to predict; yields what that is."""
    before = dict(estimator.__dict__)
    vocabulary = before.get("vocabulary_")
    known = 0 if vocabulary is None else len(vocabulary)
    try:
        yield before
    except BaseException:
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        if vocabulary is not None:
            vocabulary.forget_after(known)
        raise


def check_fitted(estimator: Any) -> None:
    """Predicting comes after training."""
    if not estimator.__sklearn_is_fitted__():
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(
            f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' first."
        )


def threads_of(n_jobs: Any) -> int:
    """As scikit-learn counts: None is one, −1 all cores."""
    if n_jobs is None:
        return 1
    if not is_whole(n_jobs, -LARGEST) or not 0 != n_jobs <= LARGEST:
        raise ValueError(
            f"n_jobs must be a whole number, positive, or -1 for all cores, not {n_jobs!r}"
        )
    jobs = int(n_jobs)
    return jobs if jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + jobs)


def _copied(value: Any) -> Any:
    from sklearn.base import clone

    return clone(value, safe=False)


def few_features(X: Any) -> bool:
    """Few enough for second-order steps, which then beat going through the instances one by one."""
    return int(X.shape[1]) <= 1000


def _automatic(
    loss: str,
    penalty: str,
    average: bool,
    few: bool,
    candidates: bool,
    primal: bool,
    free_intercept: bool,
) -> str:
    """A fast learner for the cell, exact where the loss allows it."""
    if loss == "joint_likelihood":
        return "counting"
    if loss == "perceptron" and penalty == "none":
        return "perceptron"
    kinks = candidates and loss == "squared_hinge"  # smooth for two labels only
    if average or kinks or loss in ("perceptron", "probability"):
        return "sgd"
    if penalty in ("l1", "elasticnet"):
        if loss in ("logistic", "squared_hinge"):
            return "owlqn" if candidates else "coordinate"
        return "owlqn" if LOSSES[loss].smooth else "sgd"
    if penalty == "l2" and loss in ("hinge", "squared_hinge", "logistic") and not primal:
        if loss == "hinge":
            return "sgd" if free_intercept else "dual"
        return "newton" if few or free_intercept else "dual"
    return "lbfgs" if LOSSES[loss].smooth else "sgd"


def check_label_types(y: Any) -> None:
    """Strings beside numbers are almost always a slip; NumPy would silently make them all strings."""
    if hasattr(y, "dtype") and y.dtype == object:  # of NumPy, or a column of a data frame
        y = np.asarray(y)
    elif not isinstance(y, (list, tuple)):
        return
    first = y[0] if len(y) else None
    for i, label in enumerate(y):
        if label is None:
            raise DataError(f"y[{i}] is None; every row needs a label")
        if isinstance(label, str) != isinstance(first, str):
            raise DataError(
                f"labels of mixed type: y[0] is {first!r} but y[{i}] is {label!r}; "
                f"use strings or numbers, not both"
            )


def is_named(X: Any) -> bool:
    """Named features: a list of mappings, or of lists of names."""
    if not isinstance(X, (list, tuple)):
        return False
    for first in X:
        if isinstance(first, Mapping):
            return True
        if isinstance(first, str) or not isinstance(first, Sequence):
            return False
        if len(first) > 0:
            return isinstance(first[0], str)
    return False


def class_weights(
    setting: Any, classes: Labels, labels: NDArray[np.integer[Any]], sample_weight: Any = None
) -> Any:
    """One factor per instance: 'balanced' is n / (K · count(y)), an instance counted by its weight."""
    if setting is None:
        return np.ones(len(labels))
    if isinstance(setting, str):
        if setting != "balanced":
            raise ValueError(f"class_weight must be None, 'balanced' or a dict, not {setting!r}")
        counts = np.bincount(labels, sample_weight, minlength=len(classes))
        return (counts.sum() / (len(classes) * np.where(counts > 0, counts, 1)))[labels]
    if not isinstance(setting, Mapping):
        raise ValueError(f"class_weight must be None, 'balanced' or a dict, not {setting!r}")
    factors = np.ones(len(classes))
    known = {label: k for k, label in enumerate(classes.tolist())}
    for label, factor in setting.items():
        if label not in known:
            raise ValueError(f"class_weight names {label!r}, which is not among the labels")
        if not 0 <= number(factor) < float("inf"):
            raise ValueError(f"class_weight of {label!r} must be 0 or more, not {factor!r}")
        factors[known[label]] = factor
    return factors[labels]


def class_weight_on_stream(setting: Any, classes: Labels) -> Any:
    """The class weights of a batch; labels they name may be yet to come."""
    if isinstance(setting, str) and setting == "balanced":
        raise ValueError("class_weight='balanced' needs all data at once; on a stream give a dict")
    if not isinstance(setting, Mapping):
        return setting
    known = set(classes.tolist())
    return {label: factor for label, factor in setting.items() if label in known}
