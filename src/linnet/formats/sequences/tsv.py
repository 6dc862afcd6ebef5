"""Columns with exactly one tab between cells, which may hold blanks; a first line may name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from linnet.data.examples import LabelColumn
from linnet.data.sequences import Sequences
from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.formats._source import check_encoding
from linnet.formats.sequences import conll
from linnet.formats.sequences._cells import CellError, write_cells
from linnet.formats.sequences._options import SequenceFormat, SequenceOptions

WORDS = ("word", "words", "token", "tokens", "form", "text")  # how the first column may be called

NAMES = {"tag", "tags", "label", "labels", "pos", "upos", "xpos", "lemma", "chunk", "ner", "iob", "bio"}


def is_header(cells: Sequence[str]) -> bool:
    """Names that only a header has side by side: of the word, and of what is said of it."""
    return len(cells) > 1 and cells[0] in WORDS and all(name in NAMES for name in cells[1:])


def read(source: Source, options: SequenceOptions) -> Sequences:
    options = replace(options, delimiter="tab")
    if source.first_line > 1 or options.header is False:
        return conll.read(source, options)
    start = check_encoding(source)
    end = source.data.find(b"\n", start) + 1 or len(source.data)
    names = tuple(source.data[start:end].decode(errors="replace").rstrip("\r\n").split("\t"))
    if options.header or (names[0].lower() in WORDS and len(set(names)) == len(names)):
        label = options.label or (names[-1] if len(names) > 1 else None)
        options = replace(options, columns=options.columns or names, label=label)
        source = Source(source.name, source.data[end:], source.first_line + 1)
    return conll.read(source, options)


def write(sequences: Sequences, predicted: LabelColumn | None) -> Iterator[bytes]:
    try:
        return iter(write_cells(sequences, conll.file_columns(sequences, predicted)))
    except CellError as error:
        raise DataError(
            f"{sequences.where(error.token)}: TSV cannot hold a tab or line break in a cell"
        ) from None


FORMAT = SequenceFormat(
    name="tsv",
    about="a token per line, tabs between its cells; a first line may name the columns",
    endings=(),
    options=conll.OPTIONS | {"comment", "header"},
    by_line=False,
    read=read,
    write=write,
)
