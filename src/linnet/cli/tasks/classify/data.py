"""Examples for the commands: files as the options describe them, or as a model wants them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any

import click

from linnet.cli.files import is_pipe, tell_notes
from linnet.data.text_file import text_lines
from linnet.errors import DataError, MissingColumnError

BESIDE = ("numeric", "categorical")  # columns
OPTION = {"text": "--text", "label": "--label", "zero_based": "--zero-based", "header": "--no-header"}
OPTION["label_names"] = "--label-names"


def read(path: str, given: dict[str, Any]) -> Any:
    """Labelled examples."""
    examples = _read(path, given.get("format_"), _options(path, given))
    if not given.get("quiet"):
        tell_notes(examples)
    if examples.labels is None:
        raise DataError(f"{path} has no labels; a line of TSV is a label, a tab and a text")
    return examples


def _options(path: str, given: dict[str, Any]) -> dict[str, Any]:
    """What was said of the data, as settings of a reader; its format must have them."""
    from linnet import formats

    said = {name: given.get(name) for name in ("text", "label", "label_names", "zero_based")}
    options: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
    columns = (*given.get("numeric", ()), *given.get("categorical", ()))
    if columns:
        options["columns"] = columns
    if given.get("no_header"):
        options["header"] = False
    form = _form(path, given)
    for name in options:
        if form in formats.FORMATS and name not in formats.FORMATS[form].options:
            culprit = f"column {columns[0]}" if name == "columns" else OPTION[name]
            hint = "; --format csv reads columns by name" if form == "tsv" else ""
            raise click.UsageError(f"{culprit}: {path} is {form}, which has no such thing{hint}")
    return options


def _form(path: str, given: dict[str, Any]) -> str | None:
    """The format of a file; that of a pipe is known when it is read."""
    from linnet import formats

    return given.get("format_") or (None if is_pipe(path) else formats.detect(path))


def refuse_sentences(path: str, given: dict[str, Any]) -> None:
    """Lines of a file of tokens would be taken for texts."""
    from linnet.formats import SequenceFormat
    from linnet.formats._table import by_ending

    form = None if given.get("format_") or is_pipe(path) else by_ending(path, SequenceFormat)
    if form is not None:
        raise DataError(
            f"{path} is {form.name}, sentences of tokens, but the model is a classifier of texts; "
            "--format text takes its lines for texts"
        )


def _read(path: str, form: str | None, options: dict[str, Any]) -> Any:
    from linnet import formats

    return formats.read(path, form, **options)


def batches(path: str, model: Any, given: dict[str, Any]) -> Iterator[Any]:
    """What a model predicts on, as it comes: texts with the columns it looks at, or rows of numbers."""
    from linnet import formats

    if is_pipe(path) and not given["format_"]:
        given = given | {"format_": "text" if reads_texts(model) else "svmlight"}
    refuse_sentences(path, given)
    options = _options(path, given | looked_at(path, model, given))
    form = _form(path, given)
    if form == "tsv":
        options["skip_labels"] = True
    elif form in formats.FORMATS and "labelled" in formats.FORMATS[form].options:
        options["labelled"] = False
    with naming_text(model, given):
        for number, examples in enumerate(formats.read_batches(path, given["format_"], **options)):
            if number == 0:
                tell_notes(examples)
            yield inputs(model, examples)


@contextmanager
def naming_text(model: Any, given: dict[str, Any]) -> Iterator[None]:
    """Who misses the column that the model learnt from may name another."""
    try:
        yield
    except MissingColumnError as error:
        name = getattr(model, "text", None)
        if given["text"] is not None or error.column != name:
            raise
        raise DataError(f"{error}; the model learnt from {name!r}, --text names another") from None


def reads_texts(model: Any) -> bool:
    """Of classifiers, those of texts; others score rows of numbers."""
    return bool(model.reads_text)


def looked_at(path: str, model: Any, given: dict[str, Any]) -> dict[str, Any]:
    """What to read for a model: columns beside the text, or features counted as in training."""
    if reads_texts(model):
        from linnet.formats import FORMATS

        features = model.features_
        found: dict[str, Any] = {name: tuple(getattr(features, name)) for name in BESIDE}
        form = FORMATS.get(_form(path, given) or "")
        if given["text"] is None and model.text != "text" and form and "text" in form.options:
            found["text"] = model.text  # the column it learnt from
        return found
    if given["zero_based"] is not None or _form(path, given) != "svmlight":
        return {}
    return {"zero_based": bool(model.record_.data.get("zero_based"))}


def inputs(model: Any, examples: Any) -> Any:
    """What the model predicts on: texts and columns, or its features among the rows of numbers."""
    if reads_texts(model):
        if examples.texts is None:
            raise DataError(f"{examples.source} holds numbers, but the model is one of texts")
        return examples
    if examples.matrix is None:
        raise DataError(f"{examples.source} holds texts, but the model is one of numbered features")
    if (examples.feature_names is None) != (model.vocabulary_ is None):
        kind = "numbered" if model.vocabulary_ is None else "named"
        raise DataError(f"{examples.source}: the features of the model are {kind}, and these are not")
    if examples.feature_names is not None:
        return named_rows(examples)
    return _narrowed(examples.matrix, model.n_features_in_)


def named_rows(examples: Any) -> list[dict[str, float]]:
    """Features by name, whose numbers differ from file to file (VW)."""
    rows, names = examples.matrix, examples.feature_names
    ends, indices, values = (part.tolist() for part in (rows.indptr, rows.indices, rows.values))
    return [
        {names[j]: v for j, v in zip(indices[begin:end], values[begin:end], strict=True)}
        for begin, end in pairwise(ends)
    ]


def numbered_as(known: Any, examples: Any) -> Any:
    """Examples of a second file, whose rows have the features of the first; others are dropped."""
    import numpy as np

    if (known.texts is None) != (examples.texts is None):
        raise DataError(f"of {known.source} and {examples.source} one holds texts and one numbers")
    if examples.matrix is None:
        return examples
    if known.feature_names is None or examples.feature_names is None:
        return replace(examples, matrix=_narrowed(examples.matrix, known.matrix.features))
    size = len(known.feature_names)
    place = {name: j for j, name in enumerate(known.feature_names)}
    new = np.array([place.get(name, size) for name in examples.feature_names], dtype=np.int32)
    rows = replace(examples.matrix, indices=new[examples.matrix.indices], features=size + 1)
    return replace(examples, matrix=_narrowed(rows, size), feature_names=known.feature_names)


def _narrowed(rows: Any, features: int) -> Any:
    """Features that were never seen in training have no weight."""
    import numpy as np

    known = rows.indices < features
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(known)])
    return replace(
        rows,
        indptr=before[rows.indptr],
        indices=rows.indices[known],
        values=rows.values[known],
        features=features,
    )


def read_lexicon(path: str) -> dict[str, dict[str, float]]:
    """Lines of label, n-gram and weight (1 if left out), separated by tabs."""
    found: dict[str, dict[str, float]] = {}
    for number, line in enumerate(text_lines(path), 1):
        fields = line.split("\t")
        if fields == [""]:
            continue
        if not 2 <= len(fields) <= 3:
            raise DataError(f"{path}, line {number}: not label, n-gram and weight, by tabs")
        try:
            weight = float(fields[2]) if len(fields) == 3 else 1.0
        except ValueError:
            weight = math.nan
        if not math.isfinite(weight):
            raise DataError(f"{path}, line {number}: {fields[2]!r} is no number")
        found.setdefault(fields[0], {})[fields[1]] = weight
    if not found:
        raise DataError(f"{path} holds no lines of label, n-gram and weight")
    return found
