"""What there is to draw of a report: curves by name, found in plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Points = list[tuple[float, float]]
MOST_CURVES = 8
EPOCHS = ("objective", "dual", "gap", "gradient_norm", "mistakes", "dev_score")


@dataclass(frozen=True)
class Figure:
    """Lines, or points with names, over two axes."""

    title: str
    x: str
    y: str
    lines: dict[str, Points] = field(default_factory=dict)
    named: bool = False  # points with names, not lines
    bars: dict[str, float] = field(default_factory=dict)  # by name, in place of lines
    unit: bool = False  # both axes are from 0 to 1
    diagonal: bool = False
    powers: bool = False  # x by powers of ten


def figures(told: dict[str, Any]) -> Iterator[Figure]:
    """Of any command."""
    curves = told.get("precision_recall") or {}
    if curves:
        lines = {
            str(label): list(zip(one["recall"], one["precision"], strict=True))
            for label, one in list(curves.items())[:MOST_CURVES]
        }
        yield Figure("Precision and recall", "recall", "precision", lines, unit=True)
    rows = told.get("unsure_below") or []
    if rows:
        lines = {
            "answered": [(row["threshold"], row["coverage"]) for row in rows],
            "right of these": [
                (row["threshold"], row["accuracy"]) for row in rows if row["accuracy"] is not None
            ],
        }
        yield Figure("Unsure below a threshold", "threshold", "share", lines)
    rows = told.get("one_threshold") or []
    if rows:
        names = {
            "micro_precision": "precision",
            "micro_recall": "recall",
            "accuracy": "all labels right",
        }
        lines = {
            shown: [(row["threshold"], row[name]) for row in rows] for name, shown in names.items()
        }
        yield Figure("Labels said from a threshold on", "threshold", "share", lines, unit=True)
    rows = told.get("reliability") or []
    if len(rows) > 1:
        points = {"answers": [(row["sure"], row["right"]) for row in rows]}
        yield Figure("Reliability", "how sure", "how often right", points, unit=True, diagonal=True)
    yield from _of_weights(told)
    yield from _of_models(told)
    yield from _of_trials(told)
    yield from _of_sizes(told)
    yield from _of_epochs(told)


def _of_weights(told: dict[str, Any]) -> Iterator[Figure]:
    """``train``: the largest weights of each label."""
    for label, rows in list((told.get("largest_weights") or {}).items())[:MOST_CURVES]:
        bars = {row["feature"]: row["weight"] for row in rows}
        if bars:
            yield Figure(f"Largest weights of {label}", "weight", "", bars=bars)


def _of_models(told: dict[str, Any]) -> Iterator[Figure]:
    """``compare``: time against the score."""
    metric, models = told.get("metric"), told.get("models")
    if metric and models:
        points = {m["name"]: [(m["seconds"], m[metric])] for m in models if metric in m}
        title, x = f"Time and {metric}", "seconds of training"
        yield Figure(title, x, str(metric), points, named=True, powers=True)


def _of_trials(told: dict[str, Any]) -> Iterator[Figure]:
    """``tune``: scores over each setting that is a number."""
    rows = [row for row in told.get("rows") or [] if isinstance(row, dict) and "settings" in row]
    for name in rows[0]["settings"] if rows else ():
        values = [row["settings"][name] for row in rows]
        if len(set(map(str, values))) < 2 or not all(isinstance(v, (int, float)) for v in values):
            continue
        best: dict[float, tuple[float, float]] = {}
        for value, row in zip(values, rows, strict=True):
            if value not in best or row["dev"] > best[value][1]:
                best[value] = (row["train"], row["dev"])
        ordered = sorted(best.items())
        lines = {
            "training": [(value, pair[0]) for value, pair in ordered if pair[0] is not None],
            "held out": [(value, pair[1]) for value, pair in ordered],
        }
        powers = min(values) > 0 and max(values) >= 20 * min(values)
        yield Figure(f"Score by {name}", name, str(told.get("metric", "score")), lines, powers=powers)


def _of_sizes(told: dict[str, Any]) -> Iterator[Figure]:
    """``curve``: scores by the number of examples."""
    rows = told.get("sizes") or []
    if rows:
        unit = str(told["unit"])
        lines = {
            "training": [(row[unit], row["train"]) for row in rows],
            "held out": [(row[unit], row["dev"]) for row in rows],
        }
        yield Figure("Learning curve", unit, str(told.get("metric", "score")), lines, powers=True)


def _of_epochs(told: dict[str, Any]) -> Iterator[Figure]:
    """``train``: what changed from epoch to epoch."""
    epochs = told.get("epochs") or []
    for name in EPOCHS:
        points = [
            (e["epoch"], e[name]) for e in epochs if e.get(name) is not None and e.get("label") is None
        ]
        if len(points) > 1:
            yield Figure(name.replace("_", " "), "epoch", name.replace("_", " "), {name: points})
