"""spaCy's training examples: ``["text", {"entities": [[0, 6, "BIRD"]]}]``, ``["text", {"cats": {…}}]``.

A list of such pairs, or a pair per line; ``{"text": "…", "cats": {…}}`` is read as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from linnet.formats._json import shown
from linnet.formats._records import Records
from linnet.formats.exports._export import (
    EITHER,
    EXAMPLES,
    SENTENCES,
    Export,
    Labelled,
    Reading,
    Spans,
    negated,
)


def _parts(row: Any) -> tuple[Any, dict[str, Any]] | None:
    """A text and its annotations."""
    if isinstance(row, list) and len(row) == 2 and isinstance(row[1], dict):
        return row[0], row[1]
    if isinstance(row, dict) and isinstance(row.get("cats"), dict):
        return row.get("text"), row
    return None


def kind(row: Any) -> str | None:
    parts = _parts(row)
    if parts is None or not isinstance(parts[0], str):
        return None
    if "entities" in parts[1]:
        return SENTENCES
    return EXAMPLES if "cats" in parts[1] else EITHER


def unfold(records: Records) -> Records:
    """One pair alone looks as a list of two things does."""
    rows = records.rows
    if len(rows) == 2 and isinstance(rows[0], str) and isinstance(rows[1], dict):
        return replace(records, rows=[rows], numbers=records.numbers[:1])
    return records


def _given(reading: Reading, i: int) -> dict[str, Any]:
    parts = _parts(reading.rows[i])
    if parts is None:
        raise reading.error(i, 'a pair such as ["text", {"entities": […]}] is wanted')
    return parts[1]


def text(reading: Reading, i: int) -> str:
    _given(reading, i)
    parts = _parts(reading.rows[i])
    return reading.string(i, parts[0] if parts else None, "the text")


def labels(reading: Reading) -> list[Labelled]:
    found: list[tuple[int, Any]] = []
    for i in range(len(reading.rows)):
        cats = _given(reading, i).get("cats")
        if cats is None:
            reading.leave(i, "without cats")
        else:
            found.append((i, cats))
    return of_cats(reading, found, text)


def of_cats(
    reading: Reading, found: list[tuple[int, Any]], text_of: Callable[[Reading, int], str]
) -> list[Labelled]:
    """Categories of 1 are labels, those of 0 are none; one category alone makes two classes."""
    names = {name for i, cats in found for name in _values(reading, i, cats)}
    alone = next(iter(names)) if len(names) == 1 else None
    made = []
    for i, cats in found:
        labels = [name for name, value in cats.items() if value]
        if alone is not None and not labels:
            labels = [negated(alone)]
        reading.several |= not labels
        made.append(Labelled(i, text_of(reading, i), labels))
    return made


def _values(reading: Reading, i: int, cats: Any) -> dict[str, Any]:
    if not isinstance(cats, dict) or not all(isinstance(name, str) for name in cats):
        raise reading.error(i, f'"cats" must be an object such as {{"SPORT": 1}}; it is {shown(cats)}')
    for name, value in cats.items():
        if value not in (0, 1):
            raise reading.error(
                i, f"the category {name!r} is {shown(value)}; 1 (it is one) or 0 (it is not) is wanted"
            )
    return cats


def spans(reading: Reading) -> list[Spans]:
    found = []
    for i in range(len(reading.rows)):
        text(reading, i)
        entities = _given(reading, i).get("entities")
        if entities is None:
            reading.leave(i, "without entities")
            continue
        given = [
            reading.listed(i, span, "an entity") for span in reading.listed(i, entities, "entities")
        ]
        found.append(Spans(i, given))
    return found


EXPORT = Export(
    name="spacy",
    tool="spaCy's examples",
    about='["text", {"entities": [[0, 6, "BIRD"]]}] or ["text", {"cats": {"SPORT": 1}}]',
    kind=kind,
    text=text,
    labels=labels,
    spans=spans,
    unfold=unfold,
    fields=lambda row: row if isinstance(row, dict) else row[1],
)
