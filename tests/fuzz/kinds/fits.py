"""Degenerate problems for every learner: nothing to learn, far too large, far too small."""

from __future__ import annotations

import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import linnet
from linnet.training.grid import LEARNERS, LOSSES, PENALTIES

from ..cases import Case, check_refusal, from_json, to_json

SCALES = (0.0, 1e-45, 1e-30, 1e-3, 1.0, 1e3, 1e15, 1e30, 3e38, 1e39)
STRENGTHS = (0.0, -1.0, 1e-300, 1e-8, 1e-3, 1.0, 1e3, 1e8, 1e16, 1e300, float("inf"), float("nan"))
SHARED = ("C", "alpha", "tol", "l1_ratio", "margin")


def case(random: Random) -> Case:
    """A cell of the grid with extreme settings, and a small matrix of an awkward shape."""
    settings: dict[str, Any] = {
        "loss": random.choice(sorted(LOSSES)),
        "learner": random.choice(sorted(LEARNERS)),
        "penalty": random.choice(sorted(PENALTIES)),
        "max_iter": random.choice((1, 5, 30)),
    }
    for name in random.sample(SHARED, random.choice((0, 1, 2))):
        settings[name] = random.choice(STRENGTHS)
    return Case(
        "LinearClassifier",
        to_json({"settings": settings, "X": _matrix(random), "y": _labels(random)}),
    )


def _matrix(random: Random) -> list[list[float]]:
    columns = random.choice((1, 2, 5))
    scale = random.choice(SCALES)
    rows = [
        [_value(random, scale) for _ in range(columns)] for _ in range(random.choice((1, 2, 8, 30)))
    ]
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


def _value(random: Random, scale: float) -> float:
    return random.choice((0.0, 1.0, -1.0, random.gauss(0, 1))) * scale


def _labels(random: Random) -> int:
    return random.choice((1, 2, 2, 2, 3, 7))


def judge(case: Case, folder: Path) -> None:
    """Finite scores that the file gives as well, and a gap that is none below zero; or a refusal."""
    given = from_json(case.data)
    X = np.array(given["X"])
    y = np.arange(len(X)) % given["y"]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            model = linnet.LinearClassifier(**given["settings"]).fit(X, y)
        except Exception as error:
            check_refusal(error)
            return
        _check(model, X, folder / "model")


def _check(model: Any, X: Any, path: Path) -> None:
    try:
        scores = model.decision_function(X)
    except Exception as error:
        check_refusal(error)
        return
    assert np.isfinite(scores).all(), "scores are not finite"
    model.save(path)
    again = linnet.load(path).decision_function(X)
    assert again.tobytes() == scores.tobytes(), "the file gives other scores"
    for epoch in model.record_.epochs:
        if getattr(epoch, "gap", None) is not None:
            assert epoch.gap >= -1e-9 * (1 + abs(epoch.objective)), f"a gap of {epoch.gap}"
