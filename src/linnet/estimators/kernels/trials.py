"""Trying settings of machines with kernels, and of maps with the classifiers behind them."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from linnet.data import CsrRows, Examples, LabelColumn
from linnet.errors import DataError, RefusedError
from linnet.estimators.linear.presets import LinearSVM
from linnet.estimators.text.regressor_trials import Numbered, NumberedRegressor
from linnet.estimators.text.rows import Rows
from linnet.estimators.text.trials import row_trials
from linnet.estimators.trials import PASSES, Trials
from linnet.evaluation import by_labels, by_numbers
from linnet.evaluation.tuning import take

if TYPE_CHECKING:
    from linnet.estimators.kernels.mapped import MappedClassifier

STRENGTHS = (0.1, 1.0, 10.0, 100.0)
OWN = ("map", "features")  # settings before the classifier


@dataclass(frozen=True)
class Weighed:
    """Examples of any kind that can be cut, and what each of them weighs; None: all the same."""

    X: Any
    weights: Any = None

    def take(self, places: Any) -> Weighed:
        """Some of them."""
        return Weighed(
            take(self.X, places), None if self.weights is None else np.asarray(self.weights)[places]
        )


class WeighedMachine:
    """A machine that is handed both at once."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def fit(self, data: Weighed, y: Any) -> Self:
        """Train it."""
        weights = {} if data.weights is None else {"sample_weight": data.weights}
        self.inner.fit(data.X, y, **weights)
        self.record_ = self.inner.record_
        return self

    def predict(self, data: Weighed) -> Any:
        """Labels."""
        return self.inner.predict(data.X)

    def nonzero_weights(self) -> int:
        """Of what was trained."""
        return int(self.inner.nonzero_weights())


def kernel_trials(model: Any, X: Any, y: Any) -> Trials:
    """Examples are held out whole; a fit reads them anew, and chooses features and widths anew."""
    data, values = _read(model, X, y)

    def tried(**settings: Any) -> Any:
        return model.__sklearn_clone__().set_params(**settings)

    usual = {"C": STRENGTHS} if "C" in model._names() else {"max_iter": PASSES}
    if model.kind == "classifier":
        if data.weights is not None and "sample_weight" not in signature(model.fit).parameters:
            raise RefusedError(f"{type(model).__name__} counts examples, and cannot weigh them")

        def weighed(**settings: Any) -> WeighedMachine:
            return WeighedMachine(tried(**settings))

        return Trials(data, values, len(values), by_labels, "accuracy", usual, weighed, tried)
    numbers = Numbered(data.X, np.asarray(values, dtype=np.float64))

    def numbered(**settings: Any) -> NumberedRegressor:
        return NumberedRegressor(tried(**settings))

    return Trials(numbers, None, len(values), by_numbers, "rmse", usual, numbered, tried)


class MapMaker:
    """Rows of a map, made once for each split."""

    def __init__(self, model: MappedClassifier) -> None:
        self.model = model

    def fit_transform(self, data: Weighed, y: Any) -> Rows:
        """What a map learns it learns of these examples."""
        return _rows(self.model.map_anew(data.X), data.weights)

    def transform(self, data: Weighed) -> Rows:
        """Other examples."""
        return _rows(self.model.mapped(data.X), data.weights)


def mapped_trials(model: MappedClassifier, names: frozenset[str], X: Any, y: Any) -> Trials:
    """Settings of the map, and those of the classifier, be they called ``C`` or ``classifier__C``."""
    data, values = _read(model, X, y)
    inner = model.classifier or LinearSVM()
    of_map = frozenset(name for name in names if name.partition("__")[0] in OWN)
    behind = {name: name.removeprefix("classifier__") for name in names - of_map}
    rows = row_trials(inner, frozenset(behind.values()), Rows(None, None, None), np.asarray(values))

    def make(**settings: Any) -> Any:
        return rows.make(**{behind.get(name, name): value for name, value in settings.items()})

    def tried(**settings: Any) -> MappedClassifier:
        return model.__sklearn_clone__().set_params(**settings)

    def final(**settings: Any) -> MappedClassifier:
        own = {name: value for name, value in settings.items() if name in of_map}
        others = {behind.get(name, name): v for name, v in settings.items() if name not in of_map}
        return tried(**own, classifier=inner.__sklearn_clone__().set_params(**others))

    return Trials(
        data,
        values,
        len(values),
        by_labels,
        "accuracy",
        rows.usual,
        make,
        final,
        of_map,
        lambda **chosen: MapMaker(tried(**chosen)),
        None if rows.path is None or rows.path not in names else rows.path,
    )


def _read(model: Any, X: Any, y: Any) -> tuple[Weighed, list[Any]]:
    """Examples that can be cut, and what is to be learnt of each."""
    if model._reader(True).reads == "gram":
        raise RefusedError(
            "a Gram matrix is cut by rows and columns; use scikit-learn's GridSearchCV, which does so"
        )
    if y is None and isinstance(X, Examples):
        y = X.labels
    if y is None:
        raise DataError("y is needed: what is to be learnt")
    values = y.values() if isinstance(y, LabelColumn) else y
    listed = list(values.tolist() if hasattr(values, "tolist") else values)
    if isinstance(X, Weighed):
        return X, listed
    return Weighed(_indexed(X), getattr(X, "weights", None)), listed


def _indexed(X: Any) -> Any:
    """As something that can be indexed by places."""
    if isinstance(X, Examples) or hasattr(X, "shape"):
        return X
    listed = list(X)
    made = np.empty(len(listed), dtype=object)
    made[:] = listed
    return made


def _rows(made: Any, weights: Any) -> Rows:
    from scipy.sparse import csr_matrix

    matrix = csr_matrix(made)
    matrix.sum_duplicates()
    indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32, copy=False)
    return Rows(CsrRows(indptr, indices, matrix.data, matrix.shape[1], True), None, weights)
