"""Columns with exactly one tab between cells, which may hold blanks; a first line may name them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from linnet.data.sequences import Sequences
from linnet.errors import DataError
from linnet.formats._source import Source, check_encoding
from linnet.formats.sequences import conll
from linnet.formats.sequences._options import SequenceFormat, SequenceOptions, Tags

WORDS = ("word", "words", "token", "tokens", "form", "text")  # how the first column may be called


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


def write(sequences: Sequences, predicted: Tags | None) -> Iterator[bytes]:
    lines = []
    for i, row in enumerate(conll.column_cells(sequences, predicted)):
        if re.search(rb"[\t\r\n]", b"".join(row)):
            raise DataError(f"token {i + 1}: TSV cannot hold a tab or line break in a cell")
        lines.append(b"\t".join(row))
    return conll.with_aside(sequences, lines)


FORMAT = SequenceFormat(
    name="tsv",
    about="a token per line, tabs between its cells; a first line may name the columns",
    endings=(),
    options=conll.OPTIONS | {"comment", "header"},
    by_line=False,
    read=read,
    write=write,
)
