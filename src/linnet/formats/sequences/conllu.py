"""CoNLL-U, the ten columns of Universal Dependencies.

Multiword tokens (1-2), empty nodes (1.1) and comments are no tokens and come back on writing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import linnet._core as _core
from linnet.data.examples import LabelColumn
from linnet.data.sequences import UNSAID, Sequences, is_missing
from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.formats._source import counted, start_of_sentences
from linnet.formats.sequences._cells import CellError, Cells, numerals, unsaid, write_cells
from linnet.formats.sequences._options import SequenceFormat, SequenceOptions
from linnet.formats.sequences.conll import check_lines, sequences_of

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")


def read(source: Source, options: SequenceOptions) -> Sequences:
    label = options.label or "upos"
    if label not in COLUMNS:
        raise ValueError(f"CoNLL-U has no column {label!r}; it has {', '.join(COLUMNS)}")
    found = _core.find_tokens(
        np.frombuffer(source.data, np.uint8),
        start_of_sentences(source),
        tabs=True,
        conllu=True,
        comment="#",
    )
    check_lines(source, found)
    lines = found["lines"] + source.first_line
    if len(found["columns"]) != len(COLUMNS):
        raise source.error(
            int(lines[0]),
            f"{counted(len(found['columns']), 'column')}; CoNLL-U has 10, with a tab between each",
        )
    check_numbers(source, found["columns"][0], found["offsets"], lines)
    missing = options.missing
    if missing is None and is_missing(label, found["columns"][COLUMNS.index(label)]):
        missing = UNSAID
    read = sequences_of(
        source,
        found,
        SequenceOptions(COLUMNS, label, options.labelled is not False, missing),
    )
    if options.labelled is None and read.labels is not None and not read.labels.names:
        read = replace(read, labels=None)
    return replace(read, columns={"word": read.columns["form"], **read.columns} if label != "form"
                   else read.columns)  # fmt: skip


def check_numbers(source: Source, ids: _core.Texts, offsets: np.ndarray, lines: np.ndarray) -> None:
    """Words are numbered from 1 in each sentence."""
    codes, names = ids.codes()
    numbers = np.array([int(n) if re.fullmatch(r"\d{1,9}", n) else -1 for n in names])[codes]
    wanted = np.arange(len(codes)) + 1 - np.repeat(offsets[:-1], np.diff(offsets))
    wrong = np.flatnonzero(numbers != wanted)
    if len(wrong):
        i = int(wrong[0])
        raise source.error(int(lines[i]), f"the word's id is {ids[i]!r} where {wanted[i]} is wanted")


def write(sequences: Sequences, predicted: LabelColumn | None) -> Iterator[bytes]:
    """The predicted tags, or else those of the sequences, in the column they were read from."""
    if sequences.attributes is not None:
        raise DataError("CoNLL-U cannot hold attributes with values; the format 'crfsuite' can")
    columns: dict[str, Cells] = dict(sequences.columns)
    if "form" not in columns and "word" in columns:
        columns["form"] = columns["word"]
    tags = predicted if predicted is not None else sequences.labels
    if tags is not None:
        absent = (name for name in sequences.layout if name not in columns and name in COLUMNS)
        columns[next(absent, "upos")] = tags
    if "id" not in columns:
        columns["id"] = numerals(sequences)
    nothing = unsaid(sequences)
    cells = [columns.get(name, nothing) for name in COLUMNS]
    try:
        return iter(write_cells(sequences, cells, empty_cells=False))
    except CellError as error:
        raise DataError(
            f"{sequences.where(error.token)}: CoNLL-U cannot hold an empty cell, a tab or a line break"
        ) from None


FORMAT = SequenceFormat(
    name="conllu",
    about="the ten columns of Universal Dependencies",
    endings=(".conllu",),
    options=frozenset({"label", "labelled", "missing"}),
    by_line=False,
    comment="#",
    read=read,
    write=write,
)
