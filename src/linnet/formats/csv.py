"""CSV with a header, quoted as RFC 4180 says; a quoted cell may hold line breaks."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

import linnet._core as _core
from linnet.data.examples import Examples, LabelColumn
from linnet.data.label_names import WRONG_END, ends_wrong
from linnet.errors import DataError, EmptyError, setting
from linnet.formats._access import Source
from linnet.formats._columns import (
    DELIMITERS,
    NAMED,
    choose,
    column,
    doubled,
    guesses,
    renamed,
    weights,
)
from linnet.formats._missing import kept
from linnet.formats._names import named
from linnet.formats._options import Format, Options
from linnet.formats._quotes import delimiter_in
from linnet.formats._source import check_encoding, counted, whole_lines
from linnet.formats._writing import clean_labels, decoded_texts

LONGEST = 2**31 - 1  # characters of a cell
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # wide ones, too


def read(source: Source, options: Options, *, quotes: bool = True) -> Examples:
    return next(batches(source.name, iter([source.data]), None, options, quotes=quotes))


def batches(
    name: str,
    incoming: Iterator[bytes],
    size: int | None,
    options: Options,
    line: int | None = None,
    *,
    quotes: bool = True,
) -> Iterator[Examples]:
    """Of at most ``size`` records, each as soon as its lines are there.

    Of a later part of a file, which begins on ``line``, the first record is that of the file.
    """
    lines = _Lines(name, incoming)
    source = Source(name, b"")
    delimiter = options.delimiter or _delimiter(lines, options)
    how: Any = {} if quotes else {"quoting": csv.QUOTE_NONE}
    reader = csv.reader(lines, delimiter=delimiter, strict=True, **how)
    records = _records(source, reader)
    first = next(records, None)
    if first is None:
        raise EmptyError(f"{name} is empty")
    table = _Table(source, _header(source, *first, options), options)
    if line is not None:
        records = _records(source, reader, line - reader.line_num - 1)
        table.begun = True
    elif options.header is False:
        records = chain([first], records)
    gathered: list[tuple[int, list[str]]] = []
    for record in records:
        gathered.append(record)
        if size is not None and (len(gathered) >= size or not lines.waiting):
            yield table.examples(gathered, lines.valid)
            gathered = []
    if gathered or size is None:
        yield table.examples(gathered, lines.valid)


class _Lines:
    """Lines of text as they come; ``waiting``: are there more that have come already?"""

    def __init__(self, name: str, incoming: Iterator[bytes]) -> None:
        self.name, self.valid = name, True
        self.blocks = whole_lines(incoming, keep_blank=True)
        self.begun = False
        self.content = ""
        self.block = io.StringIO()

    def __iter__(self) -> Iterator[str]:
        while True:
            yield from self.block
            if not self._more():
                return

    @property
    def waiting(self) -> bool:
        return self.block.tell() < len(self.content)

    def _more(self, before: str = "") -> bool:
        block = next(self.blocks, None)
        if block is None:
            return False
        if not self.begun:
            self.begun, block = True, block[check_encoding(Source(self.name, block)) :]
        try:
            self.content = before + block.decode()
        except UnicodeDecodeError:
            self.content, self.valid = before + block.decode(errors="replace"), False
        self.block = io.StringIO(self.content, newline="")
        return True

    def first(self) -> str:
        """The first line that is not empty; all stay."""
        while not (there := self.content.lstrip("\r\n")) and self._more(self.content):
            pass
        return there.partition("\n")[0]


class _Table:
    """Which column is what, and examples made of records."""

    def __init__(self, source: Source, names: list[str], options: Options) -> None:
        self.source, self.names, self.options = source, names, options
        self.roles = choose(names, options, source.name, by_place=True)
        hint = f"; {setting('header', False)} if the first line is an example"
        hint = "" if options.header is not None else hint
        self.notes = tuple(note + hint for note in guesses(self.roles, options, source.name))
        self.notes += tuple(renamed(self.roles, options, source.name))
        self.begun = False

    def examples(self, gathered: list[tuple[int, list[str]]], valid: bool) -> Examples:
        source, names, roles = self.source, self.names, self.roles
        lines, records = [line for line, _ in gathered], [record for _, record in gathered]
        for line, record in gathered:
            if len(record) != len(names):
                raise source.error(
                    line, f"{counted(len(record), 'cell')} where the header has {len(names)}"
                )

        def error(i: int, message: str) -> DataError:
            return source.error(lines[i], message)

        def cells(name: str) -> list[str]:
            place = names.index(name)
            return [record[place] for record in records]

        policy = self.options.missing
        if policy is not None:
            texts = [not cell for cell in cells(roles.text)]
            labels = [] if roles.label is None else [not cell for cell in cells(roles.label)]
            left = kept(policy, error, lines, source.name, texts, labels)
            if left is not None:
                lines, records = [lines[i] for i in left], [records[i] for i in left]
        answers, notes = None, self.notes
        if roles.label is not None:
            given = self.options.label_names
            known, named_by = named(cells(roles.label), roles.label, given, source.name, error)
            answers = _labels(known, valid, error)
            notes = (*notes, *named_by, *_joined(names, known, source.name))
        notes, self.begun = () if self.begun else notes, True  # they are told once
        return Examples(
            _core.Texts.from_list(cells(roles.text)),
            answers,
            weights(roles.weight, cells(roles.weight), error) if roles.weight is not None else None,
            {
                name: column(name, cells(name), error, typed=False, missing=policy)
                for name in roles.columns
            },
            source=source.name,
            lines=np.array(lines, np.int64),
            notes=notes,
            names=roles.names,
            records=self._whole(records) if self.options.records else None,
        )

    def _whole(self, records: list[list[str]]) -> list[dict[str, str]]:
        """By the names of columns; spreadsheets leave some without one."""
        names = [name or str(place + 1) for place, name in enumerate(self.names)]
        return [dict(zip(names, record, strict=True)) for record in records]


def _delimiter(lines: _Lines, options: Options) -> str:
    """As the header shows, if there is one."""
    if options.header is False:
        return DELIMITERS[0]
    return delimiter_in(lines.first())


def _records(source: Source, reader: Any, unread: int = 0) -> Iterator[tuple[int, list[str]]]:
    """The line on which each record begins, and its cells. Empty lines are passed over.

    ``unread``: how many lines of the file have not been read.
    """
    while True:
        begin = reader.line_num + unread + 1
        before = csv.field_size_limit(LONGEST)
        try:
            record = next(reader, None)
        except csv.Error as error:
            why = "a quoted cell is not closed" if "end of data" in str(error) else str(error)
            raise source.error(begin, f"not CSV: {why}") from None
        finally:
            csv.field_size_limit(before)
        if record is None:
            return
        if record:
            yield begin, record


def _header(source: Source, line: int, record: list[str], options: Options) -> list[str]:
    """The names of columns; without a header they are called 1, 2, …"""
    if options.header is False:
        return [str(k + 1) for k in range(len(record))]
    if (twice := doubled(name for name in record if name)) is not None:
        raise source.error(line, f"two columns are called {twice!r}")
    return record


def _joined(names: list[str], labels: list[str], file: str) -> list[str]:
    """Doccano writes several labels as one, A#B: told where A and B are labels, too."""
    seen = set(labels)
    joined = [label for label in seen if "#" in label and seen.issuperset(label.split("#"))]
    if names[0] != "id" or not joined:
        return []
    return [
        f"{file}: the label {min(joined)!r} is taken as one; if this is doccano's CSV, which joins "
        "labels so, its JSONL has sets of labels"
    ]


def _labels(cells: list[str], valid: bool, error: Any) -> LabelColumn:
    for i, cell in enumerate(cells):
        if not cell:
            raise error(i, "the label is empty")
        if ends_wrong(cell):
            raise error(i, f"the label {cell!r:.80} {WRONG_END}")
        if not valid and "\ufffd" in cell:
            raise error(i, f"the label {cell!r} is not UTF-8")
    return LabelColumn.from_values(cells)


def write(examples: Examples, lossy: bool, safe: bool = False) -> Iterator[bytes]:
    """A header and a row for each example; if ``safe``, no cell is a formula to a spreadsheet."""
    names = ["label"] * (examples.labels is not None) + ["text"]
    names += ["weight"] * (examples.weights is not None) + list(examples.columns)
    if len(set(names)) < len(names):
        raise DataError(f"CSV cannot hold two columns of the same name: {', '.join(names)}")
    labels = clean_labels(examples, "CSV", r"[^\s\S]")
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    harmless = _no_formula if safe else _as_it_is
    writer.writerow(map(harmless, names))
    further = [] if examples.weights is None else [examples.weights.tolist()]
    further += [values.tolist() for values in examples.columns.values()]
    for i, (label, text) in enumerate(zip(labels, decoded_texts(examples, "CSV", lossy), strict=True)):
        writer.writerow(map(harmless, [*label, text, *(values[i] for values in further)]))
        if out.tell() > 1 << 20:
            yield out.getvalue().encode()
            out.seek(0)
            out.truncate()
    yield out.getvalue().encode()


def _no_formula(cell: Any) -> Any:
    """A string that a spreadsheet would compute begins with an apostrophe, which makes it text."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def _as_it_is(cell: Any) -> Any:
    return cell


FORMAT = Format(
    name="csv",
    about="columns with a header, cells divided by commas, semicolons or tabs",
    endings=(".csv",),
    options=frozenset({*NAMED, "labelled", "header", "delimiter"}),
    carries=frozenset({"texts", "labels", "weights", "columns"}),
    by_line=False,
    read=read,
    batches=batches,
    write=write,
)
