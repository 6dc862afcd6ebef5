"""``linnet predict`` with a classifier: one line out for each text in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import click

from linnet.cli.files import arriving
from linnet.cli.following import following
from linnet.cli.options import spelt
from linnet.cli.output import written
from linnet.cli.probabilities import need_probabilities
from linnet.cli.tasks.classify.data import example_batches, inputs, reads_texts
from linnet.cli.tasks.classify.rows import Rows, form_of, records_of
from linnet.formats import part_of

ONE_CELL = str.maketrans("\t\r\n", "   ")  # a label that has them (JSONL) breaks no line


def run(model: Any, path: str, data: str, given: dict[str, Any]) -> None:  # noqa: ARG001
    """Label texts as they come."""
    if given["threshold"] is not None and given["top"] is not None:
        raise click.UsageError(
            f"{spelt('top')} lists labels however sure they are; leave out --threshold"
        )
    set_thresholds(model, given["threshold"])
    if given["proba"]:
        need_probabilities(model, spelt("proba"))
    number, rows = _number(model, given), _rows(model, given)
    source, part = arriving(data), part_of(data)
    if rows is not None and part is not None:
        _begin(rows, model, part.path, given)
    first = part is None or part.begin == 0
    with written(given["output"]) as out, following(source, "texts") as tell:
        for examples in example_batches(source, model, given, rows is not None, notes=first):
            answers = answered(model, inputs(model, examples), given["top"], number)
            out.writelines(lines(answers, number) if rows is None else rows.rows(examples, answers))
            out.flush()
            tell(len(examples))
    if rows is not None:
        rows.tell()


def ranges(model: Any, path: str, given: dict[str, Any], size: int) -> list[Any]:
    """A file cut into pieces that can be answered apart; rows may tell their lines."""
    from linnet.cli.tasks.classify import data

    return data.ranges(path, model, given, size, lines=form_of(given) is not None)


def head(model: Any, path: str, given: dict[str, Any]) -> bytes:
    """What stands before the answers of all pieces: the header of rows."""
    rows = _rows(model, given)
    return b"" if rows is None or not _begin(rows, model, path, given) else rows.header()


def _begin(rows: Rows, model: Any, path: str, given: dict[str, Any]) -> bool:
    """Columns are those of the first example of a file, whichever piece is answered."""
    from linnet._lacks import gathering

    with gathering():  # told where it is answered
        for examples in example_batches(path, model, given, records=True, notes=False):
            rows.begin(records_of(examples)[0])
            return True
    return False


def _rows(model: Any, given: dict[str, Any]) -> Rows | None:
    form = form_of(given)
    return None if form is None else Rows(form, _number(model, given) or "scores", given["top"])


def _encoded(line: str) -> bytes:
    return line.encode(errors="replace")


def _number(model: Any, given: dict[str, Any]) -> str | None:
    """Probabilities or scores, or neither; rows have the one or the other."""
    if given["proba"] or given["scores"]:
        return "proba" if given["proba"] else "scores"
    if form_of(given) is None:
        return None
    return "proba" if model.no_probabilities() is None else "scores"


def set_thresholds(model: Any, thresholds: Any) -> None:
    """A probability, or probabilities by label."""
    if thresholds is None:
        return
    if not reads_texts(model):
        raise click.UsageError("--threshold: only models of texts have thresholds")
    need_probabilities(model, "--threshold")
    if not hasattr(model, "thresholds"):
        raise click.UsageError(f"--threshold: a {type(model).__name__} has none")
    model.thresholds = thresholds


@dataclass
class Answers:
    """The labels of some texts, each with a number if numbers are asked for, best first."""

    labels: list[Any]  # of each text a label, or a list of them
    numbers: list[Any] | None  # of each text a number, or a list of them
    listed: bool  # lists, of several labels or of the best ones


def answered(model: Any, X: Any, top: int | None, number: str | None) -> Answers:
    """From one pass over the texts, whatever is asked."""
    import numpy as np

    scores = model._scores(X)
    values = None
    if number == "proba":
        values = model._probabilities(scores)
    elif number is not None or top is not None:
        values = model._decision(scores)
        values = np.stack([-values, values], axis=1) if values.ndim == 1 else values
    if top is not None:
        assert values is not None
        best = np.argsort(-values, axis=1, kind="stable")[:, :top]
        rows = np.take_along_axis(values, best, axis=1).tolist()
        return Answers(model.classes_[best].tolist(), None if number is None else rows, True)
    found = model._decide(scores)
    if getattr(model, "several_", False):
        numbers = None
        if values is not None:
            place = {name: k for k, name in enumerate(model.classes_.tolist())}
            pairs = zip(found, values.tolist(), strict=True)
            numbers = [[row[place[label]] for label in labels] for labels, row in pairs]
        return Answers(list(found), numbers, True)
    return Answers(found.tolist(), None if values is None else values.max(axis=1).tolist(), False)


def lines(answers: Answers, number: str | None) -> Iterable[bytes]:
    """A line per text: its label or labels, with numbers if asked for."""
    shown = "%s\t%.6f" if number == "proba" else "%s\t%.6g"
    if answers.listed:
        if answers.numbers is None:
            return (_encoded("\t".join(map(_cell, labels)) + "\n") for labels in answers.labels)
        pairs = zip(answers.labels, answers.numbers, strict=True)
        return (_encoded(_pairs(shown, labels, numbers)) for labels, numbers in pairs)
    cells = {label: _cell(label) for label in set(answers.labels)}
    if answers.numbers is None:
        whole = {label: _encoded(f"{cell}\n") for label, cell in cells.items()}
        return (whole[label] for label in answers.labels)
    shown += "\n"
    both = zip(answers.labels, answers.numbers, strict=True)
    return [_encoded("".join([shown % (cells[label], value) for label, value in both]))]


def _pairs(shown: str, labels: Any, numbers: Any) -> str:
    pairs = zip(labels, numbers, strict=True)
    return "\t".join([shown % (_cell(label), value) for label, value in pairs]) + "\n"


def _cell(label: Any) -> str:
    return str(label).translate(ONE_CELL)
