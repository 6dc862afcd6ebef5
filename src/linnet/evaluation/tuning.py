"""Choosing settings by held-out score: every setting on every split, features shared between them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any

import numpy as np

from linnet.errors import DataError
from linnet.evaluation.answers import answers
from linnet.evaluation.metrics import LOWER_IS_BETTER, count, metric
from linnet.evaluation.splits import Split

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
class _Tally:
    """What the splits have shown of one setting so far."""

    train: list[tuple[Any, Any]] = field(default_factory=list)  # (gold, guess) of each split
    dev: list[tuple[Any, Any]] = field(default_factory=list)
    nonzero: list[int] = field(default_factory=list)
    seconds: float = 0.0

    def fit(self, estimator: Any, seen: tuple[Any, Any], unseen: tuple[Any, Any]) -> None:
        """Fit on what is seen of a split, (X, y), and keep the answers to all of it."""
        started = time.perf_counter()
        estimator.fit(*seen)
        self.seconds += time.perf_counter() - started
        for answered, (X, y) in ((self.train, seen), (self.dev, unseen)):
            answered.append((y, _plain(estimator.predict(X))))
        nonzero = nonzero_weights(estimator)
        if nonzero is not None:
            self.nonzero.append(nonzero)

    def row(self, settings: Settings, score: Callable[[Any], Any]) -> TuneRow:
        """Scores of all splits taken together, and how they vary between splits."""

        def scored(pairs: list[tuple[Any, Any]]) -> float:
            gold, guess = ([item for pair in pairs for item in pair[side]] for side in (0, 1))
            return float(score(count(answers(gold, guess))))

        alone = len(self.dev) == 1 or min(len(gold) for gold, _ in self.dev) < 2
        return TuneRow(
            settings,
            scored(self.train),
            scored(self.dev),
            None if alone else float(np.std([scored([pair]) for pair in self.dev], ddof=1)),
            float(np.mean(self.nonzero)) if self.nonzero else None,
            self.seconds,
        )


def tune(
    make_estimator: Callable[..., Any],
    grid: SettingsGrid,
    X: Any,
    y: Sequence[Any],
    splits: Sequence[Split],
    metric_name: str = "accuracy",
    *,
    make_features: Callable[..., Any] | None = None,
    feature_grid: SettingsGrid | None = None,
    path: str | None = None,
    progress: Callable[[Settings], None] | None = None,
) -> TuneResult:
    """Fit ``make_estimator(**settings)`` for every cell of the grid on every split.

    ``make_features(**settings)``, if given, makes a transformer (``fit_transform``, ``transform``) for
    every cell of ``feature_grid``; the matrices it makes of a split serve all settings of the
    estimator. ``path`` names a setting along which one estimator is kept and fitted again by
    ``set_params``: with ``warm_start`` each fit begins at the weights of the one before.
    ``progress`` is told of every fit.
    """
    score = metric(metric_name)
    learner_cells = list(_cells(grid, path))
    feature_cells = list(_cells(feature_grid or {}, None))
    if not splits:
        raise DataError("there is no split to choose settings by")
    if feature_grid and make_features is None:
        raise ValueError("feature_grid needs make_features")
    labels = np.empty(len(y), dtype=object)
    labels[:] = list(y)
    tallies = [[_Tally() for _ in learner_cells] for _ in feature_cells]
    for chosen, row in zip(feature_cells, tallies, strict=True):
        for kept, held in splits:
            _check_labels(labels[kept])
            gold, held_gold = _plain(labels[kept]), _plain(labels[held])
            seen, unseen = take(X, kept), take(X, held)
            if make_features is not None:
                transformer = make_features(**chosen)
                seen, unseen = transformer.fit_transform(seen, gold), transformer.transform(unseen)
            estimator: Any = None
            for settings, tally in zip(learner_cells, row, strict=True):
                if progress is not None:
                    progress(chosen | settings)
                if estimator is None or path is None or _starts_path(settings, grid, path):
                    estimator = make_estimator(**settings)
                else:
                    estimator.set_params(**{path: settings[path]})
                tally.fit(estimator, (seen, gold), (unseen, held_gold))
    rows = [
        tally.row(chosen | settings, score)
        for chosen, row in zip(feature_cells, tallies, strict=True)
        for settings, tally in zip(learner_cells, row, strict=True)
    ]
    return TuneResult(metric_name, len(splits), rows)


def take(X: Any, rows: Any) -> Any:
    """Some examples, of a list, an array, a sparse matrix, or anything that has ``take``."""
    if isinstance(X, (list, tuple)):
        return [X[i] for i in rows]
    if hasattr(X, "__array__") or hasattr(X, "tocsr"):
        return X[rows]
    return X.take(rows)


def nonzero_weights(estimator: Any) -> int | None:
    """How many weights are not zero, the intercept's included; None if it does not show them."""
    if not hasattr(estimator, "coef_"):
        return None
    return int(np.count_nonzero(estimator.coef_) + np.count_nonzero(estimator.intercept_))


def _cells(grid: SettingsGrid, path: str | None) -> Iterator[Settings]:
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


def _check_labels(labels: Any) -> None:
    if len({str(label) for label in labels}) < 2:
        raise DataError(
            f"a split leaves only the label {str(labels[0])!r} to train on; use fewer folds, other "
            f"groups, or more data"
        )


def _plain(labels: Any) -> list[Any]:
    return labels.tolist() if hasattr(labels, "tolist") else list(labels)
