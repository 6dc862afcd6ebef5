"""Regressors to compare: each with its objective and the parameter to tune."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import linnet.estimators as estimators
from linnet.data import Examples
from linnet.errors import DataError, warn_of_training
from linnet.estimators.comparing import Contest
from linnet.estimators.text.contenders import usual_features
from linnet.estimators.text.regressor import label_numbers
from linnet.evaluation import NUMBER_METRICS, Contender, by_numbers, plain_held_out
from linnet.learners import SGD, Winnow

STRENGTHS = (0.1, 1.0, 10.0, 100.0)
SQUARES = "C Σ ½(w·x − y)²"


def regressors(seed: int = 0, threads: int = 1) -> dict[str, Contender]:
    """By name."""

    def of(**fixed: Any) -> Callable[..., Any]:
        common = {"random_state": seed, "n_jobs": threads, "verbose": False}
        return lambda **tuned: estimators.LinearRegressor(**common | fixed | tuned)

    def steps(learner: Any, **tuned: Any) -> Any:
        return Scaled(of(learner=learner, penalty="none", average=True)(**tuned))

    listed = (
        Contender("mean", "Σ ½(b − y)²", None, (), Mean),
        Contender("ridge", f"½‖w‖² + {SQUARES}", "C", STRENGTHS, of()),
        Contender("lasso", f"‖w‖₁ + {SQUARES}", "C", STRENGTHS, of(penalty="l1", tol=1e-3)),
        Contender(
            "least mean squares",
            "Σ ½(w·x − y)², by steps",
            "eta0",
            (0.01, 0.1, 0.5),
            lambda eta0: steps(SGD("constant", eta0=eta0)),
        ),
        Contender(
            "perceptron",
            "steps by y − ŷ, no threshold",
            "max_iter",
            (5, 20),
            lambda max_iter: steps("perceptron", max_iter=max_iter),
        ),
        Contender(
            "Winnow",
            "powers of y − ŷ, no threshold",
            "promotion",
            (1.01, 1.03, 1.1),
            lambda promotion: steps(Winnow("balanced", promotion, promotion)),
        ),
        Contender(
            "kernel SVM",
            "½‖w‖² + C Σ |w·x − y|_ε, Gaussian kernel",
            "C",
            (1.0, 10.0),
            lambda C: estimators.KernelRegressor(C=C, n_jobs=threads),
            usual=False,
        ),
    )
    return {contender.name: contender for contender in listed}


class Scaled:
    """Steps run away from large numbers: rows no longer than 1, numbers of variance 1."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def fit(self, X: Any, y: Any) -> Scaled:
        """Train it on both scaled."""
        numbers = np.asarray(y, np.float64)
        self.length_ = float(np.sqrt(X.multiply(X).sum(axis=1).max())) or 1.0
        self.mean_, self.spread_ = float(numbers.mean()), float(numbers.std()) or 1.0
        try:
            self.inner.fit(X / self.length_, (numbers - self.mean_) / self.spread_)
        except ValueError as error:
            warn_of_training(f"{error}; in the comparison the mean stands for these steps")
            self.inner = Mean().fit(X, np.zeros(len(numbers)))
        return self

    def predict(self, X: Any) -> Any:
        """Scaled back."""
        return self.inner.predict(X / self.length_) * self.spread_ + self.mean_

    def nonzero_weights(self) -> int:
        """Of what was trained."""
        return int(self.inner.nonzero_weights())


class Mean:
    """The mean of the training data, whatever is asked: who is not better has learnt nothing."""

    def fit(self, X: Any, y: Any) -> Mean:
        """Remember it."""
        self.value_ = float(np.mean(y))
        return self

    def predict(self, X: Any) -> Any:
        """The same for all."""
        return np.full(X.shape[0], self.value_)

    def nonzero_weights(self) -> int:
        """An intercept."""
        return 1


def number_contest(
    X: Any,
    y: Any,
    test: Any,
    *,
    held_out: float,
    metric: str | None,
    features: Any,
    seed: int,
    threads: int,
) -> Contest:
    """Texts, or rows of numbers; ``features`` are `TextFeatures`."""
    if metric is not None and metric not in NUMBER_METRICS:
        raise ValueError(f"metric: of regressors there are {', '.join(NUMBER_METRICS)}, not {metric!r}")
    train, numbers = _read(X, y)
    if test is None:
        ((kept, left),) = plain_held_out(len(numbers), held_out, seed)
        other, gold = train.take(left), numbers[left]
        train, numbers = train.take(kept), numbers[kept]
    else:
        other, gold = _read(*(test if isinstance(test, tuple) else (test, None)))
    if train.matrix is not None and other.matrix is not None:
        seen, unseen, about = train.matrix.scipy(), other.matrix.scipy(), "features as given"
    else:
        made = features or usual_features()
        seen = made.fit_rows(train.texts, None, 0, columns=train.columns, threads=threads).scipy()
        unseen = made.rows(other.texts, columns=other.columns, threads=threads).scipy()
        about = f"{made}, {made.n_features:,} features"
    return Contest(
        regressors(seed, threads),
        {"scaled": seen},
        numbers.tolist(),
        {"scaled": unseen},
        gold.tolist(),
        plain_held_out(len(numbers), 0.2, seed),
        by_numbers,
        metric or "r2",
        tuple(dict.fromkeys(("r2", "rmse", *([metric] if metric else ())))),
        (len(numbers), len(gold)),
        len(gold),
        about,
    )


def _read(X: Any, y: Any) -> tuple[Examples, Any]:
    """Examples, and their numbers."""
    if isinstance(X, Examples) and X.texts is None:
        if X.labels is None:
            raise DataError(f"{X.source} has no numbers to learn")
        return X, label_numbers(X.labels, X)
    reader = estimators.TextRegressor()
    found = reader._settled(X, y, anew=True)
    targets = reader._targets(X, found.y, found.kept)
    return Examples(texts=found.texts, columns=dict(found.columns or {})), targets
