"""Columns: a token per line, its cells divided by blanks or tabs, an empty line after a sentence.

The last column is the tag unless told otherwise. Lines that begin with ``-DOCSTART-`` part
documents; they and comments are no tokens and come back on writing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

import linnet._core as _core
from linnet.data.examples import LabelColumn
from linnet.data.sequences import Aside, Sequences, column_names
from linnet.errors import ColumnNamesError, DataError, EmptyError, MissingColumnError, setting
from linnet.formats._access import Source
from linnet.formats._source import counted, start_of_sentences
from linnet.formats.sequences._cells import BOUNDARY, CellError, Cells, write_cells
from linnet.formats.sequences._options import SequenceFormat, SequenceOptions
from linnet.formats.sequences._tags import read_tags

TAG = "tag"  # what the tag's column is called if it has no name


class NoTokensError(EmptyError):
    """Nothing but comments and empty lines, so far."""


def read(source: Source, options: SequenceOptions) -> Sequences:
    if options.delimiter not in (None, "tab", "\t", "\\t"):
        raise ValueError(f"delimiter must be 'tab' or None (any blanks); it is {options.delimiter!r}")
    tabs = options.delimiter is not None
    found = _core.find_tokens(
        np.frombuffer(source.data, np.uint8),
        start_of_sentences(source),
        tabs=tabs,
        comment=options.comment,
        boundary=BOUNDARY,
    )
    return sequences_of(source, found, options)


def sequences_of(source: Source, found: dict[str, Any], options: SequenceOptions) -> Sequences:
    """What the core found in a file, with names of columns and tags."""
    check_lines(source, found)
    cells: list[_core.Texts] = found["columns"]
    names, label = _names(len(cells), options, source.name)
    lines = found["lines"] + source.first_line
    tags = None
    if label is not None:
        tags = read_tags(
            cells[label], options.missing, lambda i, message: source.error(int(lines[i]), message)
        )
    aside = Aside(found["aside"], found["aside_places"], found["aside_offsets"])
    return Sequences(
        {name: texts for k, (name, texts) in enumerate(zip(names, cells, strict=True)) if k != label},
        found["offsets"],
        tags,
        lines=lines,
        source=source.name,
        layout=tuple(names),
        aside=aside if len(aside.places) else None,
    )


def check_lines(source: Source, found: dict[str, Any]) -> None:
    if found["uneven"] >= 0:
        width, cells = len(found["columns"]), found["uneven_cells"]
        raise source.error(
            found["uneven"] + source.first_line,
            f"{counted(cells, 'column')} where the lines before have {width}"
            + ("; is the tag missing?" if cells == width - 1 else ""),
        )
    if found["hollow"] >= 0:
        raise source.error(
            found["hollow"] + source.first_line,
            "a sentence without words; remove these lines, or join them to a sentence",
        )
    if not len(found["lines"]):
        raise NoTokensError(f"{source.name} holds no tokens")


def _names(count: int, options: SequenceOptions, file: str) -> tuple[list[str], int | None]:
    """Names of all columns, and the place of the tag's."""
    given = list(options.columns)
    labelled = options.labelled is not False and (count > 1 or options.labelled is True)
    if not labelled:
        names = given or column_names(count)
        if len(names) == count + 1:
            names.pop()  # the tag's, which is not there
        _check_names(names, count, file)
        return names, None
    if len(given) == count - 1 and options.label not in given:
        given.append(options.label if _is_name(options.label) else TAG)  # type: ignore[arg-type]
    if given:
        _check_names(given, count, file)
    label = _place(options.label, given, count, file)
    if not given:
        given = column_names(count - 1)
        given.insert(label, TAG)
    return given, label


def _is_name(label: str | None) -> bool:
    return label is not None and not re.fullmatch(r"-?\d+", label)


def _check_names(names: list[str], count: int, file: str) -> None:
    if len(names) != count or len(set(names)) != count:
        raise ColumnNamesError(f"{file} has {count} columns, but their names are {', '.join(names)}")


def _place(label: str | None, names: list[str], count: int, file: str) -> int:
    if label is None:
        return count - 1
    if label in names:
        return names.index(label)
    if _is_name(label) and label != TAG:
        known = ", ".join(names) or f"no names; give {setting('columns')}, or the place of the column"
        raise MissingColumnError(f"{file} has no column {label!r}; its columns have {known}", label)
    place = -1 if label == TAG else int(label)
    if not -count <= place < count:
        raise DataError(f"{file} has no column {place}; it has {count}, counted from 0")
    return place % count


def write(sequences: Sequences, predicted: LabelColumn | None) -> Iterator[bytes]:
    """Cells divided by one blank, or by tabs if a cell holds a blank; a prediction comes last."""
    columns = file_columns(sequences, predicted)
    try:
        return iter(write_cells(sequences, columns, tabs=False, empty_cells=False, plain=True))
    except CellError as error:
        raise DataError(f"{sequences.where(error.token)}: {REFUSED[error.fault]}") from None


REFUSED = {
    "empty": "columns cannot hold an empty cell",
    "broken": "columns cannot hold a tab or line break",
    "unreadable": "columns cannot hold what would not be read as a token",
}


def file_columns(sequences: Sequences, predicted: LabelColumn | None) -> list[Cells]:
    """The columns in the order of the file, the predicted tags after them."""
    if sequences.attributes is not None:
        raise DataError("columns cannot hold attributes with values; the format 'crfsuite' can")
    gold = sequences.labels
    layout = sequences.layout or tuple(sequences.columns)
    columns: list[Cells | None] = [sequences.columns.get(name, gold) for name in layout]
    if {*layout} <= {*sequences.columns}:
        columns.append(gold)
    return [column for column in (*columns, predicted) if column is not None]


OPTIONS = frozenset({"columns", "label", "labelled", "missing"})
FORMAT = SequenceFormat(
    name="conll",
    about="a token per line in columns, the tag last; an empty line after each sentence",
    endings=(".conll", ".iob", ".iob2", ".bio", ".col"),
    options=OPTIONS | {"comment", "delimiter"},
    by_line=False,
    read=read,
    write=write,
)
