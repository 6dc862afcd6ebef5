"""spaCy's JSON of version 2: documents of paragraphs, of sentences, of tokens.

``[{"paragraphs": [{"raw": "…", "sentences": [{"tokens": [{"orth": "A", "tag": "DT", "ner": "O"}]}],
"cats": […]}]}]``. Tags are those of entities, or where there are none the parts of speech.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import linnet._core as _core
from linnet.data.label_names import WRONG_END, ends_wrong
from linnet.data.sequences import Sequences, tag_column
from linnet.errors import DataError
from linnet.formats._access import Source
from linnet.formats._records import Records, read_records
from linnet.formats.exports._export import EITHER, EXAMPLES, SENTENCES, Export, Labelled, Reading
from linnet.formats.exports.spacy import of_cats
from linnet.formats.sequences._options import SequenceFormat, SequenceOptions

NAME, TOOL = "spacy-json", "spaCy's JSON"
UNKNOWN = ("-", "", None)  # an entity, or a tag, that nobody has annotated
Token = dict[str, Any]


def kind(row: Any) -> str | None:
    if not isinstance(row, dict) or not isinstance(row.get("paragraphs"), list):
        return None
    paragraphs = [p for p in row["paragraphs"] if isinstance(p, dict)]
    if any(p.get("cats") for p in paragraphs):
        return EXAMPLES
    return SENTENCES if any(p.get("sentences") for p in paragraphs) else EITHER


def unfold(records: Records) -> Records:
    """A row for each paragraph."""
    rows, numbers = [], []
    for i, (document, number) in enumerate(zip(records.rows, records.numbers.tolist(), strict=True)):
        paragraphs = document.get("paragraphs") if isinstance(document, dict) else None
        if not isinstance(paragraphs, list) or not all(isinstance(p, dict) for p in paragraphs):
            raise records.error(i, 'a document such as {"paragraphs": [{"sentences": […]}]} is wanted')
        rows += paragraphs
        numbers += [number] * len(paragraphs)
    return Records(records.source, rows, np.array(numbers, np.int64))


def text(reading: Reading, i: int) -> str:
    """As it was, or else its words with blanks between them."""
    row = reading.rows[i]
    if isinstance(row.get("raw"), str):
        return str(row["raw"])
    return " ".join(token["orth"] for sentence in _sentences(reading, i) for token in sentence)


def labels(reading: Reading) -> list[Labelled]:
    found: list[tuple[int, Any]] = []
    for i, row in enumerate(reading.rows):
        cats = row.get("cats")
        if not cats:
            reading.leave(i, "without cats")
            continue
        if isinstance(cats, list):  # of {"label": …, "value": …}
            pairs = [reading.parts(i, cat, ("label", "value")) for cat in cats]
            cats = {reading.string(i, name, "a category"): value for name, value in pairs}
        found.append((i, cats))
    return of_cats(reading, found, text)


def _sentences(reading: Reading, i: int) -> list[list[Token]]:
    found = []
    for sentence in reading.listed(i, reading.rows[i].get("sentences") or [], '"sentences"'):
        tokens = sentence.get("tokens") if isinstance(sentence, dict) else None
        for token in reading.listed(i, tokens, '"tokens"'):
            if not isinstance(token, dict) or not isinstance(token.get("orth"), str):
                raise reading.error(i, 'a token is an object with a string, "orth"')
        found.append([token for token in tokens or () if token["orth"].strip()])
    return [sentence for sentence in found if sentence]


def read(source: Source, options: SequenceOptions) -> Sequences:
    reading = Reading(unfold(read_records(source)), options)
    placed = [(i, s) for i in range(len(reading.rows)) for s in _sentences(reading, i)]
    if not placed:
        raise DataError(f"{source.name} holds paragraphs without sentences of tokens")
    tokens = [token for _, sentence in placed for token in sentence]
    at = np.repeat([i for i, _ in placed], [len(sentence) for _, sentence in placed])

    def column(name: str, missing: bool) -> list[Any]:
        cells = [token.get(name) for token in tokens]
        for k, cell in enumerate(cells):
            if missing and cell in UNKNOWN:
                cells[k] = None
            elif not isinstance(cell, str):
                raise reading.error(int(at[k]), f"a token has no string {name!r}")
            elif missing and ends_wrong(cell):
                raise reading.error(int(at[k]), f"the tag {cell!r:.80} {WRONG_END}")
        return cells

    label = options.label or next(
        (n for n in ("ner", "tag", "pos") if any(t.get(n) not in UNKNOWN for t in tokens)), None
    )
    tags = None if label is None or options.labelled is False else tag_column(column(label, True))
    if tags is None and options.labelled:
        raise reading.error(0, "no token has a tag")
    parts = {"word": "orth"} | {name: name for name in options.columns if name != "word"}
    told = "" if tags is None else f", with the tags of {label!r}"
    heads = sum(bool(token.get("head")) for token in tokens)
    unread = f"{source.name}: heads of words are not read; CoNLL-U holds trees"
    return Sequences(
        {name: _core.Texts.from_list(column(key, False)) for name, key in parts.items()},
        np.cumsum([0, *(len(sentence) for _, sentence in placed)], dtype=np.int64),
        tags,
        lines=reading.records.numbers[at],
        source=source.name,
        notes=(f"{source.name} is read as {TOOL}{told}", *([unread] if heads else [])),
        layout=tuple(parts),
    )


EXPORT = Export(
    name=NAME,
    tool=TOOL,
    about='of version 2: [{"paragraphs": [{"sentences": [{"tokens": […]}], "cats": […]}]}]',
    kind=kind,
    text=text,
    labels=labels,
    unfold=unfold,
)
FORMAT = SequenceFormat(
    name=NAME,
    about=EXPORT.about,
    endings=(),
    options=frozenset({"columns", "label", "labelled"}),
    by_line=False,
    whole=True,
    read=read,
    write=None,
)
