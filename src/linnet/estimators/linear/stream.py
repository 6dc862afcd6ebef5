"""Learning from a stream: ``partial_fit``, with features and classes that may be new."""

from __future__ import annotations

import time
import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError, RefusedError, TrainingWarning
from linnet.estimators.available import available_when
from linnet.estimators.base import (
    check_label_types,
    class_weight_on_stream,
    is_named,
    unchanged_on_failure,
)
from linnet.estimators.linear.input import InputMixin, column
from linnet.learners.checks import check_dense
from linnet.model import LinearModel
from linnet.structures import Multiclass, Problem
from linnet.training import grid
from linnet.training.loop import to_row
from linnet.training.record import TrainingRecord
from linnet.training.trainer import check_learnt, new_record


def _not_incremental(estimator: Any) -> str | None:
    learner = estimator._learner()
    if learner.incremental:
        return None
    return (
        f"{learner.name} needs all data at once and has no partial_fit; use an online learner such as "
        f"'sgd', 'pa' or 'perceptron'"
    )


class OnlineMixin(InputMixin):
    """partial_fit for estimators whose learner is online."""

    model_: LinearModel
    record_: TrainingRecord
    n_iter_: int
    grow: bool
    calibration: str | None
    early_stopping: bool
    _solver: Any

    @available_when(_not_incremental)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """One pass over a batch, going on from the weights there are.

        Features and classes never seen before are accepted with ``grow=True`` or when X is a list of
        dicts of named features; new classes are appended to ``classes_`` in the order they come.
        """
        with unchanged_on_failure(self) as before:
            problem = self._next_batch(X, y, classes, sample_weight)
            if not self._solver.plain:  # it may fail halfway: the next batch starts from the weights
                before["_solver"] = None
            self._pass_over(problem)
        return self

    def _next_batch(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Problem:
        """The batch as a problem, and a solver that is ready for it."""
        estimator: Any = self
        first = not hasattr(self, "model_")
        growing = self.grow or is_named(X)
        learner: Any = self._learner()
        self._check_settings_of_stream(learner)
        check_label_types(y)
        X = self._read_batch(X, first, growing)
        labels = self._batch_labels(y, classes, first, growing)
        if X.shape[0] != len(labels):
            raise DataError(f"X has {X.shape[0]} rows but y has {len(labels)} labels")
        class_weight = class_weight_on_stream(self.class_weight, self.classes_)
        weights = self._weights(sample_weight, X, labels, class_weight)
        # Where classes may still come, every label has a column from the start.
        joint = learner.refusal(self._cell(Multiclass)) is None
        open_ended = (self.grow or classes is None) and joint
        wide = growing and open_ended if first else self.model_.width > 1
        problem: Problem = estimator._problem(X, labels, weights, learner, wide=wide)
        self._check_stream(learner, problem)
        if first:
            self._solver = learner.stream(problem)
            self.record_ = new_record(learner, problem)
        else:
            self._resume(learner, problem)
        return problem

    def _pass_over(self, problem: Problem) -> None:
        started = time.perf_counter()
        stats = self._solver.epoch()
        seconds = time.perf_counter() - started
        self.record_.epochs.append(
            to_row(len(self.record_.epochs) + 1, stats, seconds, self._solver.counts_mistakes)
        )
        self.record_.mistakes += stats.mistakes
        if stats.interrupted:
            warnings.warn(
                "training was interrupted in the middle of the batch; the weights so far are kept",
                TrainingWarning,
                stacklevel=3,
            )
        self.n_iter_ = len(self.record_.epochs)
        learnt = self._solver.learnt()
        check_learnt(self._learner(), learnt)
        self.model_ = LinearModel.of(learnt, problem.width, self._bias)

    def _check_settings_of_stream(self, learner: Any) -> None:
        if self.calibration is not None:
            raise RefusedError(
                "calibration holds out folds of all data, which a stream does not have; use fit, or "
                "loss='logistic', which needs none"
            )
        if self.early_stopping or learner.needs_dev:
            raise RefusedError(
                "a stream has no held-out data to watch; leave out early_stopping, and use another "
                "step than 'reduce'"
            )

    @staticmethod
    def _check_stream(learner: Any, problem: Any) -> None:
        grid.check(learner, problem.cell)
        check_dense(learner, problem)
        if grid.one_against_rest(learner, problem.cell):
            raise RefusedError(
                f"{learner!r} takes a stream of two labels only: more are trained one against the "
                f"rest; use fit, or another online learner"
            )

    def _resume(self, learner: Any, problem: Any) -> None:
        """Go on with the learner of the last batch.

        After unpickling, and when a third label joins two that shared a column, from its weights.
        """
        old = self.model_
        one_column_no_more = old.width == 1 < problem.width
        self.record_.structure = problem.structure.name
        if getattr(self, "_solver", None) is None or one_column_no_more:
            grown = old.grown(problem.rows.features, problem.width)
            self._solver = learner.resume(problem, grown.weights)
        else:
            self._solver = self._solver.grown(problem)

    def _read_batch(self, X: Any, first: bool, growing: bool) -> Any:
        if isinstance(X, (list, tuple)) and not X:
            raise DataError("X is empty: there is nothing to learn from")
        if first or not growing:
            return self._read(X, reset=first)
        if self._has_names() != is_named(X):
            kinds = ("named features", "a matrix")
            before, now = kinds if self._has_names() else kinds[::-1]
            raise DataError(f"the stream began with {before}, but this batch is {now}; keep to one")
        seen = self.n_features_in_
        matrix = self._read(X, reset=True, keep_names=True)
        if matrix.shape[1] < seen:
            self.n_features_in_ = seen
            raise DataError(f"X has {matrix.shape[1]} features, fewer than the {seen} seen before")
        return matrix

    def _batch_labels(self, y: Any, classes: Any, first: bool, growing: bool) -> NDArray[np.int32]:
        y = column(y)
        if first:
            if classes is None and not growing:
                raise ValueError(
                    "classes must be passed on the first call to partial_fit "
                    "(or set grow=True to let classes appear as they come)."
                )
            self.classes_ = np.unique(y if classes is None else classes)
        elif classes is not None and not np.array_equal(self.classes_, np.unique(classes)):
            if not growing:
                raise ValueError(
                    f"`classes={list(classes)}` is not the same as on last call to partial_fit, "
                    f"was: {self.classes_.tolist()}"
                )
            self._add_classes(np.asarray(classes))
        if growing:
            self._add_classes(y)
        if len(self.classes_) < 2 and not growing:
            raise DataError("one class only; a classifier needs two or more classes")
        ids = {label: k for k, label in enumerate(self.classes_.tolist())}
        unknown = [label for label in np.unique(y).tolist() if label not in ids]
        if unknown:
            raise DataError(
                f"labels never seen before: {unknown[:5]}; list them in classes= on the first call, or "
                f"set grow=True"
            )
        return np.asarray([ids[label] for label in y.tolist()], dtype=np.int32)

    def _add_classes(self, labels: NDArray[Any]) -> None:
        known = set(self.classes_.tolist())
        check_label_types([*known, *labels.tolist()])
        new = [label for label in dict.fromkeys(labels.tolist()) if label not in known]
        if new:
            self.classes_ = np.concatenate([self.classes_, np.asarray(new)])
