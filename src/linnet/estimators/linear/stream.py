"""Learning from a stream: one pass over a batch, with features and classes that may be new."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.label_names import check_label_types
from linnet.errors import DataError, RefusedError, warn_of_training
from linnet.estimators.grid_settings import HYPOTHESES, REDUCTIONS
from linnet.estimators.labels import class_weight_on_stream, is_named, weighing
from linnet.estimators.linear.input import column
from linnet.learners.checks import check_dense
from linnet.model import LinearModel
from linnet.structures import Multiclass, Problem
from linnet.training import grid
from linnet.training.loop import to_row
from linnet.training.trainer import check_learnt, new_record

if TYPE_CHECKING:
    from linnet.estimators.linear.classifier import LinearClassifier


def not_incremental(classifier: LinearClassifier) -> str | None:
    """Why there is no ``partial_fit``; None if there is."""
    learner = classifier._learner()
    if classifier.multiclass in REDUCTIONS:
        return f"multiclass={classifier.multiclass!r} needs all data at once and has no partial_fit"
    if classifier.average in HYPOTHESES:
        return f"average={classifier.average!r} looks back on one training; use True, or fit"
    if learner.incremental:
        return None
    return (
        f"{learner.name} needs all data at once and has no partial_fit; use an online learner such as "
        f"'sgd', 'pa' or 'perceptron'"
    )


class Stream:
    """What a classifier has while batches come: a solver that goes on from one to the next."""

    def __init__(self, solver: Any = None) -> None:
        self.solver = solver

    @property
    def plain(self) -> bool:
        """Is it but arrays, which can be copied?"""
        return self.solver is not None and bool(self.solver.plain)

    def next_batch(
        self, model: LinearClassifier, X: Any, y: Any, classes: Any, sample_weight: Any
    ) -> Problem:
        """The batch as a problem, and a solver that is ready for it."""
        first = not model.__sklearn_is_fitted__()
        growing = model.grow or is_named(X)
        learner: Any = model._learner()
        _check_settings(model, learner)
        check_label_types(y)
        check_label_types(classes)
        X = _read(model, X, first, growing)
        labels = _labels(model, y, classes, first, growing)
        if X.shape[0] != len(labels):
            raise DataError(f"X has {X.shape[0]} rows but y has {len(labels)} labels")
        class_weight = class_weight_on_stream(model.class_weight, model.classes_)
        weights = model._weights(sample_weight, X, labels, class_weight)
        present = weighing(weights)
        if present is not None:
            X, labels, weights = X[present], labels[present], weights[present]
        # Where classes may still come, every label has a column from the start.
        joint = learner.refusal(model._cell(Multiclass)) is None
        open_ended = (model.grow or classes is None) and joint
        wide = growing and open_ended if first else model.model_.width > 1
        problem = model._problem(X, labels, weights, learner, wide=wide)
        _check(learner, problem)
        if first:
            self.solver = learner.stream(problem)
            model.record_ = new_record(learner, problem)
        else:
            self._resume(model, learner, problem)
        return problem

    def pass_over(self, model: LinearClassifier, problem: Problem) -> None:
        """Learn from the batch, once."""
        record = model.record_
        started = time.perf_counter()
        stats = self.solver.epoch()
        seconds = time.perf_counter() - started
        row = to_row(len(record.epochs) + 1, stats, seconds, self.solver.counts_mistakes)
        record.epochs.append(row)
        record.mistakes += stats.mistakes
        if stats.interrupted:
            warn_of_training(
                "training was interrupted in the middle of the batch; the weights so far are kept"
            )
        model.n_iter_ = len(record.epochs)
        learnt = self.solver.learnt()
        check_learnt(model._learner(), learnt)
        model.model_ = LinearModel.of(learnt, problem.width, model._bias)

    def _resume(self, model: LinearClassifier, learner: Any, problem: Problem) -> None:
        """Go on with the learner of the last batch.

        After unpickling, and when a third label joins two that shared a column, from its weights.
        """
        old = model.model_
        one_column_no_more = old.width == 1 < problem.width
        model.record_.structure = problem.structure.name
        if self.solver is None or one_column_no_more:
            grown = old.grown(problem.rows.features, problem.width)
            self.solver = learner.resume(problem, grown.weights)
        else:
            self.solver = self.solver.grown(problem)


def _check_settings(model: LinearClassifier, learner: Any) -> None:
    if model.calibration is not None:
        raise RefusedError(
            "calibration holds out folds of all data, which a stream does not have; use fit, or "
            "loss='logistic', which needs none"
        )
    if model.early_stopping or learner.needs_dev:
        raise RefusedError(
            "a stream has no held-out data to watch; leave out early_stopping, and use another "
            "step than 'reduce'"
        )


def _check(learner: Any, problem: Problem) -> None:
    grid.check(learner, problem.cell)
    check_dense(learner, problem)
    if grid.splits(learner, problem.cell, problem.split):
        raise RefusedError(
            f"{learner!r} takes a stream of two labels only: more are trained one against the "
            f"rest; use fit, or another online learner"
        )


def _read(model: LinearClassifier, X: Any, first: bool, growing: bool) -> Any:
    if isinstance(X, (list, tuple)) and not X:
        raise DataError("X is empty: there is nothing to learn from")
    if first or not growing:
        return model._read(X, reset=first)
    if model._has_names() != is_named(X):
        kinds = ("named features", "a matrix")
        before, now = kinds if model._has_names() else kinds[::-1]
        raise DataError(f"the stream began with {before}, but this batch is {now}; keep to one")
    seen = model.n_features_in_
    matrix = model._read(X, reset=True, keep_names=True)
    if matrix.shape[1] < seen:
        model.n_features_in_ = seen
        raise DataError(f"X has {matrix.shape[1]} features, fewer than the {seen} seen before")
    return matrix


def _labels(
    model: LinearClassifier, y: Any, classes: Any, first: bool, growing: bool
) -> NDArray[np.int32]:
    y = column(y)
    if first:
        if classes is None and not growing:
            raise ValueError(
                "classes must be passed on the first call to partial_fit "
                "(or set grow=True to let classes appear as they come)."
            )
        model.classes_ = np.unique(y if classes is None else classes)
    elif classes is not None and not np.array_equal(model.classes_, np.unique(classes)):
        if not growing:
            raise ValueError(
                f"`classes={list(classes)}` is not the same as on last call to partial_fit, "
                f"was: {model.classes_.tolist()}"
            )
        _add_classes(model, np.asarray(classes))
    if growing:
        _add_classes(model, y)
    if len(model.classes_) < 2 and not growing:
        raise DataError("one class only; a classifier needs two or more classes")
    ids = {label: k for k, label in enumerate(model.classes_.tolist())}
    unknown = [label for label in np.unique(y).tolist() if label not in ids]
    if unknown:
        raise DataError(
            f"labels never seen before: {unknown[:5]}; list them in classes= on the first call, or "
            f"set grow=True"
        )
    return np.asarray([ids[label] for label in y.tolist()], dtype=np.int32)


def _add_classes(model: LinearClassifier, labels: NDArray[Any]) -> None:
    known = set(model.classes_.tolist())
    check_label_types([*known, *labels.tolist()])
    new = [label for label in dict.fromkeys(labels.tolist()) if label not in known]
    if new:
        model.classes_ = np.concatenate([model.classes_, np.asarray(new)])
