"""Label Studio: a list of tasks with their annotations (JSON), or of what was answered (JSON-MIN).

``{"id": 1, "data": {"text": "…"}, "annotations": [{"result": [{"from_name": "topic", "type": "choices",
"value": {"choices": ["SPORT"]}}]}]}``, or of type labels with ``{"start": 0, "end": 6, "labels":
["BIRD"]}``; JSON-MIN has ``{"id": 1, "text": "…", "topic": "SPORT", "annotation_id": 7, …}``.
"""

from __future__ import annotations

from typing import Any

from linnet.errors import setting
from linnet.formats._columns import known
from linnet.formats._json import shown
from linnet.formats.exports._export import (
    EITHER,
    EXAMPLES,
    SENTENCES,
    Export,
    Labelled,
    Reading,
    Spans,
)

ANNOTATIONS = ("annotations", "completions")  # completions in old versions
CHOICES, LABELS = "choices", "labels"
OF_TOOL = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time"}  # of JSON-MIN
IDS = {"id", "annotation_id"}  # which others have, too
Result = dict[str, Any]


def _is_task(row: Any) -> bool:
    return isinstance(row, dict) and isinstance(row.get("data"), dict) and _annotations(row) is not None


def _annotations(row: dict[str, Any]) -> list[Any] | None:
    return next((row[key] for key in ANNOTATIONS if isinstance(row.get(key), list)), None)


def _is_min(row: Any) -> bool:
    return isinstance(row, dict) and "annotation_id" in row and not OF_TOOL.isdisjoint({*row} - IDS)


def kind(row: Any) -> str | None:
    if _is_task(row):
        types = [result.get("type") for result in _all(row)]
        return SENTENCES if LABELS in types else EXAMPLES if CHOICES in types else EITHER
    if not _is_min(row):
        return None
    return SENTENCES if any(map(_are_regions, fields(row).values())) else EXAMPLES


def _are_regions(value: Any) -> bool:
    """Of JSON-MIN."""
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(one, dict) and LABELS in one and "start" in one for one in value)


def fields(row: Any) -> dict[str, Any]:
    """What was shown to annotators; in JSON-MIN their answers stand beside it."""
    if _is_task(row):
        return dict(row["data"])
    return {name: value for name, value in row.items() if name not in OF_TOOL}


def text(reading: Reading, i: int) -> str:
    row = reading.rows[i]
    if not _is_task(row) and not _is_min(row):
        raise reading.error(i, 'a task such as {"data": {"text": "…"}, "annotations": […]} is wanted')
    data = fields(row)
    strings = [name for name, value in data.items() if isinstance(value, str)]
    key = getattr(reading.options, "text", None) or known(strings, "text")
    if key is None and len(strings) == 1 and _is_task(row):
        key = strings[0]
    if key is None:
        there = ", ".join(map(repr, data))
        raise reading.error(i, f"which of {there} is the text? Name it with {setting('text')}")
    return reading.string(i, data.get(key), repr(key))


def _results(reading: Reading, of: str) -> list[tuple[int, list[Result]]]:
    """The annotation of each row that holds, its results of one type alone."""
    found: list[tuple[int, list[Result]]] = []
    for i, row in enumerate(reading.rows):
        text(reading, i)
        results = _of_task(reading, i) if _is_task(row) else _of_min(reading, i)
        if results is not None:
            found.append((i, [r for r in results if r.get("type") == of]))
    relations = sum(r.get("type") == "relation" for i, _ in found for r in _all(reading.rows[i]))
    if relations:
        name = reading.records.source.name
        reading.notes.append(f"{name}: relations are not read ({relations} of them)")
    return _of_one_control(reading, found)


def _all(row: dict[str, Any]) -> list[Result]:
    given = [a.get("result") for a in _annotations(row) or () if isinstance(a, dict)]
    return [r for results in given if isinstance(results, list) for r in results if isinstance(r, dict)]


def _of_task(reading: Reading, i: int) -> list[Result] | None:
    given = _annotations(reading.rows[i]) or []
    if not all(isinstance(a, dict) and isinstance(a.get("result"), list) for a in given):
        raise reading.error(i, 'an annotation is an object with a list, "result"')
    kept = [a for a in given if not a.get("was_cancelled") and not a.get("skipped")]
    if not kept:
        reading.leave(i, "skipped by the annotator" if given else "not annotated")
        return None
    kept = [a for a in kept if a.get("ground_truth")] or kept
    if any(_said(a) != _said(kept[0]) for a in kept[1:]):
        reading.leave(i, "annotated in different ways, and none is marked as ground truth")
        return None
    return [r for r in kept[0]["result"] if isinstance(r, dict)]


def _said(annotation: dict[str, Any]) -> list[str]:
    """What an annotation says, whoever made it."""
    results = [r for r in annotation["result"] if isinstance(r, dict)]
    return sorted(repr((r.get("type"), r.get("from_name"), r.get("value"))) for r in results)


def _of_min(reading: Reading, i: int) -> list[Result]:
    """As results of a task are written."""
    results: list[Result] = []
    said = text(reading, i)
    for name, value in fields(reading.rows[i]).items():
        if _are_regions(value):
            results += [{"type": LABELS, "from_name": name, "value": region} for region in value]
        elif isinstance(value, dict) and isinstance(value.get(CHOICES), list):
            results.append({"type": CHOICES, "from_name": name, "value": value})
        elif isinstance(value, str) and value != said:
            results.append({"type": CHOICES, "from_name": name, "value": {CHOICES: [value]}})
    return results


def _of_one_control(
    reading: Reading, found: list[tuple[int, list[Result]]]
) -> list[tuple[int, list[Result]]]:
    """Results by the name of what annotators were asked; of several, one must be chosen."""
    names = dict.fromkeys(str(r.get("from_name")) for _, results in found for r in results)
    asked = reading.options.label
    if asked is not None and asked not in names:
        there = ", ".join(names) or "no answers"
        raise reading.error(0, f"no answers are called {asked!r}; there are {there}")
    if asked is None and len(names) > 1:
        if "label" not in names:
            there = ", ".join(names)
            raise reading.error(0, f"which of {there} is the label? Name it with {setting('label')}")
        asked = "label"
    return [(i, [r for r in rs if asked is None or r.get("from_name") == asked]) for i, rs in found]


def labels(reading: Reading) -> list[Labelled]:
    found = []
    for i, results in _results(reading, CHOICES):
        chosen: list[str] = []
        for result in results:
            value = result.get("value")
            if isinstance(value, dict) and "start" not in value:  # else of a region, not of the text
                names = reading.listed(i, value.get(CHOICES), '"choices"')
                chosen += [reading.string(i, name, "a choice") for name in names]
        found.append(Labelled(i, text(reading, i), list(dict.fromkeys(chosen))))
    return found


def spans(reading: Reading) -> list[Spans]:
    return [
        Spans(i, [_span(reading, i, result.get("value")) for result in results])
        for i, results in _results(reading, LABELS)
    ]


def _span(reading: Reading, i: int, value: Any) -> list[Any]:
    names = value.get(LABELS) if isinstance(value, dict) else None
    if not isinstance(names, list) or len(names) != 1:
        wanted = "one with start, end and one label is wanted"
        raise reading.error(i, f"a region is {shown(value, 60)}; {wanted}")
    begin, end = value.get("start"), value.get("end")
    if "text" not in value or not isinstance(begin, int) or not isinstance(end, int):
        return [begin, end, names[0]]
    return [*_found(reading, i, begin, end, str(value["text"])), names[0]]


def _found(reading: Reading, i: int, begin: int, end: int, said: str) -> tuple[int, int]:
    """The characters that hold what was marked: some versions count as JavaScript does, in UTF-16."""
    whole = text(reading, i)
    wanted = said.replace("\\n", "\n").strip()
    if whole[begin:end].strip() == wanted:
        return begin, end
    units = whole.encode("utf-16-le", errors="replace")
    before = units[: 2 * begin].decode("utf-16-le", "replace")
    inside = units[2 * begin : 2 * end].decode("utf-16-le", "replace")
    if inside.strip() == wanted:
        return len(before), len(before) + len(inside)
    raise reading.error(
        i, f"the region [{begin}, {end}] holds {whole[begin:end]!r:.40}, and says {said!r:.40}"
    )


EXPORT = Export(
    name="label-studio",
    tool="an export of Label Studio",
    about='JSON or JSON-MIN: {"data": {"text": …}, "annotations": [{"result": […]}]}',
    kind=kind,
    text=text,
    labels=labels,
    spans=spans,
    fields=fields,
)
