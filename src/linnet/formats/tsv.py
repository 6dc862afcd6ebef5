"""TSV: ``label<TAB>text``, one example per line; the first tab splits, further ones are text.

Several labels of an example have commas in between, if ``multilabel=True`` says that there are some.
There is no quoting. A file without any tab holds texts alone. But where a header names the columns,
as pandas writes it, they are read by name, and quotes are taken off if cells have them (`quoted`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from linnet.data.examples import Examples, LabelColumn
from linnet.errors import DataError, setting
from linnet.formats import csv
from linnet.formats import text as plain
from linnet.formats._access import Source
from linnet.formats._columns import is_header, known
from linnet.formats._lines import Lines, label_column, listed_labels
from linnet.formats._missing import kept
from linnet.formats._options import Format, Options
from linnet.formats._source import BOM
from linnet.formats._writing import clean_labels, clean_texts

SEEN = 1 << 16  # bytes looked at for quotes where there is no header
QUOTE = re.compile(rb'(?:\A|[\t\n])"')  # that opens a cell
CELL = re.compile(rb'"((?:[^"]++|"")*+)"(?=[\t\n]|\r\n|\Z)')
NEEDS = re.compile(rb'[\t\r\n"]')


def read(source: Source, options: Options) -> Examples:
    if options.labelled is False or (options.labelled is None and b"\t" not in source.data):
        return plain.read(source, options)
    if source.first_line == 1 and options.header is not False and by_name(source.data):
        found = _by_name(source, options)
        if not options.multilabel or found.labels is None:
            return found
        sets = [name.split(",") for name in found.labels.values()]
        return replace(found, labels=LabelColumn.from_values(sets))
    lines = Lines(source)
    first, notes = _skip_header(lines, options)
    starts, tabs, ends = lines.starts[first:], lines.tabs[first:], lines.ends[first:]
    untabbed = np.flatnonzero(tabs < 0)
    if len(untabbed):
        raise lines.error(
            untabbed[0] + first,
            "no tab between label and text; a line reads label, tab, text "
            "(a file of texts without labels is of the format 'text')",
        )
    missing = None if options.multilabel else options.missing  # a set may be empty
    if missing is not None and not options.skip_labels and (starts == tabs).any():
        left = kept(
            missing,
            lambda i, message: lines.error(i + first, message),
            lines.numbers[first:].tolist(),
            source.name,
            labels=(starts == tabs).tolist(),
        )
        if left is not None:
            lines.keep([i + first for i in left])
            starts, tabs, ends, first = lines.starts, lines.tabs, lines.ends, 0
    labels = None
    if options.multilabel and not options.skip_labels:
        cells = (source.data[b:e] for b, e in zip(starts.tolist(), tabs.tolist(), strict=True))
        sets = [[name for name in cell.split(b",") if name] for cell in cells]
        labels = listed_labels(sets, options, lambda i, message: lines.error(i + first, message))
    elif not options.skip_labels:
        labels = label_column(
            lines.texts(starts, tabs),
            None,
            lambda i: source.data[starts[i] : tabs[i]],
            lambda i, message: lines.error(i + first, message),
        )
    texts = lines.texts(tabs + 1, ends)
    numbers, records = lines.numbers[first:], None
    if options.records:
        cells = (source.data[b:e] for b, e in zip(starts.tolist(), tabs.tolist(), strict=True))
        records = [
            {"line": line, "label": cell.decode(errors="replace"), "text": texts[i]}
            for i, (line, cell) in enumerate(zip(numbers.tolist(), cells, strict=True))
        ]
    return Examples(
        texts, labels, source=source.name, lines=numbers, notes=tuple(notes), records=records
    )


def _skip_header(lines: Lines, options: Options) -> tuple[int, list[str]]:
    """How many lines are header: 0 or 1."""
    if lines.source.first_line > 1 or options.header is False:
        return 0, []
    if options.header:
        return 1, []
    fields = lines[0].decode(errors="replace").split("\t")
    if is_header(fields, "label", "text"):
        return 1, [f"{lines.source.name}: the first line is taken as a header"]
    if quoted(lines.source.data[:SEEN]):
        told = f"cells seem to be quoted; {setting('format', 'csv')} takes the quotes off"
        return 0, [f"{lines.source.name}: {told}"]
    return 0, []


def _names(data: bytes) -> list[str]:
    """The cells of the first line."""
    end = data.find(b"\n")
    first = data[: len(data) if end < 0 else end].removeprefix(BOM)
    return [name.strip().strip('"') for name in first.decode(errors="replace").split("\t")]


def by_name(data: bytes) -> bool:
    """Whether the first line is a header of more than label and text, in this order, without quotes."""
    names = _names(data)
    if len(names) < 2 or known(names, "text") is None or known(names, "label") is None:
        return False
    if is_header(names, "label", "text"):
        return quoted(data)
    return len(names) > 2 or is_header(names, "text", "label")


def _by_name(source: Source, options: Options) -> Examples:
    labelled = False if options.skip_labels else options.labelled
    quotes = quoted(source.data)
    options = Options(delimiter="\t", header=True, labelled=labelled)
    found = csv.read(source, options, quotes=quotes)
    label, text = (known(_names(source.data), role) for role in ("label", "text"))
    taken = f"column {text!r} as text" + ("" if labelled is False else f", {label!r} as label")
    off = "; quotes are taken off" if quotes else ""
    note = f"{source.name}: the first line is taken as a header, {taken}{off}"
    return replace(found, notes=(note, *found.notes))


def quoted(data: bytes) -> bool:
    """Whether cells are quoted as pandas writes them: only where they must be, or the header too.

    Texts that happen to stand in quotes are not: these hold no doubled quote, tab or end of a line.
    """
    data = data.removeprefix(BOM)
    if b'"' not in data:
        return False  # at the speed of a search for a byte
    at, needed, all_ = 0, False, data.startswith(b'"')
    while (start := QUOTE.search(data, at)) is not None:
        cell = CELL.match(data, start.end() - 1)
        if cell is None:
            return False
        must = NEEDS.search(cell[1]) is not None
        if not must and not all_:
            return False
        needed, at = needed or must, cell.end()
    return needed or all_


def write(examples: Examples, lossy: bool) -> Iterator[bytes]:
    if examples.labels is None:
        yield from _write_unlabelled(examples, lossy)
        return
    labels = clean_labels(examples, "TSV", r"[\t\r\n]")
    for (label,), text in zip(labels, clean_texts(examples, "TSV", lossy), strict=True):
        yield b"%s\t%s\n" % (label.encode(), text)


def _write_unlabelled(examples: Examples, lossy: bool) -> Iterator[bytes]:
    """Without a tab in any text, or the file would read as labelled."""
    for number, line in enumerate(plain.write(examples, lossy), 1):
        if b"\t" in line and not lossy:
            raise DataError(
                f"example {number}: the tab in an unlabelled text would read as the end of a label; "
                "write the format 'text'"
            )
        yield line.replace(b"\t", b" ")


FORMAT = Format(
    name="tsv",
    about="label, tab, text: one example per line",
    endings=(".tsv", ".tab"),
    options=frozenset({"labelled", "missing", "multilabel", "records", "skip_labels", "header"}),
    carries=frozenset({"texts", "labels"}),
    by_line=True,
    whole_if=by_name,
    read=read,
    write=write,
)
