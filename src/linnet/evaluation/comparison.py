"""Several learners on the same data: each tuned a little, trained, and scored on held-out data."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from linnet.errors import DataError
from linnet.evaluation.judges import Judge, by_labels
from linnet.evaluation.metrics import LOWER_IS_BETTER
from linnet.evaluation.resampling import paired_bootstrap
from linnet.evaluation.splits import Split
from linnet.evaluation.tallies import Tally, score
from linnet.evaluation.tuning import fitted, nonzero_weights, tune


@dataclass(frozen=True)
class Contender:
    """A learner with one parameter to tune, or none."""

    name: str
    objective: str  # what it minimises, or how it moves
    parameter: str | None
    values: Sequence[Any]
    make: Callable[..., Any]  # make(**{parameter: value}) is an estimator
    features: str = "scaled"  # which of the forms of the data it learns from
    usual: bool = True  # does it take part unless it is named? Slow ones do not


@dataclass(frozen=True)
class Compared:
    """One row of the table."""

    name: str
    objective: str
    parameter: str | None
    value: Any
    scores: Mapping[str, float]  # on the test data, by metric
    seconds: float  # of the final training
    tuning_seconds: float
    per_second: float  # units of the test data that are answered to
    nonzero: int | None
    bytes: int | None
    probabilities: bool
    p: float | None = None  # that the best one's lead is luck; None for the best, or not yet known
    tally: Tally | None = field(default=None, repr=False, compare=False)

    @property
    def accuracy(self) -> float:
        """Of labels and tags."""
        return self.scores["accuracy"]

    @property
    def macro_f1(self) -> float:
        """Of labels."""
        return self.scores["macro_f1"]

    def as_dict(self) -> dict[str, Any]:
        """Plain data, scores beside the rest."""
        told = asdict(replace(self, tally=None, scores={}))
        del told["tally"], told["scores"]
        return told | dict(self.scores)


def compare(
    contenders: Sequence[Contender],
    train: Mapping[str, Any],
    y: Sequence[Any] | None,
    test: Mapping[str, Any],
    y_test: Sequence[Any] | None,
    splits: Sequence[Split],
    metric: str = "accuracy",
    *,
    judge: Judge = by_labels,
    metrics: Sequence[str] = ("accuracy", "macro_f1"),
    units: int | None = None,
) -> Iterator[Compared]:
    """Choose each parameter on splits of the training data, train on all of it, score on the test.

    ``train`` and ``test`` hold the same examples in one form per kind of features. ``judge`` is as of
    `tune`; ``units`` are what ``per_second`` counts: texts, tokens or words of the test data.
    """
    if y is not None and y_test is not None and (len(y) == 0 or len(y_test) == 0):
        raise DataError(f"there are {len(y)} examples to train on and {len(y_test)} to score on")
    for contender in contenders:
        X, X_test = train[contender.features], test[contender.features]
        settings: dict[str, Any] = {}
        started = time.perf_counter()
        if contender.parameter is not None and len(contender.values) > 1:
            grid = {contender.parameter: list(contender.values)}
            settings = tune(contender.make, grid, X, y, splits, metric, judge=judge).best.settings
        elif contender.parameter is not None:
            settings = {contender.parameter: contender.values[0]}
        tuned = time.perf_counter()
        model = fitted(contender.make(**settings), X, None if y is None else list(y))
        trained = time.perf_counter()
        tally = judge(model, X_test, y_test)
        seconds = time.perf_counter() - trained
        nonzero = nonzero_weights(model)
        coef = getattr(model, "coef_", None)
        yield Compared(
            contender.name,
            contender.objective,
            contender.parameter,
            settings.get(contender.parameter or ""),
            {name: score(tally, name) for name in metrics},
            trained - tuned,
            tuned - started,
            (int(tally.times.sum()) if units is None else units) / max(seconds, 1e-9),
            nonzero,
            None if nonzero is None or coef is None else smallest_size(nonzero, coef.size),
            hasattr(model, "predict_proba"),
            tally=tally,
        )


def against_the_best(rows: Iterable[Compared], metric: str, seed: int = 0) -> list[Compared]:
    """Each row with the chance that the best one is ahead of it by luck: a paired bootstrap."""
    listed = list(rows)
    if not listed:
        return []
    first = min if metric in LOWER_IS_BETTER else max
    leader = first(listed, key=lambda row: row.scores[metric])
    return [
        row if row is leader else replace(row, p=_luck(row, leader, metric, seed)) for row in listed
    ]


def _luck(row: Compared, leader: Compared, metric: str, seed: int) -> float:
    assert row.tally is not None
    assert leader.tally is not None
    pair = (row.tally, leader.tally)
    return paired_bootstrap(pair, (metric,), seed=seed)[metric].p


def smallest_size(nonzero: int, weights: int) -> int:
    """Bytes of the weights in single precision: all of them, or the non-zero ones with their place."""
    return min(4 * weights, 8 * nonzero)
