"""``linnet explain`` of rows of symbols: nearest instances, entries of a list, rules that fired."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from linnet.cli.tasks.symbols.data import read_table, rows_of


def explanations(model: Any, path: str, texts: tuple[str, ...], given: dict[str, Any]) -> Iterator[Any]:
    """Of the rows of a file."""
    if texts not in ((), ("-",)):
        raise click.UsageError(f"{path} looks at columns: give a file that has them by --data")
    rows = rows_of(read_table(given["data"] or "-", given), model)
    names = list(rows)
    asked = [dict(zip(names, row, strict=True)) for row in zip(*rows.values(), strict=True)]
    return iter(model.explain(asked))
