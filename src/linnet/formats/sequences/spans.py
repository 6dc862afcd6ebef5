"""JSON lines of texts and spans of characters: ``{"text": "…", "spans": [[0, 6, "BIRD"]]}``.

A span may also be ``{"start": 0, "end": 6, "label": "BIRD"}``. Texts are cut into sentences and words;
a span that begins or ends inside a word is widened to whole words, with a note, and no sentence
ends inside a span. Tags are IOB2.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.chunks import Chunks, find_chunks, write_chunks
from linnet.data.examples import LabelColumn
from linnet.data.label_names import WRONG_END, ends_wrong
from linnet.data.sequences import Sequences, token_strings
from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.formats._json import shown
from linnet.formats._lines import Lines
from linnet.formats.jsonl import _record
from linnet.formats.sequences._options import SequenceFormat, SequenceOptions
from linnet.formats.sequences.tokens import read_weights

SPANS = ("spans", "entities", "labels", "label")
Places = NDArray[np.int64]


def read(source: Source, options: SequenceOptions) -> Sequences:
    lines = Lines(source)
    records = [_record(lines, i, line) for i, line in enumerate(lines.all())]
    for i, record in enumerate(records):
        if not isinstance(record.get("text"), str):
            raise lines.error(i, 'no "text"; an object {"text": "…", "spans": […]} is wanted')
    key = None if options.labelled is False else _key(records, options.label)
    if key is None and options.labelled:
        raise lines.error(0, 'no "spans"; an object {"text": "…", "spans": […]} is wanted')
    texts = _core.Texts.from_list([record["text"] for record in records])
    words, places, offsets, documents, _ = _core.split_texts(texts, options.english)
    words_of = np.searchsorted(np.repeat(documents, np.diff(offsets)), np.arange(len(records) + 1))
    found: list[tuple[int, int, str]] = []
    widened = 0
    if key is not None:
        for i, record in enumerate(records):
            given = _spans(lines, i, record, key)
            inside = _tokens(lines, i, given, places[words_of[i] : words_of[i + 1]])
            widened += sum(wide for *_, wide in inside)
            found += [(b + int(words_of[i]), e + int(words_of[i]), kind) for b, e, kind, _ in inside]
    names = sorted({kind for *_, kind in found})
    chunks = Chunks(
        np.array([b for b, *_ in found], np.int64),
        np.array([e for _, e, _ in found], np.int64),
        np.array([names.index(kind) for *_, kind in found], np.int64),
        names,
    )
    offsets, documents = _join(offsets, documents, chunks)
    weights = read_weights(lines, records)
    note = f"{source.name}: {widened} spans are widened to whole words"
    return Sequences(
        {"word": words},
        offsets,
        None if key is None else write_chunks(chunks, offsets, "iob2"),
        None if weights is None else weights[documents],
        spans=places,
        texts=texts,
        documents=documents,
        lines=lines.numbers[np.repeat(documents, np.diff(offsets))],
        source=source.name,
        notes=(note,) if widened else (),
        layout=("word",),
    )


def _key(records: list[dict[str, Any]], asked: str | None) -> str | None:
    if asked is not None:
        return asked
    return next((name for name in SPANS if isinstance(records[0].get(name), list)), None)


def _spans(lines: Lines, i: int, record: dict[str, Any], key: str) -> list[tuple[int, int, str]]:
    """Spans of characters in their order; none may overlap another."""
    given = record.get(key)
    if not isinstance(given, list):
        raise lines.error(i, f"{key!r} must be a list of [begin, end, type]")
    spans = sorted(_span(lines, i, span, len(record["text"])) for span in given)
    for (b, e, kind), (after, end, other) in pairwise(spans):
        if after < e:
            raise lines.error(i, f"spans overlap: [{b}, {e}, {kind!r}] and [{after}, {end}, {other!r}]")
    return spans


def _span(lines: Lines, i: int, span: Any, size: int) -> tuple[int, int, str]:
    parts = span
    if isinstance(span, dict):
        parts = [span.get("start"), span.get("end"), span.get("label", span.get("type"))]
    good = (
        isinstance(parts, list)
        and len(parts) == 3
        and all(isinstance(part, int) and not isinstance(part, bool) for part in parts[:2])
        and isinstance(parts[2], str)
        and bool(parts[2])
    )
    if not good:
        raise lines.error(i, f"a span is {shown(span, 60)}; [begin, end, type] is wanted")
    if ends_wrong(parts[2]):
        raise lines.error(i, f"the type {parts[2]!r:.80} {WRONG_END}")
    if not 0 <= parts[0] < parts[1] <= size:
        raise lines.error(
            i, f"the span [{parts[0]}, {parts[1]}] does not lie in a text of {size} characters"
        )
    return parts[0], parts[1], parts[2]


def _tokens(
    lines: Lines, i: int, spans: list[tuple[int, int, str]], places: Places
) -> list[tuple[int, int, str, bool]]:
    """Spans of characters as spans of tokens, and whether they were widened."""
    out: list[tuple[int, int, str, bool]] = []
    for begin, end, kind in spans:
        first = int(np.searchsorted(places[:, 1], begin, side="right"))
        last = int(np.searchsorted(places[:, 0], end, side="left"))
        if first >= last:
            raise lines.error(i, f"the span [{begin}, {end}, {kind!r}] holds no word")
        if out and first < out[-1][1]:
            raise lines.error(
                i, f"the spans before and at [{begin}, {end}, {kind!r}] share a word, {first + 1}"
            )
        out.append((first, last, kind, bool(places[first, 0] < begin or places[last - 1, 1] > end)))
    return out


def _join(offsets: Places, documents: Places, chunks: Chunks) -> tuple[Places, Places]:
    """Sentences without ends inside a span."""
    inner = offsets[1:-1]
    at = np.searchsorted(chunks.begins, inner, side="left") - 1  # the span that begins before
    cut = (at >= 0) & (chunks.ends[at] > inner) if len(chunks) else np.zeros(len(inner), np.bool_)
    kept = np.concatenate([[True], ~cut]) if len(documents) else np.zeros(0, np.bool_)
    return np.append(offsets[:-1][kept], offsets[-1]), documents[kept]


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
    read=read,
    write=write,
)
