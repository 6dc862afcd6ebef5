"""Predictions as data: a row for each text, with what came in, as JSON lines, CSV or TSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from linnet.cli.output import to_json

if TYPE_CHECKING:
    from linnet.cli.tasks.classify.predict import Answers

FORMS = {"as_json": "json", "as_csv": "csv", "as_tsv": "tsv"}
FOUND = r"(predicted|probability|score)(_\d+)?|top"  # names of what is found
APART = ";"  # between several labels in one cell


def form_of(given: dict[str, Any]) -> str | None:
    """What rows are written as; None: lines of labels."""
    asked = [form for name, form in FORMS.items() if given[name]]
    if len(asked) > 1:
        raise click.UsageError(f"--{asked[0]} and --{asked[1]} are two forms; give one")
    return asked[0] if asked else None


class Rows:
    """What came in, then what was found: the label, its probability or score, the best labels."""

    def __init__(self, form: str, number: str, top: int | None) -> None:
        self.form, self.top = form, top
        self.number = "probability" if number == "proba" else "score"
        self.columns: list[str] = []
        self.prefix: str | None = None
        self.others: dict[str, int] = {}  # keys that the first object lacks, and the line of the first

    def rows(self, examples: Any, answers: Answers) -> Iterator[bytes]:
        """Of one batch."""
        came = records_of(examples)
        if self.prefix is None and came:
            self.begin(came[0])
            yield self.header()
        found = zip(answers.labels, answers.numbers or (), strict=True)
        for i, (labels, numbers) in enumerate(found):
            added = self._found(labels, numbers, answers.listed)
            if self.form == "json":
                yield f"{to_json(came[i] | added)}\n".encode(errors="replace")
            else:
                self._note(came[i], int(examples.lines[i]))
                row = came[i] | added
                yield self._line([row.get(name) for name in self.columns])

    def header(self) -> bytes:
        """The names of columns, where rows have them on a line of their own."""
        return b"" if self.form == "json" else self._line(self.columns)

    def begin(self, first: dict[str, Any]) -> None:
        """Names of what is found, which are not among those that came in."""
        taken = any(re.fullmatch(FOUND, name) for name in first)
        self.prefix = "linnet_" if taken else ""
        found = self._found(["a"] * (self.top or 1), [0.0] * (self.top or 1), self.top is not None)
        self.columns = [*first, *found]

    def _found(self, labels: Any, numbers: Any, listed: bool) -> dict[str, Any]:
        own = self.prefix or ""
        if self.top is None:
            made = {"predicted": list(labels) if listed else labels, self.number: _round(numbers)}
            return {own + name: value for name, value in made.items()}
        if self.form == "json":
            best = [
                {"label": label, self.number: _round(value)}
                for label, value in zip(labels, numbers, strict=True)
            ]
            return {f"{own}top": best}
        made = {}
        for rank, (label, value) in enumerate(zip(labels, numbers, strict=True), 1):
            made |= {f"{own}predicted_{rank}": label, f"{own}{self.number}_{rank}": value}
        return made

    def _line(self, cells: list[Any]) -> bytes:
        out = io.StringIO(newline="")
        mark = "," if self.form == "csv" else "\t"
        csv.writer(out, delimiter=mark, lineterminator="\n").writerow(map(_cell, cells))
        return out.getvalue().encode(errors="replace")

    def _note(self, record: dict[str, Any], line: int) -> None:
        if self.columns[: len(record)] != list(record):
            for name in record:
                if name not in self.columns:
                    self.others.setdefault(name, line)

    def tell(self) -> None:
        """What had no column."""
        for name, line in self.others.items():
            said = f"{name!r} (line {line}) is no key of the first object: left out; --json keeps it"
            click.echo(f"note: {said}", err=True)


def _round(value: Any) -> Any:
    """Six digits, as lines have them."""
    return [_round(one) for one in value] if isinstance(value, list) else float(f"{value:.6g}")


def records_of(examples: Any) -> list[dict[str, Any]]:
    """What came in: all columns, or the number of the line and the text."""
    if examples.records is not None:
        return list(examples.records)
    lines = examples.lines.tolist()
    if examples.texts is None:
        return [{"line": line} for line in lines]
    return [{"line": line, "text": examples.texts[i]} for i, line in enumerate(lines)]


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list) and all(isinstance(item, (str, int, float)) for item in value):
        return APART.join(str(_cell(item)) for item in value)
    return to_json(value) if isinstance(value, (dict, list, bool)) else value
