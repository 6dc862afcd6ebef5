"""doccano: an object per line, or a list of them.

``{"id": 1, "text": "…", "label": ["SPORT"]}`` for texts;
``{"id": 1, "text": "…", "label": [[0, 6, "BIRD"]]}``, in newer versions
``{"id": 1, "text": "…", "entities": [{"start_offset": 0, "end_offset": 6, "label": "BIRD"}],
"relations": […]}``, for spans. Old versions say ``data`` for ``text``, or ``labels`` for ``label``.
"""

from __future__ import annotations

from typing import Any

from linnet.formats.exports._export import (
    EITHER,
    EXAMPLES,
    SENTENCES,
    Export,
    Labelled,
    Reading,
    Spans,
)

TEXTS, LABELS = ("text", "data"), ("label", "labels")
ENTITY = ("start_offset", "end_offset", "label")


def kind(row: Any) -> str | None:
    if not isinstance(row, dict) or "id" not in row or _key(row, TEXTS, str) is None:
        return None
    entities = row.get("entities")
    if isinstance(entities, list):
        placed = any(isinstance(entity, dict) and "start_offset" in entity for entity in entities)
        return SENTENCES if placed or "relations" in row else None
    key = _key(row, LABELS, list)
    if key is None:
        return None
    if not row[key]:
        return EITHER
    if all(isinstance(item, str) for item in row[key]):
        return EXAMPLES
    return SENTENCES if all(isinstance(item, list) and len(item) == 3 for item in row[key]) else None


def _key(row: dict[str, Any], names: tuple[str, ...], of: type) -> str | None:
    return next((name for name in names if isinstance(row.get(name), of)), None)


def text(reading: Reading, i: int) -> str:
    row = reading.rows[i]
    if not isinstance(row, dict):
        raise reading.error(i, 'an object such as {"text": "…", "label": […]} is wanted')
    key = getattr(reading.options, "text", None) or _key(row, TEXTS, str) or "text"
    return reading.string(i, row.get(key), repr(key))


def _listed(reading: Reading, i: int) -> list[Any]:
    row = reading.rows[i]
    key = reading.options.label or next((name for name in LABELS if name in row), LABELS[0])
    return reading.listed(i, row.get(key), repr(key))


def labels(reading: Reading) -> list[Labelled]:
    """Doccano always writes lists; they are sets if one of them has several labels."""
    found = []
    for i in range(len(reading.rows)):
        said = text(reading, i)
        given = [reading.string(i, name, "a label") for name in _listed(reading, i)]
        found.append(Labelled(i, said, given))
    return found


def spans(reading: Reading) -> list[Spans]:
    found = []
    for i, row in enumerate(reading.rows):
        text(reading, i)
        if reading.options.label is None and "entities" in row:
            entities = reading.listed(i, row["entities"], "'entities'")
            given = [reading.parts(i, entity, ENTITY) for entity in entities]
        else:
            given = [reading.listed(i, span, "a span") for span in _listed(reading, i)]
        found.append(Spans(i, given))
    reading.unread("relations", "relations")
    return found


EXPORT = Export(
    name="doccano",
    tool="an export of doccano",
    about='{"id": …, "text": …, "label": ["SPORT"]} or [[0, 6, "BIRD"]], or "entities"',
    kind=kind,
    text=text,
    labels=labels,
    spans=spans,
)
