"""Files of sentences as the options describe them, or as a model was trained on them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import click

from linnet.cli.files import arriving, filled, is_pipe, opened, tell_notes
from linnet.errors import ColumnNamesError, DataError, EmptyError, UnnamedTagsError

IN_COLUMNS = ("conll", "tsv")
READERS = ("columns", "label", "label_names", "missing")  # options of readers
FROM_WORDS = (
    "A model that predicts it first reads running text: linnet train DATA --tagger auto -o MODEL"
)


def read_tagged(path: Any, given: dict[str, Any]) -> Any:
    """Sentences with tags."""
    path = opened(path)
    form = form_of(path, given)
    options = {name: given.get(name) for name in READERS}
    found = read(path, form, _taken(path, form, options))
    if not given.get("quiet"):
        tell_notes(found)
    if found.labels is None or not found.labels.names:
        raise DataError(
            f"{path} has no tags; the last column is the tag, or --label names it"
            if form in IN_COLUMNS
            else f"{path} has no tags"
        )
    return found


def read_files(paths: list[Any], given: dict[str, Any]) -> Any:
    """Sentences with tags, of one file or several."""
    from linnet.data.joined_sentences import join_sentences

    return join_sentences([read_tagged(path, given) for path in paths])


def in_parts(paths: list[Any], given: dict[str, Any]) -> list[Any]:
    """Files of sentences that are not read whole."""
    from linnet.estimators.sentence_files import SentenceFile

    files = []
    for path in paths:
        form = form_of(path, given)
        options = _taken(path, form, {name: given.get(name) for name in READERS})
        files.append(SentenceFile(path if is_pipe(path) else str(path), form, options))
    return files


def form_of(path: Any, given: dict[str, Any], usual: str | None = None, widths: Any = None) -> str:
    """The format. A pipe that is not plainly of one is of the usual one, if there is such.

    ``widths``: how many columns there may be; running text may look like columns of another number.
    """
    from linnet.formats import SEQUENCE_FORMATS
    from linnet.formats.sequences import detect_sequences, detect_task, evident_columns

    if given.get("format_"):
        if given["format_"] not in SEQUENCE_FORMATS:
            known = ", ".join(SEQUENCE_FORMATS)
            raise click.UsageError(f"--format {given['format_']}: formats of sentences are {known}")
        return str(given["format_"])
    if is_pipe(path) and usual is not None:
        found, width = evident_columns(path)
        return usual if found is None or (width and widths and width not in widths) else found
    if os.fspath(path).endswith((".txt", ".md")) and detect_task(path) == "classify":
        return "text"  # be it of one line
    return detect_sequences(path)


def _taken(path: Any, form: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given; the format must have them."""
    from linnet.formats import SEQUENCE_FORMATS

    said = {name: value for name, value in options.items() if value is not None}
    for name in said:
        if name not in SEQUENCE_FORMATS[form].options:
            called = f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{called}: {path} is {form}, which has no such thing")
    return said


def read(path: Any, form: str, options: dict[str, Any]) -> Any:
    """All sentences."""
    from linnet.formats.sequences import read_sequences

    return read_sequences(path, form, **options)


def remember(model: Any, layout: Any, columns: Any, given: dict[str, Any], form: str) -> None:
    """What to expect of other files, for the record of a model."""
    layout = list(layout or columns)
    label = label_in(layout, columns, given)
    model.record_.data |= {"format": form, "layout": layout, "label": label}


def label_in(layout: Any, columns: Any, given: dict[str, Any]) -> str | None:
    """The column of the tag: it is in the file, and not among those that are looked at."""
    return next((name for name in layout if name not in columns), given.get("label"))


def read_unlabelled(paths: Any, sentences: Any, form: str, given: dict[str, Any]) -> Any:
    """Sentences beside those with tags; tags that are there are not looked at, which is told."""
    from linnet.data.joined_sentences import join_sentences

    trained, found = Trained.on(sentences, form, given), []
    for path in map(opened, paths):
        reader = Reader(trained, path, {"format_": given["format_"]})
        batches = list(reader.batches())
        if not batches:
            raise DataError(f"{reader.name} holds no sentences")
        tagged = any(batch.labels is not None and batch.labels.names for batch in batches)
        if tagged and not given["quiet"]:
            click.echo(f"note: {reader.name} has tags, which are not looked at", err=True)
        found += [replace(batch, labels=None) for batch in batches]
    return join_sentences(found)


def _labels(cells: Any) -> Any:
    """Tags that stand in a column."""
    from linnet.data.examples import LabelColumn

    codes, names = cells.codes()
    return LabelColumn(list(names), codes.astype("int32"))


def _form_or(path: Any, given: dict[str, Any], usual: str | None, widths: Any) -> str:
    """The format of a file, the usual one of nothing."""
    try:
        return form_of(path, given, usual, widths)
    except EmptyError:
        return usual or "text"


def _nameable(path: str, options: dict[str, Any]) -> dict[str, Any]:
    """Tags that are integers without names are no matter where words are to be tagged."""
    from linnet.formats.sequences import read_sequence_batches

    try:
        next(read_sequence_batches(path, "tokens", 1, **options), None)
    except UnnamedTagsError:
        return options | {"labelled": False}
    except DataError:  # will be told
        pass
    return options


@dataclass(frozen=True)
class Trained:
    """What other files of sentences are read by: that of a model, or of the data for one."""

    form: str | None
    layout: tuple[str, ...]  # columns of the file, the tag's among them
    label: str | None
    needed: tuple[str, ...]  # columns that are looked at
    lacking: tuple[str, ...] = ()  # of those, what running text does not have
    predicted: tuple[str, ...] = ()

    @classmethod
    def of(cls, model: Any) -> Trained:
        """As the model remembers."""
        data = model.record_.data
        return cls(
            data.get("format"),
            tuple(data.get("layout", ())),
            data.get("label"),
            tuple(model.features_.columns),
            tuple(model.words_lack()),
            tuple(model.taggers_),
        )

    @classmethod
    def on(cls, sentences: Any, form: str, given: dict[str, Any]) -> Trained:
        """As a model of these sentences would."""
        columns = tuple(sentences.columns)
        layout = tuple(sentences.layout or columns)
        return cls(form, layout, label_in(layout, columns, given), columns, columns[1:])


class Reader:
    """Reads for a model: columns are called as they were in training.

    How many there are tells whether the tag's is among them.
    """

    def __init__(self, trained: Trained, path: Any, given: dict[str, Any]) -> None:
        from linnet.formats import part_of
        from linnet.formats._access import name_of

        path = arriving(path)
        self.path, self.name, self.given = path, name_of(path), given
        part = part_of(path)
        self.first = part is None or part.begin == 0  # of the pieces of a file
        self.needed = trained.needed
        self.trained, self.label = trained.form, trained.label
        in_columns = self.trained in IN_COLUMNS
        self.layout = list(trained.layout) if in_columns else []
        self.word = next((name for name in self.layout if name != self.label), "word")
        self.predicted, self.lacking = trained.predicted, trained.lacking
        of_words = bool(self.needed) and not self.lacking
        widths = {len(self.layout), len(self.layout) - 1} if self.layout else None
        self.form = _form_or(path, given, "text" if of_words else self.trained, widths)
        if is_pipe(path) and not given.get("format_") and self.form not in ("text", self.trained):
            click.echo(f"note: {self.name} is read as {self.form}; --format names another", err=True)
        self.by_line = is_pipe(path)

    def tagged(self) -> Any:
        """All sentences, with their gold tags."""
        options: dict[str, Any] = {"missing": self.given.get("missing")}
        if self.form in IN_COLUMNS and self.layout:
            options |= {"columns": self.layout, "label": self.label}
        elif self.form == self.trained and self.form != "crfsuite":
            options["label"] = self.label
        said = {name: self.given.get(name) for name in ("columns", "label", "label_names")}
        options |= {name: value for name, value in said.items() if value is not None}
        try:
            found = read(self.path, self.form, _taken(self.path, self.form, options))
        except ColumnNamesError as error:
            raise DataError(f"{error}, as in training; --columns names those of this file") from None
        if found.labels is None or not found.labels.names:
            raise DataError(f"{self.name} has no tags to compare with")
        tell_notes(found)
        return self.checked(found)

    def batches(self) -> Iterator[Any]:
        """Sentences as they come."""
        return filled(self.path, self._batches())

    def _batches(self) -> Iterator[Any]:
        from linnet.formats.sequences import read_sequence_batches

        options = self._untagged()
        if self.form == "tokens" and not self.by_line:
            options = _nameable(os.fspath(self.path), options)
        for number, batch in enumerate(read_sequence_batches(self.path, self.form, **options)):
            if number == 0 and self.first:
                tell_notes(batch)
            yield self.checked(self._named(batch) if self.form in IN_COLUMNS else batch)

    def _untagged(self) -> dict[str, Any]:
        columns = self.given.get("columns")
        options: dict[str, Any] = _taken(self.path, self.form, {"columns": columns})
        if self.form == "text":
            return options | {"by_line": self.by_line}
        if self.form == "conllu":  # the tag's column is written anew
            return options | ({"label": self.label} if self.trained == "conllu" else {})
        if self.form == "tokens":
            if columns or self.label is None or self.trained != "tokens":
                return options
            return options | {"labelled": False, "columns": [c for c in self.needed if c != "word"]}
        if self.form == "crfsuite":
            return options | ({"labelled": False} if self.given.get("unlabelled") else {})
        return options | {"labelled": False}

    def _named(self, batch: Any) -> Any:
        """Columns called as in training, the tag's among them if it is there."""
        if self.given.get("columns") or not self.layout or self._has_header(batch):
            return batch
        count, names = len(batch.layout), self.layout
        if count < len(names):
            names = [name for name in names if name != self.label][:count]
        if count != len(names):
            raise DataError(
                f"{self.name}, line {batch.lines[0]}: {count} columns, where the model was trained on "
                f"{', '.join(self.layout)}; --columns names those of this file"
                + (f". {FROM_WORDS}" if self.by_line and self.lacking else "")
            )
        columns = dict(zip(names, batch.columns.values(), strict=True))
        gold = columns.pop(self.label, None) if self.label is not None else None
        labels = None if gold is None else _labels(gold)
        return replace(batch, columns=columns, labels=labels, layout=tuple(names))

    def _has_header(self, batch: Any) -> bool:
        from linnet.data.sequences import column_names

        return self.form == "tsv" and list(batch.layout) != column_names(len(batch.layout))

    def checked(self, batch: Any) -> Any:
        """What the model looks at must be there; words, by the name that they had in training."""
        if self.word not in batch.columns and self.form not in (*IN_COLUMNS, "conllu", "crfsuite"):
            columns = {self.word if name == "word" else name: c for name, c in batch.columns.items()}
            batch = replace(batch, columns=columns, layout=tuple(columns) if batch.layout else ())
        if not self.needed and batch.attributes is None:
            raise DataError(f"{self.name} holds words, but the model was trained on attributes")
        for name in self.needed:
            if name not in batch.columns and name not in self.predicted:
                there = ", ".join(batch.columns) or "attributes only"
                raise DataError(
                    f"{self.name} has no column {name!r}, which the model looks at; it has {there}"
                    + (f". {FROM_WORDS}" if batch.texts is not None else "")
                )
        return batch
