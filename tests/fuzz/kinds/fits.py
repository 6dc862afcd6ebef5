"""Degenerate problems for every learner: nothing to learn, far too large, far too small."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import linnet

from ..cases import Case, check_refusal, from_json, to_json

SCALES = (0.0, 1e-45, 1e-30, 1e-3, 1.0, 1e3, 1e15, 1e30, 3e38, 1e39)
STRENGTHS = (0.0, 1e-300, 1e-30, 1e-8, 1e-3, 1.0, 1e3, 1e8, 1e16, 1e30, 1e300, float("inf"))
STRUCTURED = {
    "LinearClassifier": ("binary", "multiclass"),
    "Tagger": ("chain",),
    "DependencyParser": ("tree",),
}
SHARED = ("C", "alpha", "tol", "l1_ratio", "margin")
ROUNDING = 1e-9  # of an objective: what a gap may be below zero


def case(random: Random) -> Case:
    """A cell of the grid with extreme settings, and a small problem of an awkward shape."""
    name = random.choice(("LinearClassifier", "LinearClassifier", "Tagger", "DependencyParser"))
    settings: dict[str, Any] = {"max_iter": random.choice((1, 5, 30))}
    settings |= dict(zip(("loss", "learner", "penalty"), random.choice(_cells(name)), strict=True))
    for setting in random.sample(SHARED, random.choice((0, 0, 1, 1, 2))):
        settings[setting] = random.choice(STRENGTHS)
    X = _matrix(random) if name == "LinearClassifier" else _sentences(random)
    weights = [random.choice((0.0, 1e-30, 1.0, 1e30)) for _ in X] if random.random() < 0.2 else None
    labels = random.choice((1, 2, 2, 2, 2, 3, 3, 7))
    return Case(name, to_json({"settings": settings, "X": X, "labels": labels, "weights": weights}))


@cache
def _cells(name: str) -> list[tuple[str, str, str]]:
    """What an estimator can be trained by."""
    return [
        (cell.loss, cell.learner, cell.penalty)
        for structure in STRUCTURED[name]
        for cell in linnet.compatible(structure=structure)
        if cell.works
    ]


def _matrix(random: Random) -> list[list[float]]:
    columns, scale = random.choice((1, 2, 5)), random.choice(SCALES)
    size = random.choice((1, 2, 8, 8, 30, 30))
    rows = [[_value(random) * scale for _ in range(columns)] for _ in range(size)]
    how = random.choice(("as it is", "equal", "zero", "whole", "one large", "positive"))
    if how == "equal":
        rows = [rows[0]] * len(rows)
    elif how == "zero":
        rows = [[0.0] * columns] * len(rows)
    elif how == "whole":
        rows = [[float(random.randrange(3)) for _ in row] for row in rows]
    elif how == "one large":
        rows[-1] = [random.choice((1e38, -1e38, 1e15, float("nan"), float("inf")))] * columns
    elif how == "positive":
        rows = [[abs(value) for value in row] for row in rows]
    return rows


def _value(random: Random) -> float:
    return random.choice((0.0, 1.0, -1.0, random.gauss(0, 1)))


def _sentences(random: Random) -> list[list[str]]:
    """Words of which few are different, or all; sentences may be empty, or equal."""
    words = random.choice((1, 3, 1000))
    lengths = random.choice(((1,), (0, 1, 2), (3, 7, 12)))
    size = random.choice((1, 2, 8))
    return [[f"w{random.randrange(words)}" for _ in range(random.choice(lengths))] for _ in range(size)]


def judge(case: Case, folder: Path) -> None:
    """Finite scores, the same from the file, and no gap below zero; or a refusal."""
    given = from_json(case.data)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model, X = _fitted(case.name, given)
            scores = SCORES[case.name](model, X)
        except Exception as error:
            check_refusal(error)
            return
        assert np.isfinite(scores).all(), "scores are not finite"
        _check_gap(model.record_)
        model.save(folder / "model")
        again = SCORES[case.name](linnet.load(folder / "model"), X)
        assert again.tobytes() == scores.tobytes(), "the file gives other scores"


def _fitted(name: str, given: dict[str, Any]) -> tuple[Any, Any]:
    X, labels = given["X"], given["labels"]
    y: Any = [k % labels for k in range(len(X))]
    if name == "LinearClassifier":
        X = np.array(X)
    else:
        y = [[f"t{k % labels}" for k in range(len(words))] for words in X]
    if name == "DependencyParser":
        y = [([*range(len(tags))], tags) for tags in y]
    model = getattr(linnet, name)(**given["settings"])
    weighted = given["weights"] is not None and name != "DependencyParser"  # which has none
    weights = {} if not weighted else {"sample_weight": np.array(given["weights"])}
    return model.fit(X, y, **weights), X


def _best_scores(model: Any, X: Any) -> Any:
    """Of the two best outputs of each sentence."""
    return np.array([output[-1] for outputs in model.predict(X, k=2) for output in outputs])


SCORES = {
    "LinearClassifier": lambda model, X: model.decision_function(X),
    "Tagger": _best_scores,
    "DependencyParser": _best_scores,
}


def _check_gap(record: Any) -> None:
    for epoch in record.epochs:
        if epoch.gap is not None and epoch.objective is not None:
            assert epoch.gap >= -ROUNDING * (1 + abs(epoch.objective)), f"a gap of {epoch.gap}"
