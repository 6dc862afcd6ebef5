"""Trying settings of machines with kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from linnet.data import Examples, LabelColumn
from linnet.errors import DataError, RefusedError
from linnet.estimators.text.regressor_trials import Numbered, NumberedRegressor
from linnet.estimators.trials import PASSES, Trials
from linnet.evaluation import by_labels, by_numbers
from linnet.kernels import kernel_named

STRENGTHS = (0.1, 1.0, 10.0, 100.0)


def kernel_trials(model: Any, X: Any, y: Any) -> Trials:
    """Examples are held out whole; a fit reads them anew, and chooses features and widths anew."""
    if kernel_named(model.kernel).reads == "gram":
        raise RefusedError(
            "a Gram matrix is cut by rows and columns; use scikit-learn's GridSearchCV, which does so"
        )
    if y is None and isinstance(X, Examples):
        y = X.labels
    if y is None:
        raise DataError("y is needed: what is to be learnt")
    values = y.values() if isinstance(y, LabelColumn) else y

    def tried(**settings: Any) -> Any:
        return model.__sklearn_clone__().set_params(**settings)

    usual = {"C": STRENGTHS} if "C" in model._names() else {"max_iter": PASSES}
    if model.kind == "classifier":
        labels = list(values.tolist() if hasattr(values, "tolist") else values)
        return Trials(X, labels, len(labels), by_labels, "accuracy", usual, tried, tried)
    data = Numbered(_indexed(X), np.asarray(values, dtype=np.float64))

    def numbered(**settings: Any) -> NumberedRegressor:
        return NumberedRegressor(tried(**settings))

    return Trials(data, None, len(data.targets), by_numbers, "rmse", usual, numbered, tried)


def _indexed(X: Any) -> Any:
    """As something that can be indexed by places."""
    if isinstance(X, Examples) or hasattr(X, "shape"):
        return X
    listed = list(X)
    made = np.empty(len(listed), dtype=object)
    made[:] = listed
    return made
