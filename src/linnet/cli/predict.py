"""``linnet predict``: one line out for each text in."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli._options import threads_option


@click.command("predict")
@click.argument("model", metavar="MODEL")
@click.argument("data", metavar="[DATA]", default="-")
@click.option("--proba", is_flag=True, help="label and probability, separated by a tab")
@click.option("--top", type=click.IntRange(min=1), metavar="K", help="the K best labels, best first")
@click.option("--scores", is_flag=True, help="label and score in place of a probability")
@click.option("--threshold", type=click.FloatRange(0, 1), help="say 'unsure' below this probability")
@click.option("--format", "format_", metavar="F", help="of DATA; lines of text where not given for -")
@click.option("--text", metavar="NAME", help="column of the text (CSV, JSONL, Parquet)")
@click.option("-o", "--output", metavar="FILE", default="-", help="where to write; standard output")
@threads_option
def command(model: str, data: str, **given: Any) -> None:
    """Label DATA, or what comes through a pipe: plain text, one text per line, or any data format.

    Labels that DATA may have are not looked at.
    """
    import linnet
    from linnet.cli._data import batches

    if given["proba"] and given["scores"]:
        raise click.UsageError("--proba and --scores are two kinds of number; give one")
    loaded = linnet.load(model)
    loaded.n_jobs = given["threads"]
    if given["threshold"] is not None:
        loaded.thresholds = given["threshold"]
    with click.open_file(given["output"], "w", encoding="utf-8") as out:
        for batch in batches(data, loaded, given):
            out.writelines(lines(loaded, batch, given["top"], _number(given)))
            out.flush()


def _number(given: dict[str, Any]) -> str | None:
    return "proba" if given["proba"] else "scores" if given["scores"] else None


def lines(model: Any, X: Any, top: int | None, number: str | None) -> list[str]:
    """A line per text: its label or labels, with numbers if asked for."""
    if number is None and top is None:
        found = model.predict(X)
        if getattr(model, "several_", False):
            return ["\t".join(map(str, labels)) + "\n" for labels in found]
        return [f"{label}\n" for label in found.tolist()]
    return _ranked(model, X, top or 1, number)


def _ranked(model: Any, X: Any, top: int, number: str | None) -> list[str]:
    import numpy as np

    if number == "proba":
        values = model.predict_proba(X)
    else:
        values = model.decision_function(X)
        if values.ndim == 1:
            values = np.stack([-values, values], axis=1)
    names = [str(label) for label in model.classes_.tolist()]
    best = np.argsort(-values, axis=1, kind="stable")[:, :top]
    rows = np.take_along_axis(values, best, axis=1).tolist()
    if number is None:
        return ["\t".join(names[k] for k in row) + "\n" for row in best.tolist()]
    shown = "{}\t{:.6f}" if number == "proba" else "{}\t{:.6g}"
    return [
        "\t".join(shown.format(names[k], v) for k, v in zip(b, r, strict=True)) + "\n"
        for b, r in zip(best.tolist(), rows, strict=True)
    ]
