"""Examples for the commands: files as the options describe them, or as a model wants them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from typing import Any

import click

from linnet.cli.files import arriving, filled, is_pipe, opened, tell_notes
from linnet.cli.tasks.classify.options import missing_of
from linnet.errors import DataError, MissingColumnError

USUAL = ("usual_text", "usual_label")
OPTION = {"text": "--text", "label": "--label", "zero_based": "--zero-based", "header": "--no-header"}
OPTION["label_names"] = "--label-names"


def read(path: Any, given: dict[str, Any], model: Any = None) -> Any:
    """Labelled examples; what a model remembers of its data holds for these, too."""
    path = opened(path)
    form, options = _how(path, given, model)
    examples = _read(path, form, options)
    if not given.get("quiet"):
        tell_notes(examples)
    if examples.labels is None:
        raise DataError(f"{path} has no labels; {WRITTEN.get(form, 'those of its format are missing')}")
    return examples


def _how(path: Any, given: dict[str, Any], model: Any = None) -> tuple[str, dict[str, Any]]:
    """The format of labelled examples, and the settings of its reader."""
    form = form_of(path, given, model)
    options = _options(path, form, given | looked_at(form, model, given))
    options |= _about_missing(form, given, model)
    if "label" in formats_options(form):
        options["labelled"] = True  # or else the columns that there are are told
    if getattr(model, "several_", False) and "multilabel" in formats_options(form):
        options["multilabel"] = True
    return form, options


def read_all(paths: list[Any], given: dict[str, Any]) -> Any:
    """The examples of all files, one after the other."""
    from linnet.data import joined

    return joined([read(path, given) for path in paths])


def read_unlabelled(paths: tuple[Any, ...], given: dict[str, Any]) -> Any:
    """The texts of all files; labels that are there are not looked at, which is told."""
    import linnet._core as _core

    found = []
    for path in map(opened, paths):
        form = form_of(path, given)
        examples = _read(path, form, _options(path, form, given))
        if examples.texts is None:
            raise DataError(f"{path} has numbered features, no texts")
        if examples.labels is not None and not given["quiet"]:
            click.echo(f"note: {path} has labels, which are not looked at", err=True)
        found.append(examples.texts)
    return _core.Texts.joined(found)


def read_there(path: Any, given: dict[str, Any], workers: Any) -> Any:
    """Labelled rows that the workers of an engine read, who stay while ``workers`` is open."""
    from linnet import engines
    from linnet.estimators.linear.ranged import rows_of_workers

    engine = engines.in_use()
    assert engine is not None
    _, options = _how(path, given)
    kept = workers.enter_context(engines.keeping(engine))
    examples = rows_of_workers(str(path), options, kept, False if given["quiet"] else None)
    if not given["quiet"]:
        tell_notes(examples)
    return examples


def in_parts(paths: list[Any], given: dict[str, Any]) -> list[Any]:
    """Files of texts that are not read whole."""
    from linnet.estimators.text.reading import TextFile

    files = []
    for path in paths:
        form, options = _how(path, given)
        files.append(TextFile(path if is_pipe(path) else str(path), form, options))
    return files


WRITTEN = {  # how a label stands in a line
    "tsv": "a line of TSV is a label, a tab and a text",
    "text": "a line of TSV is a label, a tab and a text; --format says what else it is",
    "fasttext": "a line of fastText begins with __label__ and the label",
    "vw": "a line of VW reads: label | word word …",
    "svmlight": "a line of svmlight begins with the label",
}


def _about_missing(form: str, given: dict[str, Any], model: Any) -> dict[str, Any]:
    said = missing_of(given)
    if model is not None and said is not None and reads_texts(model):
        model.missing = said  # of columns beside the text
    if "missing" not in formats_options(form):
        return {}
    return {"missing": said or getattr(model, "missing", None) or "auto"}


def formats_options(form: str) -> frozenset[str]:
    """The settings of a format; none of one that is not known, which its reader will say."""
    from linnet import formats

    return formats.FORMATS[form].options if form in formats.FORMATS else frozenset()


def _options(path: Any, form: str, given: dict[str, Any]) -> dict[str, Any]:
    """What was said of the data, as settings of a reader; its format must have them."""
    said = {name: given.get(name) for name in ("text", "label", "label_names", "zero_based", *USUAL)}
    options: dict[str, Any] = {name: value for name, value in said.items() if value is not None}
    columns = (*given.get("numeric", ()), *given.get("categorical", ()))
    if columns:
        options["columns"] = columns
    if given.get("no_header"):
        options["header"] = False
    taken = formats_options(form)
    for name in options if taken else ():
        if name not in taken:
            culprit = f"column {columns[0]}" if name == "columns" else OPTION[name]
            hint = "; --format csv reads columns by name" if form == "tsv" else ""
            raise click.UsageError(f"{culprit}: {path} is {form}, which has no such thing{hint}")
    return options


def form_of(path: Any, given: dict[str, Any], model: Any = None) -> str:
    """The format: as it was said, as it was in training of files with this ending, or as data show."""
    from linnet import formats
    from linnet.estimators.text.reading import expected_of
    from linnet.estimators.text.reading import form_of as form_for

    if given.get("format_"):
        return str(given["format_"])
    if model is None:
        return formats.detect(path)
    if reads_texts(model):
        return form_for(model, path, expected_of(model))
    usual = numbers_of(model)
    found = form_for(model, path, formats.Expected(usual, (), usual))
    return usual if is_pipe(path) and found in ("tsv", "text") else found


def numbers_of(model: Any) -> str:
    """The format of rows that a model scores: numbered or named features."""
    return "svmlight" if model.vocabulary_ is None else "vw"


def remember(model: Any, examples: Any, path: Any, given: dict[str, Any]) -> None:
    """What to expect of other files, for the record of a model."""
    from linnet.estimators.text.reading import ending_of, remembered
    from linnet.formats import Format
    from linnet.formats._table import by_ending

    if examples is not None:
        model.record_.data |= remembered(examples)
    row, ending = by_ending(path, Format), ending_of(path)
    if given.get("format_") and ending and (row is None or row.name != given["format_"]):
        model.record_.data["ending"] = ending
    if given.get("no_header"):
        model.record_.data["header"] = False


def refuse_sentences(path: Any, given: dict[str, Any]) -> None:
    """Lines of a file of tokens would be taken for texts."""
    from linnet.formats import SequenceFormat
    from linnet.formats._table import by_ending

    form = None if given.get("format_") or is_pipe(path) else by_ending(path, SequenceFormat)
    if form is not None:
        raise DataError(
            f"{path} is {form.name}, sentences of tokens, but the model is a classifier of texts; "
            "--format text takes its lines for texts"
        )


def _read(path: Any, form: str | None, options: dict[str, Any]) -> Any:
    from linnet import formats

    return formats.read(path, form, **options)


def batches(path: Any, model: Any, given: dict[str, Any]) -> Iterator[Any]:
    """What a model predicts on, as it comes: texts with the columns it looks at, or rows of numbers."""
    for examples in example_batches(path, model, given):
        yield inputs(model, examples)


def ranges(path: str, model: Any, given: dict[str, Any], size: int, lines: bool) -> list[Any]:
    """A file cut for `example_batches`; none if its format is not known, which its reader will say."""
    from linnet import formats

    form = form_of(path, given, model)
    if form not in formats.FORMATS:
        return []
    options = _options(path, form, given | looked_at(form, model, given))
    return formats.ranges(path, formats.FORMATS[form], size, lines=lines, **options)


def example_batches(
    path: Any, model: Any, given: dict[str, Any], records: bool = False, notes: bool = True
) -> Iterator[Any]:
    """Examples as they come, read for a model: labels are not looked at."""
    refuse_sentences(path, given)
    path = arriving(path)
    return filled(path, _examples(path, model, given, records, notes), "examples")


def _examples(
    path: Any, model: Any, given: dict[str, Any], records: bool, notes: bool
) -> Iterator[Any]:
    from linnet import formats

    form = form_of(path, given, model)
    if is_pipe(path) and not given.get("format_"):
        _tell_form(path, form, model)
    options = _options(path, form, given | looked_at(form, model, given))
    if form == "tsv":
        options["skip_labels"] = True
    elif "labelled" in formats_options(form):
        options["labelled"] = False
    options |= _about_missing(form, given, model)
    if records and "records" in formats_options(form):
        options["records"] = True
    with naming_text(model, given):
        for number, examples in enumerate(formats.read_batches(path, form, **options)):
            if number == 0 and notes:
                tell_notes(examples)
            yield examples


def _tell_form(path: Any, form: str, model: Any) -> None:
    """What a pipe was taken for, unless it is what one would expect."""
    if form not in ("text", model.record_.data.get("format")):
        what = f"note: {path} is read as {form}; --format names another (text: its lines are texts)"
        click.echo(what if reads_texts(model) else what.partition(" (")[0], err=True)


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


def looked_at(form: str, model: Any, given: dict[str, Any]) -> dict[str, Any]:
    """What to read for a model: what its data were called, or features counted as in training."""
    from linnet.estimators.text.reading import columns_of, names_for

    if model is None:
        return {}
    if not reads_texts(model):
        counted = given["zero_based"] is None and form == "svmlight"
        return {"zero_based": bool(model.record_.data.get("zero_based"))} if counted else {}
    found = names_for(model, form)
    if given.get("text") is not None:
        found.pop("text", None)
    if found.pop("header", None) is False:
        found["no_header"] = True
    return found | columns_of(model)


def inputs(model: Any, examples: Any) -> Any:
    """What the model predicts on: texts and columns, or its features among the rows of numbers."""
    reads = getattr(getattr(model.model_, "kernel", None), "reads", "rows")
    if reads not in ("rows", "strings", "trees"):
        raise DataError(
            f"the model is a machine over Gram matrices, and {examples.source} holds none; linnet.load "
            f"reads it in Python"
        )
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
    from linnet.data.text_file import text_lines

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
