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
            seen, unseen = take(X, kept), take(X, held)
            if make_features is not None:
                transformer = make_features(**chosen)
                seen = transformer.fit_transform(seen, _plain(labels[kept]))
                unseen = transformer.transform(unseen)
            estimator: Any = None
            for settings, tally in zip(learner_cells, row, strict=True):
                if progress is not None:
                    progress(chosen | settings)
                if (
                    path is not None
                    and estimator is not None
                    and not _starts_path(settings, grid, path)
                ):
                    estimator.set_params(**{path: settings[path]})
                else:
                    estimator = make_estimator(**settings)
                started = time.perf_counter()
                estimator.fit(seen, _plain(labels[kept]))
                tally.seconds += time.perf_counter() - started
                tally.train.append((_plain(labels[kept]), _plain(estimator.predict(seen))))
                tally.dev.append((_plain(labels[held]), _plain(estimator.predict(unseen))))
                nonzero = nonzero_weights(estimator)
                if nonzero is not None:
                    tally.nonzero.append(nonzero)

    def scored(pairs: list[tuple[Any, Any]]) -> float:
        gold, guess = ([item for pair in pairs for item in pair[side]] for side in (0, 1))
        return float(score(count(answers(gold, guess))))

    rows = []
    for chosen, row in zip(feature_cells, tallies, strict=True):
        for settings, tally in zip(learner_cells, row, strict=True):
            alone = len(splits) == 1 or min(len(gold) for gold, _ in tally.dev) < 2
            deviation = None if alone else float(np.std([scored([pair]) for pair in tally.dev], ddof=1))
            rows.append(
                TuneRow(
                    chosen | settings,
                    scored(tally.train),
                    scored(tally.dev),
                    deviation,
                    float(np.mean(tally.nonzero)) if tally.nonzero else None,
                    tally.seconds,
                )
            )
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
