"""``linnet evaluate`` with a classifier of rows of symbols."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.options import refuse_given
from linnet.cli.tasks.classify.report import show_report
from linnet.cli.tasks.symbols.data import label_of, labels_of, read_table, rows_of


def judged(model: Any, path: str, data: str, given: dict[str, Any]) -> dict[str, Any]:
    """Everything there is to say, as plain data."""
    from linnet.evaluation import report

    refuse_given(("train", "curve", "threshold", "threshold_of"), "of classifiers of texts")
    refuse_given(("against",), "two models of rows of symbols are compared by their answers")
    table = read_table(data, given)
    gold = labels_of(table, label_of(table, given["label"] or model.record_.data.get("label")))
    rows = rows_of(table, model)
    sure = model.no_probabilities() is None
    told = report(
        gold,
        [str(label) for label in model.predict(rows).tolist()],
        classes=[str(label) for label in model.classes_.tolist()],
        probabilities=model.predict_proba(rows) if sure else None,
        worst=given["worst"],
        sequences=False,
        **{name: given[name] for name in ("positive", "resamples", "level", "seed")},
    )
    cells = [[*row] for row in zip(*rows.values(), strict=True)]
    for error in told.get("worst_errors", ()):
        error["line"] = table.lines[error["example"]]
        error["text"] = " ".join(cells[error["example"]])
    return {"model": path, "data": data, **told}


def compared(gold_path: str, path: str, given: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG001
    """Two files without a model."""
    raise click.UsageError(f"{gold_path} is no model; rows of symbols are compared with one")


def show(told: dict[str, Any], given: dict[str, Any]) -> None:  # noqa: ARG001
    """Tables for the eye."""
    show_report(told)
