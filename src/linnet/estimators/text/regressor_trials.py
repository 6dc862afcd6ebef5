"""Trying settings of regressors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data import Examples
from linnet.estimators.trials import Trials, usual
from linnet.evaluation import by_numbers

STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


@dataclass(frozen=True)
class Numbered:
    """Texts or rows, and the number of each."""

    X: Any
    targets: NDArray[np.float64]

    def take(self, places: Any) -> Numbered:
        """Some of them."""
        X = self.X.take(places) if isinstance(self.X, Examples) else self.X[places]
        return Numbered(X, self.targets[places])


class NumberedRegressor:
    """A regressor that is handed both at once."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def fit(self, X: Numbered) -> Any:
        """Train it."""
        return self.inner.fit(X.X, X.targets)

    def predict(self, X: Numbered) -> NDArray[np.float64]:
        """Numbers."""
        found: NDArray[np.float64] = self.inner.predict(X.X)
        return found

    def nonzero_weights(self) -> int:
        """Of what was trained."""
        return int(self.inner.nonzero_weights())

    @property
    def record_(self) -> Any:
        """Of what was trained."""
        return self.inner.record_


def regressor_trials(model: Any, names: frozenset[str], X: Any, y: Any) -> Trials:  # noqa: ARG001
    """Instances are held out whole: numbers have no strata."""
    data = _numbered(model, X, y)

    def tried(**settings: Any) -> Any:
        return model.__sklearn_clone__().set_params(**settings)

    return Trials(
        data,
        None,
        len(data.targets),
        by_numbers,
        "rmse",
        usual(model, STRENGTHS),
        lambda **settings: NumberedRegressor(tried(**settings)),
        tried,
    )


def _numbered(model: Any, X: Any, y: Any) -> Numbered:
    from linnet.estimators.linear.regressor import numbers

    if not model.reads_text:
        rows = X if hasattr(X, "shape") else np.array(list(X), dtype=object)
        return Numbered(rows, numbers(y))
    found = model._settled(X, y, anew=True)
    targets = model._targets(X, found.y, found.kept)
    return Numbered(Examples(texts=found.texts, columns=dict(found.columns or {})), targets)
