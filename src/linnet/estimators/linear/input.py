"""What users hand in, checked and turned into what the core reads."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data import CsrRows, RowsElsewhere, Vocabulary, check_sparse
from linnet.data.label_names import check_label_types
from linnet.errors import DataError
from linnet.estimators.base import Estimator, Labels
from linnet.estimators.grid_settings import GridSettings
from linnet.estimators.labels import class_weights, is_named


class RowsEstimator(GridSettings, Estimator):
    """Estimators of rows: matrices or named features, labels and sample weights."""

    classes_: NDArray[Any]
    vocabulary_: Any
    n_features_in_: int
    class_weight: Any

    def _read_training(self, X: Any, y: Any, keep_names: bool) -> tuple[Any, NDArray[np.int32]]:
        check_label_types(y)
        X = self._read(X, reset=True, y=y, keep_names=keep_names)
        self.classes_, labels = classes_of(y, X.shape[0], "rows")
        return X, labels

    def _read(self, X: Any, reset: bool, y: Any = "no_validation", keep_names: bool = False) -> Any:
        """A float matrix the core can read; ``reset`` remembers its shape and names."""
        if isinstance(X, CsrRows):
            return self._transform(self._read_rows(X, reset))
        if is_named(X) or (isinstance(X, (list, tuple)) and not reset and self._has_names()):
            return self._transform(self._read_named(X, reset, keep_names))
        from sklearn.utils.validation import validate_data

        if not reset and isinstance(X, (list, tuple)) and len(X) == 0:
            X = np.zeros((0, self.n_features_in_))
        _check_container(X)
        check_sparse(X)
        if reset:
            self.vocabulary_ = None
        keywords = {
            "accept_sparse": "csr",
            "dtype": [np.float64, np.float32],
            "order": "C",
            "accept_large_sparse": True,
            # The core looks too, when it takes the values over; but a preset may hide them from it.
            "ensure_all_finite": type(self)._transform is not RowsEstimator._transform,
            "reset": reset,
            "ensure_min_samples": 1 if reset else 0,  # nothing is predicted for nothing
        }
        if isinstance(y, str):
            return self._transform(validate_data(self, X, **keywords))
        return self._transform(validate_data(self, X, y, **keywords)[0])

    def _read_rows(self, X: CsrRows, reset: bool) -> CsrRows:
        """Rows that the core made itself need no checking but their width."""
        if reset:
            self.vocabulary_, self.n_features_in_ = None, X.features
        elif X.features != self.n_features_in_:
            raise DataError(f"X has {X.features} features, the model {self.n_features_in_}")
        return X

    def _read_named(self, X: Any, reset: bool, keep_names: bool) -> Any:
        """A matrix of named features; ``reset`` adds new names, to the old ones if they are kept."""
        if not self._has_names():
            if not reset:
                raise DataError(
                    "X has named features, but the model was trained on a matrix without names; give "
                    "a matrix"
                )
            self.vocabulary_ = Vocabulary()
        elif reset and not keep_names:
            self.vocabulary_ = Vocabulary()
        matrix = self.vocabulary_.matrix(X, grow=reset)
        if reset:
            self.n_features_in_ = matrix.shape[1]
            if matrix.shape[1] == 0:
                raise DataError("no document has any feature: there is nothing to learn from")
        return matrix

    def _transform(self, X: Any) -> Any:
        """A hook for presets that look at X in their own way."""
        return X

    def _has_names(self) -> bool:
        return getattr(self, "vocabulary_", None) is not None

    def _known(self, y: Any) -> NDArray[np.int32]:
        y = np.asarray(y)
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise DataError(
                f"dev data has labels never seen in training: {unknown[:5].tolist()}; leave them out"
            )
        return np.asarray(np.searchsorted(self.classes_, y), dtype=np.int32)

    def _read_dev(self, dev: Any) -> tuple[Any, NDArray[np.int32]]:
        if not isinstance(dev, (tuple, list)) or len(dev) != 2:
            raise DataError("dev must be a pair of held-out data and labels, (X, y)")
        X, y = self._read(dev[0], reset=False), self._known(dev[1])
        if X.shape[0] != len(y) or len(y) == 0:
            raise DataError(f"dev has {X.shape[0]} rows and {len(y)} labels; give as many of both")
        return X, y

    def _weights(
        self, sample_weight: Any, X: Any, labels: NDArray[np.int32], class_weight: Any
    ) -> NDArray[np.float64]:
        given = None if sample_weight is None else given_weights(sample_weight, X)
        weights = class_weights(class_weight, self.classes_, labels, given)
        if given is not None:
            weights = weights * given
        if not weights.sum() > 0:
            raise DataError("all sample weights are zero: there is nothing to learn from")
        return np.ascontiguousarray(weights, dtype=np.float64)


def given_weights(sample_weight: Any, X: Any) -> Any:
    """One for each row, none of them negative."""
    if (
        isinstance(sample_weight, np.ndarray)
        and sample_weight.dtype == np.float64
        and sample_weight.shape == (X.shape[0],)
        and np.isfinite(sample_weight).all()
        and (sample_weight >= 0).all()
        and sample_weight.any()
    ):
        return sample_weight
    from sklearn.utils.validation import _check_sample_weight

    shape = np.empty((X.shape[0], 0))  # all that is looked at
    return _check_sample_weight(sample_weight, shape, dtype=np.float64, ensure_non_negative=True)


def classes_of(y: Any, n: int, what: str) -> tuple[Labels, NDArray[np.int32]]:
    """The classes in order, two at least, and which of them each of ``n`` rows or examples has."""
    y = column(y)
    if len(y) != n:
        raise DataError(f"X has {n} {what} but y has {len(y)} labels")
    classes, labels = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise DataError(
            f"y has one class only ({classes.tolist()[0]!r}); a classifier needs two or more classes"
        )
    return classes, labels.astype(np.int32)


def column(y: Any) -> Labels:
    """Labels as a one-dimensional array of a kind a classifier can learn."""
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "biuUS":
        return y
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import column_or_1d

    y = column_or_1d(y, warn=True)
    if y.dtype == object and not any(isinstance(label, str) for label in y[:1]):
        y = np.asarray(y.tolist())  # numbers or booleans of Python
    check_classification_targets(y)
    return np.asarray(y)


def feature_names(estimator: Any, given: Any = None) -> Labels:
    """Those of named features, of a data frame, as given, or numbers."""
    if getattr(estimator, "vocabulary_", None) is not None:
        return np.asarray(estimator.vocabulary_.names, dtype=object)
    if hasattr(estimator, "feature_names_in_"):
        return np.asarray(estimator.feature_names_in_, dtype=object)
    if given is not None:
        return np.asarray(given, dtype=object)
    return np.asarray([f"x{j}" for j in range(estimator.n_features_in_)], dtype=object)


def presence(X: Any) -> Any:
    """1 where a value is positive, 0 elsewhere."""
    if isinstance(X, RowsElsewhere):
        return X.mapped(presence)
    X = X.scipy() if isinstance(X, CsrRows) else X
    return (X > 0).astype(np.float64)


def check_file(X: str | os.PathLike[str]) -> None:
    """A string is the name of a file; a sentence is not."""
    if os.fspath(X) != "-" and not os.path.exists(X):
        raise DataError(
            f"X is {os.fspath(X)[:60]!r}, and no file of this name exists; a sentence is a list of "
            "tokens, and X a list of sentences"
        )


def _check_container(X: Any) -> None:
    if isinstance(X, (str, bytes, Mapping)) and not hasattr(X, "tocsr"):  # a dok_matrix is a dict
        raise DataError(f"X is a single {type(X).__name__}; give a list of documents")
    if isinstance(X, Iterator):
        raise DataError("X can be read only once; give a list of documents")
    if isinstance(X, (list, tuple)):
        if len(X) == 0:
            raise DataError("X is empty: give one or more documents")
        if isinstance(X[0], str):
            raise DataError(
                f"X is a list of strings (the first is {X[0][:40]!r}); turn texts into features first, "
                f"by TextFeatures, or let TextClassifier do so; or give dicts of named features"
            )
