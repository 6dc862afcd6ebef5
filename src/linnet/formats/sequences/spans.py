"""JSON lines of texts and spans of characters: ``{"text": "…", "spans": [[0, 6, "BIRD"]]}``.

A span may also be ``{"start": 0, "end": 6, "label": "BIRD"}``. Texts are cut into sentences and words;
a span that begins or ends inside a word is widened to whole words, with a note, and no sentence
ends inside a span. Tags are IOB2.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from linnet.data.chunks import find_chunks
from linnet.data.examples import LabelColumn
from linnet.data.sequences import Sequences, token_strings
from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.formats._json import shown
from linnet.formats._records import is_list
from linnet.formats.jsonl import first_of, objects
from linnet.formats.sequences._marked import Marked, Places, Span, checked_spans, sequences_of
from linnet.formats.sequences._options import SequenceFormat, SequenceOptions
from linnet.formats.sequences.tokens import Where, read_weights

SPANS = ("spans", "entities", "labels", "label")


def read(source: Source, options: SequenceOptions) -> Sequences:
    lines, records = objects(source)
    for i, record in enumerate(records):
        if not isinstance(record.get("text"), str):
            raise lines.error(i, 'no "text"; an object {"text": "…", "spans": […]} is wanted')
    first = first_of(source, records)
    key = None if options.labelled is False else _key(first, options.label)
    if key is None and options.labelled:
        raise lines.error(0, 'no "spans"; an object {"text": "…", "spans": […]} is wanted')
    spans = None if key is None else [_spans(lines, i, r, key) for i, r in enumerate(records)]
    return sequences_of(
        Marked([record["text"] for record in records], spans),
        lines.numbers,
        lines.error,
        source.name,
        english=options.english,
        weights=read_weights(lines, records, first),
    )


def _key(first: dict[str, Any], asked: str | None) -> str | None:
    if asked is not None:
        return asked
    return next((name for name in SPANS if isinstance(first.get(name), list)), None)


def _spans(lines: Where, i: int, record: dict[str, Any], key: str) -> list[Span]:
    given = record.get(key)
    if not isinstance(given, list):
        raise lines.error(i, f"{key!r} must be a list of [begin, end, type]")
    return checked_spans([_parts(lines, i, span) for span in given], record["text"], i, lines.error)


def _parts(lines: Where, i: int, span: Any) -> list[Any]:
    if isinstance(span, dict):
        return [span.get("start"), span.get("end"), span.get("label", span.get("type"))]
    if not isinstance(span, list):
        raise lines.error(i, f"a span is {shown(span, 60)}; [begin, end, type] is wanted")
    return span


def write(sequences: Sequences, predicted: LabelColumn | None) -> Iterator[bytes]:
    """Spans of the raw texts; where there are none, words are joined by blanks, a sentence per line."""
    column = predicted if predicted is not None else sequences.labels
    places, texts, documents = sequences.spans, sequences.texts, sequences.documents
    if places is None or texts is None or documents is None:
        if not sequences.columns:
            raise DataError("spans of text cannot hold attributes with values; 'crfsuite' can")
        strings, places, documents = _joined(sequences)
    else:
        strings = [texts[i] for i in range(len(texts))]
    found: list[list[list[Any]]] = [[] for _ in strings]
    if column is not None:
        chunks = find_chunks(column, sequences.offsets)
        sentences = np.searchsorted(sequences.offsets, chunks.begins, side="right") - 1
        starts, ends = places[chunks.begins, 0].tolist(), places[chunks.ends - 1, 1].tolist()
        kinds = (chunks.names[k] for k in chunks.types.tolist())
        for i, begin, end, kind in zip(documents[sentences].tolist(), starts, ends, kinds, strict=True):
            found[i].append([begin, end, kind])
    weights = (
        {}
        if sequences.weights is None
        else dict(zip(documents.tolist(), sequences.weights.tolist(), strict=True))
    )
    for i in range(len(strings)):
        record: dict[str, Any] = {"text": strings[i]}
        if column is not None:
            record["spans"] = found[i]
        if i in weights:
            record["weight"] = weights[i]
        yield json.dumps(record, ensure_ascii=False).encode(errors="replace") + b"\n"


def _joined(sequences: Sequences) -> tuple[list[str], Places, Places]:
    words = token_strings(next(iter(sequences.columns.values())))
    sizes = np.array([len(word) for word in words], np.int64) + 1
    ends = np.cumsum(sizes) - 1
    firsts = np.repeat((ends - sizes + 1)[sequences.offsets[:-1]], sequences.lengths)
    places = np.stack([ends - sizes + 1 - firsts, ends - firsts], axis=1)
    strings = [" ".join(part) for part in sequences.by_sentence(words)]
    return strings, places, np.arange(len(sequences))


FORMAT = SequenceFormat(
    name="spans",
    about='one text per line with spans of characters: {"text": "…", "spans": [[0, 6, "BIRD"]]}',
    endings=(),
    options=frozenset({"label", "labelled", "english"}),
    by_line=True,
    in_json=True,
    whole_if=is_list,
    read=read,
    write=write,
)
