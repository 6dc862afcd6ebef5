"""Data for the commands: files as the options describe them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import click

from linnet.errors import DataError


def read(path: str, given: dict[str, Any]) -> Any:
    """Labelled examples."""
    from linnet import formats

    options: dict[str, Any] = {name: given[name] for name in ("text", "label") if given.get(name)}
    columns = (*given.get("numeric", ()), *given.get("categorical", ()))
    if columns:
        options["columns"] = columns
    examples = formats.read(path, given.get("format_"), **options)
    for note in examples.notes:
        click.echo(f"note: {note}", err=True)
    if examples.labels is None:
        raise DataError(f"{path} has no labels; a line of TSV is a label, a tab and a text")
    return examples


def batches(path: str, model: Any, given: dict[str, Any]) -> Iterator[Any]:
    """What a model predicts on: texts as they come, or rows of numbered features."""
    from linnet import formats

    options: dict[str, Any] = {name: given[name] for name in ("text",) if given.get(name)}
    form = given["format_"] or ("text" if path == "-" else None)
    if not hasattr(model, "features_"):
        examples = formats.read(path, given["format_"] or "svmlight", features=model.n_features_in_)
        yield examples.matrix
        return
    features = model.features_
    columns = (*features.numeric, *features.categorical)
    if columns:
        options["columns"] = columns
    yield from formats.read_batches(path, form, **options)


def check_task(task: str | None, data: str) -> None:
    """Texts with labels are what can be learnt today."""
    if task not in (None, "classify"):
        raise click.UsageError(f"--task {task} is not there yet; classify is")
    if data.endswith((".conllu", ".mrg")):
        raise click.UsageError(f"{data} looks like sequences or trees; only classify is there yet")


def check_output(path: str) -> None:
    """A training is not begun that could not be saved."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        raise click.UsageError(f"-o {path}: no file can be written there")


def read_lexicon(path: str) -> dict[str, dict[str, float]]:
    """Lines of label, n-gram and weight (1 if left out), separated by tabs."""
    found: dict[str, dict[str, float]] = {}
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                fields = line.rstrip("\r\n").split("\t")
                if fields == [""]:
                    continue
                if not 2 <= len(fields) <= 3:
                    raise DataError(f"{path}, line {number}: not label, n-gram and weight, by tabs")
                try:
                    weight = float(fields[2]) if len(fields) == 3 else 1.0
                except ValueError:
                    raise DataError(f"{path}, line {number}: {fields[2]!r} is no number") from None
                found.setdefault(fields[0], {})[fields[1]] = weight
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}") from None
    return found


def numbered_classifier(given: dict[str, Any]) -> Any:
    """A classifier of rows that are numbers already."""
    from linnet.estimators import LinearClassifier

    return LinearClassifier(
        "logistic" if given["loss"] == "auto" else given["loss"],
        given["learner"],
        given["penalty"],
        C=1.0 if given["C"] is None else given["C"],
        alpha=given["alpha"],
        l1_ratio=given["l1_ratio"],
        average=given["average"],
        max_iter=given["max_iter"],
        tol=1e-4 if given["tol"] is None else given["tol"],
        class_weight="balanced" if given["balanced"] else None,
        random_state=given["seed"],
        n_jobs=given["threads"],
        diagnostics=False,
    )
