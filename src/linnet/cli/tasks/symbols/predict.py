"""``linnet predict`` of rows of symbols: one line out for each row."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.options import spelt
from linnet.cli.output import written
from linnet.cli.probabilities import need_probabilities
from linnet.cli.tasks.symbols.data import read_table, rows_of


def run(model: Any, path: str, data: str, given: dict[str, Any]) -> None:  # noqa: ARG001
    """Labels, with --proba shares of votes."""
    if given["top"]:
        shares = (
            "" if model.no_probabilities() is not None else "; --proba shows its share of the votes"
        )
        raise click.UsageError(f"{spelt('top')}: a row has one label{shares}")
    if given["proba"]:
        need_probabilities(model, spelt("proba"))
    rows = rows_of(read_table(data, given), model)
    labels = [str(label) for label in model.predict(rows).tolist()]
    if given["proba"]:
        shares = model.predict_proba(rows).max(axis=1).tolist()
        labels = [f"{label}\t{share:.6f}" for label, share in zip(labels, shares, strict=True)]
    with written(given["output"]) as out:
        out.writelines(f"{label}\n".encode(errors="replace") for label in labels)


def ranges(model: Any, path: str, given: dict[str, Any], size: int) -> list[Any]:  # noqa: ARG001
    """Tables are answered whole."""
    return []


def head(model: Any, path: str, given: dict[str, Any]) -> bytes:  # noqa: ARG001
    """Nothing stands before the answers."""
    return b""
