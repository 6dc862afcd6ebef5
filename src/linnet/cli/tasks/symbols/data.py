"""Rows of symbols: a table whose cells are compared as they are written; one column is the label."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click

from linnet.data.text_file import text_lines
from linnet.errors import DataError, EmptyError
from linnet.formats._columns import doubled, known
from linnet.formats._quotes import delimiter_in

SHOWN = 10  # names of columns in a complaint


@dataclass(frozen=True)
class Table:
    """Columns by name, and the line on which each row begins."""

    source: str
    columns: dict[str, list[str]]
    lines: list[int]

    def __len__(self) -> int:
        return len(self.lines)

    def column(self, name: str, what: str) -> list[str]:
        """The cells of a column."""
        if name not in self.columns:
            has = ", ".join(map(repr, [*self.columns][:SHOWN]))
            raise DataError(f"{self.source} has no column {name!r}, {what}; it has {has}")
        return self.columns[name]

    def without(self, label: str | None) -> dict[str, list[str]]:
        """All columns but the label; there must be some."""
        if not self.columns.keys() - {label}:
            raise DataError(f"{self.source} has no column beside the label")
        return {name: cells for name, cells in self.columns.items() if name != label}


def read_table(path: Any, given: dict[str, Any]) -> Table:
    """CSV, divided as its first line shows; a name for each column, or with --no-header 1, 2, …"""
    if given.get("format_") not in (None, "csv", "tsv"):
        raise click.UsageError(f"--format {given['format_']}: rows of symbols are csv or tsv")
    lines = text_lines("/dev/stdin" if path == "-" else path)
    first = next((line for line in lines if line), None)
    if first is None:
        raise EmptyError(f"{path} is empty")
    mark = "\t" if given.get("format_") == "tsv" else delimiter_in(first)
    records = list(_records(str(path), lines, mark))
    begin, names = records[0]
    if given.get("no_header"):
        names = [str(k + 1) for k in range(len(names))]
    else:
        records = records[1:]
        if (twice := doubled(names)) is not None:
            raise DataError(f"{path}, line {begin}: two columns are called {twice!r}")
    if not records:
        raise EmptyError(f"{path} has a header and no rows")
    for line, record in records:
        if len(record) != len(names):
            raise DataError(f"{path}, line {line}: {len(record)} cells, and {len(names)} columns")
    cells = {name: [record[k] for _, record in records] for k, name in enumerate(names)}
    return Table(str(path), cells, [line for line, _ in records])


def _records(path: str, lines: list[str], mark: str) -> Iterator[tuple[int, list[str]]]:
    """The line on which each record begins, and its cells; empty lines are none."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=mark, strict=True)
    while True:
        begin = reader.line_num + 1
        try:
            record = next(reader, None)
        except csv.Error as error:
            raise DataError(f"{path}, line {begin}: not CSV: {error}") from None
        if record is None:
            return
        if record:
            yield begin, record


def label_of(table: Table, asked: str | None) -> str:
    """The column of the label: the one that was asked for, or one that is known by its name."""
    name = asked or known(list(table.columns), "label")
    if name is None:
        has = ", ".join(map(repr, [*table.columns][:SHOWN]))
        raise DataError(
            f"{table.source}: which column is the label? It has {has}; name it with --label"
        )
    table.column(name, "which --label names")
    return name


def labels_of(table: Table, name: str) -> list[str]:
    """None is empty."""
    cells = table.column(name, "the label")
    empty = next((i for i, cell in enumerate(cells) if not cell), None)
    if empty is not None:
        raise DataError(f"{table.source}, line {table.lines[empty]}: the label is empty")
    return cells


def rows_like(other: Table, table: Table, label: str) -> dict[str, list[str]]:
    """The columns of a second table that the first one has, but for the label."""
    return {
        name: other.column(name, f"which {table.source} has") for name in table.columns if name != label
    }


def rows_of(table: Table, model: Any) -> dict[str, list[str]]:
    """The columns that a model looks at."""
    names = [str(name) for name in model.feature_names_in_]
    return {name: table.column(name, "which the model looks at") for name in names}
