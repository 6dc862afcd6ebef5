"""CSV with a header, quoted as RFC 4180 says; a quoted cell may hold line breaks."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import numpy as np

import linnet._core as _core
from linnet.data.examples import Examples, LabelColumn
from linnet.data.label_names import WRONG_END, ends_wrong
from linnet.errors import DataError, EmptyError, setting
from linnet.formats._columns import choose, column, doubled, guesses, weights
from linnet.formats._names import named
from linnet.formats._options import Format, Options
from linnet.formats._source import Source, check_encoding, counted
from linnet.formats._writing import clean_labels, decoded_texts

LONGEST = 2**31 - 1  # characters of a cell
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # wide ones, too
DELIMITERS = ",;\t|"  # that a header may show, the usual one first


def read(source: Source, options: Options, *, quotes: bool = True) -> Examples:
    data = source.data[check_encoding(source) :]
    try:
        content, valid = data.decode(), True
    except UnicodeDecodeError:
        content, valid = data.decode(errors="replace"), False
    delimiter = options.delimiter or _delimiter(content, options)
    records, lines = _records(source, content, delimiter, quotes)
    names = _header(source, records, lines, options)
    roles = choose(names, options, source.name, by_place=True)
    for record, line in zip(records, lines, strict=True):
        if len(record) != len(names):
            raise source.error(
                line, f"{counted(len(record), 'cell')} where the header has {len(names)}"
            )

    hint = f"; {setting('header', False)} if the first line is an example"
    hint = "" if options.header is not None else hint

    def error(i: int, message: str) -> DataError:
        return source.error(lines[i], message)

    def cells(name: str) -> list[str]:
        place = names.index(name)
        return [record[place] for record in records]

    labels: list[str] = []
    notes = [note + hint for note in guesses(roles, options, source.name)]
    if roles.label is not None:
        given = cells(roles.label)
        labels, named_by = named(given, roles.label, options.label_names, source.name, error)
        notes += named_by
        notes += _joined(names, labels, source.name)
    return Examples(
        _core.Texts.from_list(cells(roles.text)),
        _labels(labels, valid, error) if roles.label is not None else None,
        weights(roles.weight, cells(roles.weight), error) if roles.weight is not None else None,
        {name: column(name, cells(name), error, typed=False) for name in roles.columns},
        source=source.name,
        lines=np.array(lines, np.int64),
        notes=tuple(notes),
    )


def _delimiter(content: str, options: Options) -> str:
    """A comma, unless the header has none but another mark that divides cells."""
    if options.header is False:
        return DELIMITERS[0]
    header = content.lstrip("\r\n").partition("\n")[0]
    return next((mark for mark in DELIMITERS if mark in header), DELIMITERS[0])


def _records(
    source: Source, content: str, delimiter: str, quotes: bool
) -> tuple[list[list[str]], list[int]]:
    """The records and the line on which each one begins. Empty lines are passed over."""
    records: list[list[str]] = []
    lines: list[int] = []
    before = csv.field_size_limit(LONGEST)
    try:
        file = io.StringIO(content, newline="")
        how: Any = {} if quotes else {"quoting": csv.QUOTE_NONE}
        reader = csv.reader(file, delimiter=delimiter, strict=True, **how)
        begin = 1
        for record in reader:
            if record:
                records.append(record)
                lines.append(begin)
            begin = reader.line_num + 1
    except csv.Error as error:
        why = "a quoted cell is not closed" if "end of data" in str(error) else str(error)
        raise source.error(begin, f"not CSV: {why}") from None
    finally:
        csv.field_size_limit(before)
    if not records:
        raise EmptyError(f"{source.name} is empty")
    return records, lines


def _header(source: Source, records: list[list[str]], lines: list[int], options: Options) -> list[str]:
    """Take the header off. Without one, columns are called 1, 2, …"""
    if options.header is False:
        return [str(k + 1) for k in range(len(records[0]))]
    names = records.pop(0)
    line = lines.pop(0)
    if (twice := doubled(name for name in names if name)) is not None:
        raise source.error(line, f"two columns are called {twice!r}")
    return names


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
    options=frozenset(
        {"text", "label", "label_names", "weight", "columns", "labelled", "header", "delimiter"}
    ),
    carries=frozenset({"texts", "labels", "weights", "columns"}),
    by_line=False,
    read=read,
    write=write,
)
