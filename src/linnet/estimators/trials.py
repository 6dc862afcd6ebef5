"""Trying many settings of an estimator on held-out data: what families tell of themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from linnet.errors import DataError
from linnet.estimators.base import Estimator
from linnet.evaluation import (
    Judge,
    TuneResult,
    given,
    grouped,
    leave_one_out,
    plain,
    stratified,
)
from linnet.evaluation import tune as try_all
from linnet.training.grid import resolve

Grid = Mapping[str, Sequence[Any]]
PASSES = (5, 10, 20)
ROUNDS = (50, 200, 800)  # of boosting
SMOOTHINGS = (0.01, 0.1, 1.0)
NEAREST = (1, 3, 5, 9)
RULES = (50, 200, 800)
GAINS = ("gain ratio", "information gain", "chi-square")
NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Trials:
    """What there is to try an estimator on, and how."""

    X: Any  # has `take`, or is a list, an array, a matrix
    y: list[Any] | None  # None: X holds what is right
    size: int  # of instances
    judge: Judge
    metric: str  # to choose by, where nothing is said
    usual: Grid  # what to try, where nothing is said
    make: Callable[..., Any]  # an estimator of what features are made of X, for some settings
    final: Callable[..., Any]  # the estimator of these settings, to be trained on everything
    of_features: frozenset[str] = NOTHING  # settings that belong to features
    make_features: Callable[..., Any] | None = None
    path: str | None = None  # a setting along which each fit starts from the one before


@dataclass(frozen=True)
class Tuned:
    """What was tried, and the estimator of the best settings, not yet fitted."""

    result: TuneResult
    estimator: Any

    @property
    def best(self) -> dict[str, Any]:
        """The settings that scored best."""
        return self.result.best.settings


class _Joined:
    """Two sets of instances, of which either the first or the second is taken."""

    def __init__(self, first: Any, second: Any, size: int) -> None:
        self.first, self.second, self.size = first, second, size

    def take(self, places: Any) -> Any:
        """The one that the places point into."""
        return self.first if places[0] < self.size else self.second


def tune(
    estimator: Estimator,
    grid: Grid | None = None,
    X: Any = None,
    y: Any = None,
    *,
    dev: Any = None,
    folds: int | None = None,
    groups: Sequence[Any] | None = None,
    one_by_one: bool = False,
    metric: str | None = None,
    seed: int = 0,
    progress: Callable[[dict[str, Any]], None] | None = None,
) -> Tuned:
    """Try every combination of settings, and choose by held-out score.

    ``grid`` names settings of the estimator, and of its features (``word``, ``min_df``, …), with the
    values to try; None tries what is usual. X and y are as of ``fit``. Held out are ``dev``, (X, y) or
    what ``fit`` takes alone; or each of ``folds`` (5), which keep ``groups`` together if there are
    some; or each instance in turn (``one_by_one``). ``metric`` is the estimator's own if None:
    accuracy of labels and tags, F1 of spans, LAS of trees.

    >>> from linnet import TextClassifier, tune
    >>> notes = ["red forehead", "tiny, cocked tail", "a red one", "so tiny", "red again", "tiny tail"]
    >>> tuned = tune(TextClassifier(), {"C": [0.1, 1]}, notes, ["linnet", "wren"] * 3, folds=3)
    >>> len(tuned.result.rows)
    2
    """
    ways = [dev is not None, folds is not None or groups is not None, one_by_one]
    if sum(ways) > 1:
        raise ValueError("dev, folds and one_by_one are three ways to hold data out; give one")
    trials = trials_of(estimator, grid, X, y)
    data, labels = trials.X, trials.y
    if dev is not None:
        held = trials_of(estimator, grid, *(dev if isinstance(dev, tuple) else (dev, None)))
        data = _Joined(trials.X, held.X, trials.size)
        labels = None if labels is None or held.y is None else [*labels, *held.y]
        splits = given(trials.size, held.size)
    elif labels is None:
        if groups is not None:
            raise DataError("groups go with labels of instances; sentences are held out whole")
        splits = plain(trials.size, trials.size if one_by_one else folds or 5, seed)
    elif one_by_one:
        splits = leave_one_out(labels)
    elif groups is not None:
        splits = grouped(labels, groups, folds or 5, seed)
    else:
        splits = stratified(labels, 5 if folds is None else folds, seed)
    wanted = {name: list(values) for name, values in (trials.usual if grid is None else grid).items()}
    of_features = {name: wanted.pop(name) for name in list(wanted) if name in trials.of_features}
    path = trials.path if trials.path in wanted else None
    if path is not None:  # from few weights to many
        wanted[path] = sorted(set(wanted[path]), reverse=path == "alpha")
    result = try_all(
        trials.make,
        wanted,
        data,
        labels,
        splits,
        metric or trials.metric,
        judge=trials.judge,
        make_features=trials.make_features,
        feature_grid=of_features,
        path=path,
        progress=progress,
    )
    return Tuned(result, trials.final(**result.best.settings))


def usual(model: Any, strengths: Sequence[float]) -> dict[str, Any]:
    """What to try where nothing is said: strengths of the penalty or of steps, or else passes.

    Counting has neither, but a smoothing.
    """
    if model.learner == "auto":
        return {"max_iter": PASSES} if model.penalty == "none" else {"C": strengths}
    learner = resolve(model.learner)
    if "smoothing" in learner._names():
        given, kind = learner.get_params(deep=False), type(learner)
        return {"learner": [kind(**given | {"smoothing": value}) for value in SMOOTHINGS]}
    if learner.family == "boosting":
        return {"max_iter": ROUNDS}
    penalised = model.penalty != "none" and bool(learner.penalties - {"none"})
    named = isinstance(model.learner, str)  # else it has got its own C already
    return {"C": strengths} if penalised or (named and learner.has_own_C()) else {"max_iter": PASSES}


def usual_of_lists(model: Any) -> dict[str, Sequence[Any]]:
    """The same of a memory, a decision list, or rules."""
    if getattr(model, "algorithm", None) == "igtree":
        return {"weights": GAINS}
    own = model._names()
    usual = {"k": NEAREST, "alpha": SMOOTHINGS, "max_rules": RULES}
    return {name: values for name, values in usual.items() if name in own}


def trials_of(estimator: Estimator, grid: Grid | None, X: Any, y: Any) -> Trials:
    """As the family of the estimator has it."""
    found = estimator.trials(frozenset(grid or ()), X, y)
    assert isinstance(found, Trials)
    return found
