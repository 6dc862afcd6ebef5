"""Joint features f(x, y): over a list of candidates per instance, or over the label set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet.data import Vocabulary, as_rows
from linnet.data.label_names import check_label_types
from linnet.errors import DataError
from linnet.estimators.available import with_probabilities
from linnet.estimators.base import Estimator, Labels, unchanged_on_failure
from linnet.estimators.grid_settings import GridSettings
from linnet.estimators.labels import weighing
from linnet.estimators.linear.probabilities import matches_moments, softmax, warn_of_no_minimum
from linnet.learners.base import Learner
from linnet.losses import LOSSES
from linnet.model import LinearModel, best_labels
from linnet.structures import Candidates, Problem
from linnet.training import Stopping, train
from linnet.training.diagnostics import diagnose, moments_of_candidates

Array = NDArray[np.float64]
Candidate = Mapping[Any, Any] | Iterable[Any]


class Reranker(GridSettings, Estimator):
    """Scores every candidate of an instance by w · f(x, candidate) and takes the best.

    X is a list of instances, an instance the list of its candidates, a candidate its features: a
    mapping of name to value or an iterable of names. y is the index of the right candidate of each
    instance. All candidates share one weight vector; there is no intercept, for it would add the
    same to every candidate.

    >>> from linnet import Reranker
    >>> X = [[{"length": 3.0}, {"length": 1.0}], [{"length": 0.5}, {"length": 2.0}, {"length": 1.0}]]
    >>> Reranker().fit(X, [1, 0]).predict([[{"length": 9.0}, {"length": 4.0}]])
    array([1])
    """

    task = "classify"
    n_jobs = None
    calibration = None
    fit_intercept = False
    intercept_scaling = 1.0
    penalize_intercept = True
    warm_start = False

    def __init__(
        self,
        loss: str = "logistic",
        learner: str | Learner = "auto",
        penalty: str = "l2",
        *,
        C: float = 1.0,
        alpha: float | None = None,
        l1_ratio: float = 0.5,
        margin: float = 1.0,
        average: bool = False,
        max_iter: int | None = None,
        tol: float = 1e-4,
        shuffle: bool = True,
        random_state: Any = 0,
        verbose: bool | None = None,
    ) -> None:
        self.loss = loss
        self.learner = learner
        self.penalty = penalty
        self.C = C
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.margin = margin
        self.average = average
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on lists of candidates and the index of the right one of each."""
        with unchanged_on_failure(self):
            X = list(X)
            _check_candidates(X)
            gold = _gold(X, y)
            weights = _sample_weights(sample_weight, len(X))
            present = weighing(weights)
            if present is not None:
                X, gold, weights = [X[i] for i in present], gold[present], weights[present]
            self.vocabulary_ = Vocabulary()
            matrix, offsets = self._matrix(X, grow=True)
            if len(self.vocabulary_) == 0:
                raise DataError("no candidate has any feature: there is nothing to learn from")
            learner = self._learner(candidates=True)
            l1, l2, C = self._strengths(float(weights.sum()), learner)
            problem = Problem(
                Candidates(as_rows(matrix, 0.0), offsets, gold),
                self.loss,
                self.penalty,
                np.ascontiguousarray(weights),
                l1=l1,
                l2=l2,
                C=C,
                tol=self._tolerance(),
                seed=self._seed(),
                shuffle=self.shuffle,
                margin=self._margin(),
                average=self.average,
            )
            trained = train(learner, problem, Stopping(self._limit(learner)), self.verbose)
            self.model_ = LinearModel.of(trained.learnt, 1, 0.0)
            self.record_ = trained.record
            self.n_iter_ = max(1, trained.record.n_iter)
            self._diagnose(problem, matrix, offsets, gold)
        return self

    def _diagnose(
        self, problem: Problem, matrix: Any, offsets: NDArray[np.int64], gold: NDArray[np.int32]
    ) -> None:
        """What theory speaks of, measured on the training data."""
        record = self.record_
        scores = self.model_.scores(matrix)[:, 0]
        record.diagnostics = diagnose(problem.data(), self.model_.weights)
        warn_of_no_minimum(record)
        if matches_moments(record):
            record.diagnostics |= moments_of_candidates(
                matrix, offsets, gold, scores, problem.costs, self.model_, problem.l2
            )

    def decision_function(self, X: Any) -> list[Array]:
        """The scores of each instance's candidates."""
        self._check_fitted()
        X = list(X)
        _check_candidates(X)
        matrix, offsets = self._matrix(X, grow=False)
        scores = self._sound(self.model_.scores(matrix))[:, 0]
        return [scores[a:b] for a, b in pairwise(offsets)]

    def predict(self, X: Any) -> Labels:
        """The index of the best candidate; equal scores go to the earlier one."""
        best = [best_labels(s[None, :])[0] if len(s) > 1 else 0 for s in self.scores(X)]
        return np.asarray(best, dtype=np.intp)

    def scores(self, X: Any) -> list[Array]:
        """Alias of `decision_function`, under the name reranking knows it by."""
        return self.decision_function(X)

    def no_probabilities(self) -> str | None:
        """Margins are none."""
        loss = LOSSES.get(self.loss) if isinstance(self.loss, str) else None
        if loss is None or loss.probability_scale:
            return None
        return f"scores of loss {self.loss!r} are margins, not probabilities; use loss='logistic'"

    def nonzero_weights(self) -> int:
        """There is no intercept."""
        return int(np.count_nonzero(self.coef_))

    @with_probabilities
    def predict_proba(self, X: Any) -> list[Array]:
        """P(candidate | instance), for losses that estimate it."""
        scale = LOSSES[self.loss].probability_scale
        return [
            softmax(scale * s[None, :])[0] if len(s) > 1 else np.ones(1)
            for s in self.decision_function(X)
        ]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """How often the best candidate is the right one."""
        found, y = self.predict(X), np.asarray(y)
        if found.shape != y.shape:
            raise DataError(f"X has {len(found)} instances, but y is of shape {y.shape}")
        if len(y) == 0:
            raise DataError("X is empty: there is nothing to score")
        return float(np.average(found == y, weights=sample_weight))

    @property
    def coef_(self) -> Any:
        """One weight per feature, in the order of ``vocabulary_.names``."""
        self._check_fitted()
        return self.model_.coef[0]

    def _matrix(self, X: Sequence[Sequence[Candidate]], grow: bool) -> tuple[Any, NDArray[np.int64]]:
        offsets = np.cumsum([0, *(len(candidates) for candidates in X)], dtype=np.int64)
        flat = [candidate for candidates in X for candidate in candidates]
        return self.vocabulary_.matrix(flat, grow=grow), offsets


class JointClassifier(Reranker):
    """A classifier over any user-written features of text and label together.

    ``features(x, label)`` returns a mapping of name to value or an iterable of names; what it returns
    may depend on the label in any way, for instance "the text contains a word of which the label is a
    prefix". The candidates of every instance are all labels.

    >>> from linnet import JointClassifier
    >>> def starts(text, label):
    ...     return [f"word starts with label"] if any(w.startswith(label) for w in text.split()) else []
    >>> texts, labels = ["owls hoot", "swifts scream"], ["owl", "swift"]
    >>> JointClassifier(starts).fit(texts, labels).predict(["an owlet"])
    array(['owl'], dtype='<U5')
    """

    def __init__(
        self,
        features: Callable[[Any, Any], Candidate],
        loss: str = "logistic",
        learner: str | Learner = "auto",
        penalty: str = "l2",
        *,
        labels: Sequence[Any] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(loss, learner, penalty, **settings)
        self.features = features
        self.labels = labels

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on inputs of any kind and their labels; ``labels`` may add labels not in y."""
        if not callable(self.features):
            raise ValueError(f"features must be a function of x and a label, not {self.features!r}")
        if isinstance(X, str) or not isinstance(y, Iterable):
            raise DataError("give a list of inputs and a list of their labels")
        labels = [*y, *([] if self.labels is None else self.labels)]
        check_label_types(labels)
        classes = np.unique(np.asarray(labels))
        if len(classes) < 2:
            raise DataError("one class only; name more in labels= or give data with two or more")
        with unchanged_on_failure(self):
            self.classes_ = classes
            super().fit(self._candidates(X), np.searchsorted(classes, np.asarray(y)), sample_weight)
        return self

    def decision_function(self, X: Any) -> Array:  # type: ignore[override]
        """(instances, labels)."""
        self._check_fitted()
        scores = super().decision_function(self._candidates(X))
        return np.asarray(scores, dtype=np.float64).reshape(-1, len(self.classes_))

    def predict(self, X: Any) -> Labels:
        """The best label; equal scores go to the earlier one."""
        return self.classes_[best_labels(self.decision_function(X))]

    @with_probabilities
    def predict_proba(self, X: Any) -> Array:
        """(instances, labels)."""
        rows = super().predict_proba(X)
        return np.asarray(rows, dtype=np.float64).reshape(-1, len(self.classes_))

    def _candidates(self, X: Any) -> list[list[Candidate]]:
        return [[self.features(x, label) for label in self.classes_.tolist()] for x in X]


def _check_candidates(X: list[Any]) -> None:
    for i, candidates in enumerate(X):
        listed = isinstance(candidates, Sequence) and not isinstance(candidates, str)
        if not listed or len(candidates) == 0:
            raise DataError(
                f"instance {i} is {candidates!r:.60}; it needs a list of one or more candidates"
            )


def _sample_weights(given: Any, n: int) -> Array:
    if given is None:
        return np.ones(n)
    try:
        weights = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    fine = weights.shape == (n,) and np.isfinite(weights).all() and (weights >= 0).all()
    if not fine or not weights.sum() > 0:
        raise DataError("sample_weight needs one non-negative number per instance, not all zero")
    return weights


def _gold(X: list[Any], y: Any) -> NDArray[np.int32]:
    gold = np.asarray(y)
    if not X:
        raise DataError("X is empty: there is nothing to learn from")
    if gold.shape != (len(X),) or not np.issubdtype(gold.dtype, np.integer):
        raise DataError(f"y needs one candidate index (a whole number) for each of {len(X)} instances")
    for i, (candidates, g) in enumerate(zip(X, gold.tolist(), strict=True)):
        if not 0 <= g < len(candidates):
            raise DataError(
                f"y[{i}] is {g}, but instance {i} has candidates 0 to {len(candidates) - 1}"
            )
    return gold.astype(np.int32)
