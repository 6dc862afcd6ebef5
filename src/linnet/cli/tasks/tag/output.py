"""Tagged sentences in the format they came in, or in another."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import click

import linnet._core as _core
from linnet.cli.options import spelt
from linnet.cli.output import to_json
from linnet.data.chunks import is_chunked, text_spans
from linnet.data.examples import LabelColumn
from linnet.data.sequences import tag_column
from linnet.formats import SEQUENCE_FORMATS
from linnet.formats._table import writer
from linnet.formats.sequences._cells import write_cells

ENTITIES, TAGS = "entities", "tags"  # further formats: one found span per line; nothing but tags
Certainties = list[float] | None  # of predicted tags, one per token


class Writer:
    """Chooses the format: that of the input, and for running text spans, or words with plain tags."""

    def __init__(self, model: Any, reader: Any, asked: str | None) -> None:
        written = [name for name, row in SEQUENCE_FORMATS.items() if row.write is not None]
        known = [*(name for name in written if name != "text"), ENTITIES, TAGS]
        if asked is not None and asked not in known:
            raise click.UsageError(f"--output-format {asked}: there are {', '.join(known)}")
        self.chunked = is_chunked(model.classes_.tolist())
        usual = reader.form if reader.form in written else "spans"
        if usual == "text":
            usual = "conll" if not self.chunked else "spans" if reader.by_line else ENTITIES
        elif usual == "spans" and not self.chunked:
            usual = "tokens"
        self.form, self.said = asked or usual, asked is not None
        self.by_line = reader.by_line or reader.form != "text"  # several texts
        if self.form in ("spans", ENTITIES) and not self.chunked:
            raise click.UsageError(
                f"--output-format {self.form}: tags such as {model.classes_[0]} speak of no spans"
            )

    def lines(self, batch: Any, predicted: LabelColumn, sure: Certainties = None) -> Iterator[bytes]:
        """One tag per token, with its probability if there are some."""
        if self.form in ("spans", ENTITIES) and batch.texts is not None:
            return self._spans(batch, predicted, sure)
        if self.form == ENTITIES:
            raise click.UsageError("--output-format entities: only running text has entities' places")
        form = TAGS if self.form == "crfsuite" and sure is not None else self.form
        if form == TAGS:
            return _tags(batch, predicted, sure)
        if sure is None:
            return iter(writer(SEQUENCE_FORMATS[form])(batch, predicted))
        if form == "tokens":
            return _with_list(batch, predicted, sure)
        if form == "conllu":
            return iter(writer(SEQUENCE_FORMATS[form])(_in_misc(batch, sure), predicted))
        if form == "spans":
            raise click.UsageError(f"{spelt('proba')}: use another --output-format than spans")
        return iter(writer(SEQUENCE_FORMATS[form])(_with_column(batch, predicted), _numerals(sure)))

    def best(self, batch: Any, found: list[list[tuple[list[str], float]]]) -> Iterator[bytes]:
        """Several sequences of tags for each sentence, best first, each with its score."""
        if self.form in ("tokens", "spans", ENTITIES):
            return _best_as_json(batch, found)
        return self._best_in_blocks(batch, found)

    def _best_in_blocks(
        self, batch: Any, found: list[list[tuple[list[str], float]]]
    ) -> Iterator[bytes]:
        """A sentence comes back once for each, after a line of rank and score."""
        ranks = max(map(len, found), default=0)
        blocks: list[list[bytes]] = []
        for rank in range(ranks):
            column = tag_column(
                [tag for several in found for tag in several[min(rank, len(several) - 1)][0]]
            )
            if self.form in ("crfsuite", TAGS):
                blocks.append(list(_tags(batch, column, None)))
            else:
                blocks.append(list(writer(SEQUENCE_FORMATS[self.form])(batch, column)))
        for i, several in enumerate(found):
            for rank, (_, score) in enumerate(several):
                yield f"# {rank + 1} {score:.6f}\n".encode() + blocks[rank][i]

    def _spans(self, batch: Any, predicted: LabelColumn, sure: Certainties) -> Iterator[bytes]:
        with_line = self.form == ENTITIES and self.by_line
        found = _spans_of_texts(batch, predicted, sure, with_line)
        for text, spans in found:
            if self.form == "spans":
                yield _json({"text": text, "spans": spans})
            else:
                yield from map(_json, spans)


def _spans_of_texts(
    batch: Any, predicted: LabelColumn, sure: Certainties, with_line: bool
) -> list[tuple[str, list[dict[str, Any]]]]:
    """Each text and its spans: characters from ``start`` to ``end`` - 1."""
    texts = [batch.texts[i] for i in range(len(batch.texts))]
    spans: list[list[dict[str, Any]]] = [[] for _ in texts]
    for i, begin, end, found in text_spans(batch, predicted):
        span: dict[str, Any] = {"line": int(batch.lines[begin])} if with_line else {}
        span |= found._asdict()
        if sure is not None:
            span["probability"] = round(min(sure[begin:end]), 6)  # of its least certain token
        spans[i].append(span)
    return list(zip(texts, spans, strict=True))


def _with_column(batch: Any, tags: LabelColumn) -> Any:
    """Predicted tags as one more column, after the gold ones."""
    layout = batch.layout or tuple(batch.columns)
    if batch.labels is not None and {*layout} <= {*batch.columns}:
        layout = (*layout, "gold")
    columns = batch.columns | {"predicted": _texts(tags)}
    return replace(batch, columns=columns, layout=(*layout, "predicted"))


def _tags(batch: Any, tags: LabelColumn, sure: Certainties) -> Iterator[bytes]:
    """A tag per line, an empty line after each sentence."""
    columns = [tags] if sure is None else [tags, _numerals(sure)]
    return iter(write_cells(replace(batch, aside=None), columns))


def _numerals(sure: Certainties) -> LabelColumn:
    """Probabilities with four digits."""
    import numpy as np

    numbers, codes = np.unique(np.rint(np.array(sure) * 1e4), return_inverse=True)
    return LabelColumn([f"{k / 1e4:.4f}" for k in numbers.tolist()], codes.astype(np.int32))


def _texts(labels: LabelColumn) -> _core.Texts:
    return _core.Texts.from_list(labels.names).take(labels.codes.astype("int64"))


def _with_list(batch: Any, tags: LabelColumn, sure: list[float]) -> Iterator[bytes]:
    lines = writer(SEQUENCE_FORMATS["tokens"])(batch, tags)
    for line, numbers in zip(lines, batch.by_sentence(sure), strict=True):
        yield _json(json.loads(line) | {"probabilities": [round(p, 6) for p in numbers]})


def _in_misc(batch: Any, sure: list[float]) -> Any:
    """CoNLL-U keeps what is nobody else's in its last column."""
    import numpy as np

    numbers = _numerals(sure)
    said = [f"P={number}" for number in numbers.names]
    misc = batch.columns.get("misc")
    if misc is not None:
        codes, before = misc.codes()
        pairs, places = np.unique(codes * np.int64(len(said)) + numbers.codes, return_inverse=True)
        both = [(before[k // len(said)], said[k % len(said)]) for k in pairs.tolist()]
        said = [p if other == "_" else f"{other}|{p}" for other, p in both]
        numbers = LabelColumn(said, places.astype(np.int32))
    return replace(batch, columns=batch.columns | {"misc": _texts(replace(numbers, names=said))})


def _best_as_json(batch: Any, found: list[list[tuple[list[str], float]]]) -> Iterator[bytes]:
    words = batch.column(next(iter(batch.columns))) if batch.columns else [None] * len(batch)
    for sentence, several in zip(words, found, strict=True):
        best = [{"tags": tags, "score": round(score, 6)} for tags, score in several]
        yield _json(({} if sentence is None else {"tokens": sentence}) | {"best": best})


def _json(record: dict[str, Any]) -> bytes:
    return to_json(record).encode(errors="replace") + b"\n"
