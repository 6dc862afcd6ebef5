"""Prodigy: a task per line, with the annotator's answer to it.

``{"text": "…", "spans": [{"start": 0, "end": 6, "label": "BIRD"}], "tokens": […], "answer": …}``,
``{"text": "…", "label": "SPORT", "answer": "reject"}``,
``{"text": "…", "options": [{"id": "A"}, …], "accept": ["A"], "answer": "accept"}``

As Prodigy's own training has it, answers of "ignore" are left out, and so are rejected spans and
choices, which say nothing of what is right. A rejected label says that the text is not of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linnet.formats._source import counted
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
from linnet.formats.sequences._marked import Places

ACCEPT, REJECT, IGNORE = "accept", "reject", "ignore"
OF_SPANS = ("ner", "ner_manual", "spans", "spans_manual", "relations", "pos", "pos_manual")
OF_TEXTS = ("choice", "classification")
ONE_BY_ONE = "ner"  # the view that asks about one span at a time
Judged = tuple[int, str, str, bool]  # row, text, label, whether it is accepted


def kind(row: Any) -> str | None:
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        return None
    if row.get("answer") not in (ACCEPT, REJECT, IGNORE) and "_task_hash" not in row:
        return None
    if row.get("_view_id") in OF_SPANS:
        return SENTENCES
    if row.get("_view_id") in OF_TEXTS or isinstance(row.get("label"), str) or "options" in row:
        return EXAMPLES
    return SENTENCES if "spans" in row or "tokens" in row else EITHER


def text(reading: Reading, i: int) -> str:
    row = reading.rows[i]
    if not isinstance(row, dict):
        raise reading.error(i, 'an object such as {"text": "…", "answer": "accept"} is wanted')
    key = getattr(reading.options, "text", None) or "text"
    return reading.string(i, row.get(key), repr(key))


def _answered(reading: Reading) -> list[tuple[int, dict[str, Any], str]]:
    """Rows, but for those that were ignored."""
    found = []
    for i, row in enumerate(reading.rows):
        text(reading, i)
        answer = row.get("answer", ACCEPT)
        if answer not in (ACCEPT, REJECT, IGNORE):
            raise reading.error(i, f"the answer is {answer!r}; it may be accept, reject or ignore")
        if answer == IGNORE:
            reading.leave(i, "ignored")
        else:
            found.append((i, row, answer))
    return found


def labels(reading: Reading) -> list[Labelled]:
    """Of choices, and of labels that were accepted or rejected one by one."""
    found: list[Labelled] = []
    judged: list[Judged] = []
    key = getattr(reading.options, "label", None) or "label"
    for i, row, answer in _answered(reading):
        if "options" not in row and "accept" not in row and isinstance(row.get(key), str):
            judged.append((i, row["text"], row[key], answer == ACCEPT))
        elif answer == REJECT:
            reading.leave(i, "rejected")
        else:
            chosen = reading.listed(i, row.get("accept", []), '"accept"')
            reading.several |= _style(row) == "multiple"
            found.append(Labelled(i, text(reading, i), [str(option) for option in chosen]))
    names = list(dict.fromkeys(label for _, _, label, _ in judged))
    if len(names) == 1 and not found:
        return _two_classes(reading, judged, names[0])
    return sorted(found + _joined(reading, judged, names))


def _style(row: dict[str, Any]) -> Any:
    config = row.get("config")
    return config.get("choice_style") if isinstance(config, dict) else None


def _two_classes(reading: Reading, judged: Sequence[Judged], name: str) -> list[Labelled]:
    """One label in the whole file: it is accepted, or it is not that."""
    other = negated(name)
    found = [
        Labelled(i, said, [name if accepted else other])
        for i, said, _, accepted in _agreed(reading, judged)
    ]
    rejected = sum(each.labels[0] == other for each in found)
    if rejected:
        reading.notes.append(
            f"{reading.records.source.name}: {name!r} was rejected of {counted(rejected, 'text')}; "
            f"the label there is {other!r}"
        )
    return found


def _joined(reading: Reading, judged: Sequence[Judged], names: list[str]) -> list[Labelled]:
    """The labels of a text that were accepted, from all its rows."""
    by_text: dict[str, list[Judged]] = {}
    for one in _agreed(reading, judged):
        by_text.setdefault(one[1], []).append(one)
    reading.several |= any(sum(ok for *_, ok in rows) > 1 for rows in by_text.values())
    found: list[Labelled] = []
    unjudged = 0
    for said, rows in by_text.items():
        accepted = [label for *_, label, ok in rows if ok]
        if not accepted and not (reading.several and len(rows) == len(names)):
            for i, *_ in rows:
                reading.leave(i, "rejected, where no other label is accepted")
            continue
        unjudged += reading.several and len(rows) < len(names)
        found.append(Labelled(rows[0][0], said, accepted))
    if unjudged:
        reading.notes.append(
            f"{reading.records.source.name}: {counted(unjudged, 'text')} not judged for every label; "
            "what nobody has accepted counts as absent"
        )
    return found


def _agreed(reading: Reading, judged: Sequence[Judged]) -> list[Judged]:
    """One row for each text and label; those that contradict one another are left out."""
    answers: dict[tuple[str, str], list[Judged]] = {}
    for one in judged:
        answers.setdefault((one[1], one[2]), []).append(one)
    found: list[Judged] = []
    for rows in answers.values():
        if len({accepted for *_, accepted in rows}) == 1:
            found.append(rows[0])
            for i, *_ in rows[1:]:
                reading.leave(i, "given twice, with the same answer")
        else:
            for i, *_ in rows:
                reading.leave(i, "both accepted and rejected")
    return found


def spans(reading: Reading) -> list[Spans]:
    """Accepted ones. Those of one text that were asked for one by one are put together."""
    found: list[Spans] = []
    alone: dict[str, Spans] = {}
    for i, row, answer in _answered(reading):
        if answer == REJECT:
            reading.leave(i, "rejected")
            continue
        given = reading.listed(i, row.get("spans") or [], '"spans"')
        marked = [reading.parts(i, span, ("start", "end", "label")) for span in given]
        if row.get("_view_id") != ONE_BY_ONE:
            found.append(Spans(i, marked))
        elif row["text"] in alone:
            known = alone[row["text"]].spans
            known += [span for span in marked if span not in known]
        else:
            alone[row["text"]] = Spans(i, marked)
            found.append(alone[row["text"]])
    if alone:
        reading.notes.append(
            f"{reading.records.source.name}: in {counted(len(alone), 'text')} spans were judged one by "
            "one; words that no accepted span holds are taken to be outside of all"
        )
    reading.unread("relations", "relations")
    return found


def words(reading: Reading, i: int) -> Places | None:
    """Prodigy's tokens, by which spans were marked; blanks are no words."""
    tokens = reading.rows[i].get("tokens")
    if not isinstance(tokens, list):
        return None
    said = text(reading, i)
    places: list[tuple[int, int]] = []
    for token in tokens:
        begin, end = (token.get(key) if isinstance(token, dict) else None for key in ("start", "end"))
        if not isinstance(begin, int) or not isinstance(end, int):
            begin = end = -1
        if not (places[-1][1] if places else 0) <= begin <= end <= len(said):
            raise reading.error(i, "tokens must have a start and an end, in their order, in the text")
        if said[begin:end].strip():
            places.append((begin, end))
    return np.array(places, np.int64).reshape(-1, 2)


EXPORT = Export(
    name="prodigy",
    tool="an export of Prodigy",
    about='tasks with answers: {"text": …, "spans": […], "answer": "accept"}',
    kind=kind,
    text=text,
    labels=labels,
    spans=spans,
    words=words,
)
