"""JSON lines of tokens: ``{"tokens": ["A", "linnet"], "tags": ["DET", "NOUN"]}``.

Further lists as long as the tokens are further columns. A tag of null is missing; ``weight`` is the
sentence's weight.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

import linnet._core as _core
from linnet._params import number
from linnet.data.examples import LabelColumn
from linnet.data.label_names import WRONG_END, ends_wrong
from linnet.data.sequences import Sequences, tag_column, token_strings
from linnet.errors import DataError, UnnamedTagsError, setting
from linnet.formats._access import Source
from linnet.formats._json import shown
from linnet.formats._lines import Lines
from linnet.formats._names import named
from linnet.formats._records import Records, is_list
from linnet.formats.jsonl import first_of, objects
from linnet.formats.sequences._options import SequenceFormat, SequenceOptions
from linnet.formats.sequences._tags import tag_strings

Where = Lines | Records  # where objects stand
TOKENS = ("tokens", "words", "word", "token", "form")
TAGS = ("tags", "labels", "tag", "ner_tags", "pos_tags", "label")


def read(source: Source, options: SequenceOptions) -> Sequences:
    lines, records = objects(source)
    first = first_of(source, records)
    key = next((name for name in TOKENS if isinstance(first.get(name), list)), None)
    if key is None:
        raise lines.error(
            0, 'no list of tokens; an object such as {"tokens": […], "tags": […]} is wanted'
        )
    label = _label_key(first, options, lines)
    words = [_strings(lines, i, record, key) for i, record in enumerate(records)]
    for i, sentence in enumerate(words):
        if not sentence:
            raise lines.error(i, "an empty sentence; leave it out")
    lengths = [len(sentence) for sentence in words]

    def column(name: str, missing: bool = False) -> list[Any]:
        cells: list[Any] = []
        for i, record in enumerate(records):
            part = _strings(lines, i, record, name, missing=missing)
            if len(part) != lengths[i]:
                raise lines.error(i, f"{lengths[i]} tokens, but {name!r} has {len(part)}")
            cells += part
        return cells

    further = options.columns or tuple(
        name
        for name, value in first.items()
        if name not in (key, label) and _all_strings(value) and len(value) == len(first[key])
    )
    columns = {"word": _core.Texts.from_list([word for sentence in words for word in sentence])}
    columns |= {name: _core.Texts.from_list(column(name)) for name in further if name != key}
    tags, notes = None, []
    if label is not None:
        notes = _name_tags(lines, records, label, options, source.name)
        cells = column(label, missing=True)
        tags = tag_column([None if tag == options.missing else tag for tag in cells])
    return Sequences(
        columns,
        np.cumsum([0, *lengths], dtype=np.int64),
        tags,
        read_weights(lines, records, first),
        lines=np.repeat(lines.numbers, lengths),
        source=source.name,
        notes=tuple(notes),
    )


def _name_tags(
    lines: Where, records: list[dict[str, Any]], label: str, options: SequenceOptions, file: str
) -> list[str]:
    """Integers become their names; without names they say nothing of spans, and are refused."""
    unnamed = (
        f"are integers without names; give these, in their order, by {setting('label_names')}, or put "
        "the dataset_info.json of the data set beside the file"
    )
    given = [record.get(label) for record in records]
    cells, notes = named(given, label, options.label_names, file, lines.error)
    for i, (record, cell) in enumerate(zip(records, cells, strict=True)):
        if isinstance(cell, list) and any(isinstance(tag, int) for tag in cell):
            raise UnnamedTagsError(str(lines.error(i, f"the tags of {label!r} {unnamed}")))
        record[label] = cell
    return notes


def _label_key(first: dict[str, Any], options: SequenceOptions, lines: Where) -> str | None:
    if options.labelled is False:
        return None
    label = options.label or next((name for name in TAGS if isinstance(first.get(name), list)), None)
    if label is None and options.labelled:
        raise lines.error(0, f"no tags; the keys are {', '.join(map(repr, first))}")
    return label


def _all_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _strings(
    lines: Where, i: int, record: dict[str, Any], name: str, *, missing: bool = False
) -> list[Any]:
    if name not in record:
        raise lines.error(i, f"the object has no {name!r}")
    value: list[Any] = record[name]
    good = isinstance(value, list) and all(
        isinstance(item, str) or (missing and item is None) for item in value
    )
    if not good:
        raise lines.error(i, f"{name!r} must be a list of strings; it is {shown(value)}")
    if missing and "" in value:
        raise lines.error(i, "the tag is empty")
    for tag in value if missing else ():
        if tag is not None and ends_wrong(tag):
            raise lines.error(i, f"the tag {tag!r:.80} {WRONG_END}")
    return value


def read_weights(
    lines: Where, records: list[dict[str, Any]], first: dict[str, Any]
) -> np.ndarray | None:
    """Of sentences or texts, if the first one has one."""
    if "weight" not in first:
        return None
    weights = np.zeros(len(records))
    for i, record in enumerate(records):
        value = record.get("weight")
        if not 0 <= number(value) < np.inf:
            raise lines.error(i, f"the weight must be a number ≥ 0; it is {shown(value)}")
        weights[i] = value
    return weights


def write(sequences: Sequences, predicted: LabelColumn | None) -> Iterator[bytes]:
    if sequences.attributes is not None:
        raise DataError("lists of tokens cannot hold attributes with values; 'crfsuite' can")
    gold = sequences.labels
    parts: dict[str, list[Any]] = {}
    for k, (name, texts) in enumerate(sequences.columns.items()):
        parts["tokens" if k == 0 else name] = sequences.by_sentence(token_strings(texts))
    if gold is not None:
        parts["tags"] = sequences.by_sentence(tag_strings(gold))
    if predicted is not None:
        parts["predicted" if gold is not None else "tags"] = sequences.by_sentence(
            tag_strings(predicted)
        )
    for i in range(len(sequences)):
        record = {name: values[i] for name, values in parts.items()}
        if sequences.weights is not None:
            record["weight"] = float(sequences.weights[i])
        yield json.dumps(record, ensure_ascii=False).encode(errors="replace") + b"\n"


FORMAT = SequenceFormat(
    name="tokens",
    about='one sentence per line: {"tokens": […], "tags": […]}',
    endings=(),
    options=frozenset({"columns", "label", "label_names", "labelled", "missing"}),
    by_line=True,
    in_json=True,
    whole_if=is_list,
    read=read,
    write=write,
)
