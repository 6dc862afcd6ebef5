"""Choosing settings by held-out score: every setting on every split, features shared between them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any

import numpy as np

from linnet.errors import DataError
from linnet.evaluation.judges import Judge, by_labels
from linnet.evaluation.metrics import LOWER_IS_BETTER
from linnet.evaluation.splits import Split
from linnet.evaluation.tallies import Tally, score

Settings = dict[str, Any]
SettingsGrid = Mapping[str, Sequence[Any]]


@dataclass
class TuneRow:
    """One setting: its scores over all splits."""

    settings: Settings
    train: float  # on what the models were trained on
    dev: float  # on what they were not, answers of all splits taken together
    deviation: float | None  # standard deviation of dev over splits; None for one split or one by one
    nonzero: float | None  # mean number of non-zero weights
    seconds: float  # all fits


@dataclass
class TuneResult:
    """All rows in the order of the grid, and the best of them."""

    metric: str
    splits: int
    rows: list[TuneRow]

    @property
    def best(self) -> TuneRow:
        """Best on dev; of equals the one with fewer non-zero weights, then the earlier."""
        sign = 1 if self.metric in LOWER_IS_BETTER else -1
        return min(
            self.rows,
            key=lambda row: (round(sign * row.dev, 12), np.inf if row.nonzero is None else row.nonzero),
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "metric": self.metric,
            "splits": self.splits,
            "best": asdict(self.best),
            "rows": [asdict(row) for row in self.rows],
        }


@dataclass
class _Trial:
    """What the splits have shown of one setting so far."""

    train: list[Tally] = field(default_factory=list)
    dev: list[Tally] = field(default_factory=list)
    nonzero: list[int] = field(default_factory=list)
    seconds: float = 0.0

    def fit(self, estimator: Any, seen: tuple[Any, Any], unseen: tuple[Any, Any], judge: Judge) -> None:
        """Fit on what is seen of a split, (X, y), and judge the answers to all of it."""
        started = time.perf_counter()
        fitted(estimator, *seen)
        self.seconds += time.perf_counter() - started
        self.train.append(judge(estimator, *seen))
        self.dev.append(judge(estimator, *unseen))
        nonzero = nonzero_weights(estimator)
        if nonzero is not None:
            self.nonzero.append(nonzero)

    def row(self, settings: Settings, metric: str) -> TuneRow:
        """Scores of all splits taken together, and how they vary between splits."""

        def together(tallies: list[Tally]) -> float:
            return score(type(tallies[0]).joined(tallies), metric)

        alone = len(self.dev) == 1 or min(int(tally.times.sum()) for tally in self.dev) < 2
        return TuneRow(
            settings,
            together(self.train),
            together(self.dev),
            None if alone else float(np.std([score(tally, metric) for tally in self.dev], ddof=1)),
            float(np.mean(self.nonzero)) if self.nonzero else None,
            self.seconds,
        )


def tune(
    make_estimator: Callable[..., Any],
    grid: SettingsGrid,
    X: Any,
    y: Sequence[Any] | None,
    splits: Sequence[Split],
    metric_name: str = "accuracy",
    *,
    judge: Judge = by_labels,
    make_features: Callable[..., Any] | None = None,
    feature_grid: SettingsGrid | None = None,
    path: str | None = None,
    progress: Callable[[Settings], None] | None = None,
) -> TuneResult:
    """Fit ``make_estimator(**settings)`` for every cell of the grid on every split.

    ``judge`` makes a tally of a model's answers: `by_labels`, `by_tags` (X is `Sequences`, y None) or
    `by_trees` (X is `Trees`). ``make_features(**settings)``, if given, makes a transformer
    (``fit_transform``, ``transform``) for every cell of ``feature_grid``; the matrices it makes of a
    split serve all settings of the estimator. ``path`` names a setting along which one estimator is
    kept and fitted again by ``set_params``: with ``warm_start`` each fit begins at the weights of the
    one before. ``progress`` is told of every fit.
    """
    learner_cells = list(cells(grid, path))
    feature_cells = list(cells(feature_grid or {}, None))
    if not splits:
        raise DataError("there is no split to choose settings by")
    if feature_grid and make_features is None:
        raise ValueError("feature_grid needs make_features")
    trials = [[_Trial() for _ in learner_cells] for _ in feature_cells]
    for chosen, row in zip(feature_cells, trials, strict=True):
        for kept, held in splits:
            seen, unseen = _part(X, y, kept), _part(X, y, held)
            _check_labels(seen[1])
            if make_features is not None:
                transformer = make_features(**chosen)
                seen = transformer.fit_transform(*seen), seen[1]
                unseen = transformer.transform(unseen[0]), unseen[1]
            estimator: Any = None
            for settings, trial in zip(learner_cells, row, strict=True):
                if progress is not None:
                    progress(chosen | settings)
                if estimator is None or path is None or _starts_path(settings, grid, path):
                    estimator = make_estimator(**settings)
                else:
                    estimator.set_params(**{path: settings[path]})
                trial.fit(estimator, seen, unseen, judge)
    rows = [
        trial.row(chosen | settings, metric_name)
        for chosen, row in zip(feature_cells, trials, strict=True)
        for settings, trial in zip(learner_cells, row, strict=True)
    ]
    return TuneResult(metric_name, len(splits), rows)


def take(X: Any, rows: Any) -> Any:
    """Some examples, of a list, an array, a sparse matrix, or anything that has ``take``."""
    if isinstance(X, (list, tuple)):
        return [X[i] for i in rows]
    if hasattr(X, "__array__") or hasattr(X, "tocsr"):
        return X[rows]
    return X.take(rows)


def fitted(estimator: Any, X: Any, y: Any) -> Any:
    """Trained to its end: of many trainings, half a one is no use."""
    estimator.fit(X) if y is None else estimator.fit(X, y)
    record = getattr(estimator, "record_", None)
    if record is not None and record.interrupted:
        raise KeyboardInterrupt
    return estimator


def nonzero_weights(estimator: Any) -> int | None:
    """How many weights are not zero, the intercept's included; None if it does not show them."""
    if hasattr(estimator, "nonzero_weights"):
        return int(estimator.nonzero_weights())
    if not hasattr(estimator, "coef_"):
        return None
    return int(np.count_nonzero(estimator.coef_) + np.count_nonzero(estimator.intercept_))


def cells(grid: SettingsGrid, path: str | None = None) -> Iterator[Settings]:
    """All combinations; the setting of the path varies fastest."""
    for name, values in grid.items():
        if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
            raise ValueError(f"{name}: give a list of values to try, not {values!r}")
        if len(values) == 0:
            raise ValueError(f"{name}: give one or more values to try")
    if path is not None and path not in grid:
        raise ValueError(f"the path goes along {path!r}, which is not in the grid")
    names = sorted(grid, key=lambda name: name == path)
    for values in product(*(grid[name] for name in names)):
        yield dict(zip(names, values, strict=True))


def _starts_path(settings: Settings, grid: SettingsGrid, path: str) -> bool:
    return bool(settings[path] == grid[path][0])


def _part(X: Any, y: Sequence[Any] | None, places: Any) -> tuple[Any, list[Any] | None]:
    return take(X, places), None if y is None else [y[i] for i in places]


def _check_labels(labels: list[Any] | None) -> None:
    if labels is not None and len({str(label) for label in labels}) < 2:
        raise DataError(
            f"a split leaves only the label {str(labels[0])!r} to train on; use fewer folds, other "
            f"groups, or more data"
        )
