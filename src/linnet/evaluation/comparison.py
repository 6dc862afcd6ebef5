"""Several learners on the same data: each tuned a little, trained, and scored on held-out data."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linnet.errors import DataError
from linnet.evaluation.answers import answers
from linnet.evaluation.metrics import METRICS, count
from linnet.evaluation.splits import Split
from linnet.evaluation.tuning import nonzero_weights, tune


@dataclass(frozen=True)
class Contender:
    """A learner with one parameter to tune, or none."""

    name: str
    objective: str  # what it minimises, or how it moves
    parameter: str | None
    values: Sequence[Any]
    make: Callable[..., Any]  # make(**{parameter: value}) is an estimator
    features: str = "scaled"  # which of the matrices it learns from


@dataclass(frozen=True)
class Compared:
    """One row of the table."""

    name: str
    objective: str
    parameter: str | None
    value: Any
    accuracy: float
    macro_f1: float
    seconds: float  # of the final training
    tuning_seconds: float
    nonzero: int | None
    bytes: int | None
    probabilities: bool


def compare(
    contenders: Sequence[Contender],
    train: Mapping[str, Any],
    y: Sequence[Any],
    test: Mapping[str, Any],
    y_test: Sequence[Any],
    splits: Sequence[Split],
    metric: str = "accuracy",
) -> Iterator[Compared]:
    """Choose each parameter on splits of the training data, train on all of it, score on the test.

    ``train`` and ``test`` hold the same examples as one matrix per kind of features.
    """
    if len(y) == 0 or len(y_test) == 0:
        raise DataError(f"there are {len(y)} examples to train on and {len(y_test)} to score on")
    for contender in contenders:
        X, X_test = train[contender.features], test[contender.features]
        settings: dict[str, Any] = {}
        started = time.perf_counter()
        if contender.parameter is not None:
            grid = {contender.parameter: list(contender.values)}
            settings = tune(contender.make, grid, X, y, splits, metric).best.settings
        tuned = time.perf_counter()
        model = contender.make(**settings).fit(X, list(y))
        seconds = time.perf_counter() - tuned
        counts = count(answers(y_test, model.predict(X_test)))
        nonzero = nonzero_weights(model)
        yield Compared(
            contender.name,
            contender.objective,
            contender.parameter,
            settings.get(contender.parameter or ""),
            float(METRICS["accuracy"](counts)),
            float(METRICS["macro_f1"](counts)),
            seconds,
            tuned - started,
            nonzero,
            None if nonzero is None else smallest_size(nonzero, model.coef_.size),
            hasattr(model, "predict_proba"),
        )


def smallest_size(nonzero: int, weights: int) -> int:
    """Bytes of the weights in single precision: all of them, or the non-zero ones with their place."""
    return min(4 * weights, 8 * nonzero)
