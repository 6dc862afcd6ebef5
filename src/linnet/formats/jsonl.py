"""JSON: an object per line, or a list of objects. A list of labels makes the example multi-label."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import linnet._core as _core
from linnet.data.examples import Examples, LabelColumn
from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.formats._columns import NAMED, Roles, choose, column, renamed, weights
from linnet.formats._json import parse, shown
from linnet.formats._lines import Lines, listed_labels
from linnet.formats._missing import kept
from linnet.formats._names import named
from linnet.formats._options import Format, Options
from linnet.formats._records import Records, is_list, read_records
from linnet.formats._writing import clean_labels, decoded_texts, refuse


def objects(source: Source) -> tuple[Lines | Records, list[dict[str, Any]]]:
    """Those of a list or of lines, and where they stand."""
    if source.first_line == 1 and is_list(source.data):
        found = read_records(source)
        return found, [_object(found, i, value) for i, value in enumerate(found.rows)]
    lines = Lines(source)
    return lines, [_record(lines, i, line) for i, line in enumerate(lines.all())]


def first_of(source: Source, records: list[dict[str, Any]]) -> dict[str, Any]:
    """The first object of the file, whose keys speak for all."""
    try:
        found = parse(source.head.decode(errors="replace")) if source.head else None
    except ValueError:  # told where it is read
        found = None
    return found if isinstance(found, dict) else records[0]


def read(source: Source, options: Options) -> Examples:
    lines, records = objects(source)
    roles = _roles(records, options, source.name)
    whole = records
    policy = options.missing
    if policy is not None:
        without = [record.get(roles.text) is None for record in records]
        unlabelled = [] if roles.label is None else _unlabelled(records, roles.label, options)
        numbers = lines.numbers.tolist()
        left = kept(policy, lines.error, numbers, source.name, without, unlabelled)
        if left is not None:
            lines.keep(left)
            whole = records = [records[i] for i in left]
        empty = {roles.text: "", roles.label: None}
        records = [empty | {k: v for k, v in r.items() if v is not None} for r in records]

    def cells(name: str) -> list[Any]:
        return [_cell(lines, i, record, name) for i, record in enumerate(records)]

    texts = cells(roles.text)
    for i, text in enumerate(texts):
        if not isinstance(text, str):
            raise lines.error(i, f"{roles.text!r} must be a string; it is {shown(text)}")
    labels: list[Any] = []
    notes: list[str] = []
    if roles.label is not None:
        given = cells(roles.label)
        labels, notes = named(given, roles.label, options.label_names, source.name, lines.error)
    return Examples(
        _core.Texts.from_list(texts),
        _labels(lines, roles.label, labels, options) if roles.label is not None else None,
        weights(roles.weight, cells(roles.weight), lines.error) if roles.weight is not None else None,
        {
            name: column(name, [r.get(name) for r in records], lines.error, typed=True, missing=policy)
            for name in roles.columns
        },
        source=source.name,
        lines=lines.numbers,
        notes=(*renamed(roles, options, source.name), *notes) if source.first_line == 1 else (),
        names=roles.names,
        records=whole if options.records else None,
    )


def _roles(records: list[dict[str, Any]], options: Options, file: str) -> Roles:
    """By the keys of the first object; those asked for may come later."""
    usual = (options.usual_text, options.usual_label)
    asked = (options.text, options.label, options.weight, *options.columns, *usual)
    keys = list(records[0])
    keys += [k for k in asked if k is not None and k not in keys and any(k in r for r in records)]
    return choose(keys, options, file, by_place=False)


def _record(lines: Lines, i: int, line: bytes) -> dict[str, Any]:
    try:
        record = parse(line.decode(errors="replace"))
    except json.JSONDecodeError as error:
        raise lines.error(i, f"not JSON: {error.msg}, column {error.pos + 1}") from None
    except ValueError as error:  # a number too long, or too deeply nested
        raise lines.error(i, f"not usable JSON: {error}") from None
    return _object(lines, i, record)


def _object(lines: Lines | Records, i: int, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise lines.error(i, 'an object such as {"label": …, "text": …} is wanted')
    return value


def _cell(lines: Lines | Records, i: int, record: dict[str, Any], name: str) -> Any:
    try:
        return record[name]
    except KeyError:
        raise lines.error(i, f"the object has no {name!r}") from None


def _unlabelled(records: list[dict[str, Any]], key: str, options: Options) -> list[bool]:
    """Which have no label; where labels are lists, an example may have none by right."""
    several = options.multilabel or any(isinstance(record.get(key), list) for record in records)
    return [not several and record.get(key) is None for record in records]


def _labels(lines: Lines | Records, key: str, cells: list[Any], options: Options) -> LabelColumn | None:
    """Strings, numbers as they are written in JSON, lists of them; null is no label."""
    labels: list[list[bytes]] = []
    lists = False
    for i, cell in enumerate(cells):
        lists |= isinstance(cell, list)
        labels.append([_label(lines, i, key, item) for item in _listed(cell)])
    if lists and options.multilabel is None:
        options = Options(labelled=True, multilabel=True)
    return listed_labels(labels, options, lines.error)


def _listed(cell: Any) -> list[Any]:
    if isinstance(cell, list):
        return cell
    return [] if cell is None else [cell]


def _label(lines: Lines | Records, i: int, key: str, item: Any) -> bytes:
    if isinstance(item, (dict, list)) or item is None:
        raise lines.error(i, f"{key!r} must be a string, a number or a list of them")
    name = item if isinstance(item, str) else json.dumps(item)
    if "\ufffd" in name:
        try:
            lines[i].decode()
        except UnicodeDecodeError:
            raise lines.error(i, f"the label {name!r} is not UTF-8") from None
    return name.encode(errors="replace")


def write(examples: Examples, lossy: bool) -> Iterator[bytes]:
    labels = clean_labels(examples, "JSONL", r"[^\s\S]")
    further: dict[str, list[Any]] = {}
    if examples.weights is not None:
        further["weight"] = examples.weights.tolist()
    further |= {name: values.tolist() for name, values in examples.columns.items()}
    taken = {"text", "label", "weight"} & set(examples.columns)
    if taken:
        raise DataError(f"a column may not be called {taken.pop()!r} in JSONL")
    multi = examples.labels is not None and examples.labels.multilabel
    for i, (names, text) in enumerate(
        zip(labels, decoded_texts(examples, "JSONL", lossy), strict=True)
    ):
        record: dict[str, Any] = {"label": names if multi else names[0]} if multi or names else {}
        record |= {"text": text} | {name: values[i] for name, values in further.items()}
        try:
            yield json.dumps(record, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        except (ValueError, TypeError) as error:
            raise refuse(i + 1, "JSONL", f"its columns: {error}") from None


FORMAT = Format(
    name="jsonl",
    about='one JSON object per line, or a list of them: {"label": …, "text": …}',
    endings=(".jsonl", ".ndjson", ".json"),
    options=frozenset({*NAMED, "labelled", "multilabel"}),
    carries=frozenset({"texts", "labels", "multilabel", "weights", "columns"}),
    by_line=True,
    in_json=True,
    whole_if=is_list,
    read=read,
    write=write,
)
