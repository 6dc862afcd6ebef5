"""Small files as annotation tools export them, by the name of the format."""

import json
from typing import Any


def in_lines(*rows: Any) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def in_a_list(*rows: Any) -> bytes:
    return json.dumps(rows, ensure_ascii=False, indent=1).encode() + b"\n"


TEXT = "Wanda saw an owl. It hooted."


def tokens_of(text: str) -> list[dict[str, Any]]:
    """As spaCy cuts it, more or less: Prodigy shows them."""
    found, at = [], 0
    for word in text.replace(".", " .").split():
        at = text.index(word, at)
        found.append({"text": word, "start": at, "end": at + len(word), "id": len(found), "ws": True})
        at += len(word)
    return found


def prodigy_ner(text: str, spans: list[tuple[int, int, str]], answer: str = "accept") -> dict[str, Any]:
    keys = ("start", "end", "label")
    marked = [dict(zip(keys, span, strict=True)) for span in spans]
    tail = {"_input_hash": 7, "_task_hash": 8, "_view_id": "ner_manual", "answer": answer}
    return {"text": text, "tokens": tokens_of(text), "spans": marked, **tail}


def prodigy_label(text: str, label: str, answer: str = "accept") -> dict[str, Any]:
    return {"text": text, "label": label, "spans": [], "_task_hash": 1, "answer": answer}


def prodigy_choice(
    text: str, accept: list[str], answer: str = "accept", style: str = "single"
) -> dict[str, Any]:
    options = [{"id": name, "text": name.lower()} for name in ("OWL", "WREN", "SWIFT")]
    row = {"text": text, "options": options, "_view_id": "choice", "config": {"choice_style": style}}
    return row | {"accept": accept, "answer": answer}


def studio_task(text: str, *annotations: Any, number: int = 1, **more: Any) -> dict[str, Any]:
    kept = [
        {"id": 7, "completed_by": 1, "was_cancelled": False, "ground_truth": False} for _ in annotations
    ]
    made = [
        a | (given if isinstance(given, dict) else {"result": given})
        for a, given in zip(kept, annotations, strict=True)
    ]
    return {"id": number, "data": {"text": text}, "annotations": made, "predictions": []} | more


def choice(*names: str, control: str = "topic") -> list[dict[str, Any]]:
    shared = {"id": "a1", "from_name": control, "to_name": "text", "type": "choices"}
    return [shared | {"value": {"choices": list(names)}}]


def region(begin: int, end: int, name: str, said: str | None = None) -> dict[str, Any]:
    value = {"start": begin, "end": end, "labels": [name]} | ({} if said is None else {"text": said})
    return {"id": "r1", "from_name": "label", "to_name": "text", "type": "labels", "value": value}


def spacy_document(*sentences: list[tuple[str, str, str]], cats: Any = None) -> dict[str, Any]:
    made = [
        {
            "tokens": [
                {"id": k, "orth": w, "tag": t, "ner": n, "head": 1} for k, (w, t, n) in enumerate(s)
            ]
        }
        for s in sentences
    ]
    raw = " ".join(w for s in sentences for w, _, _ in s)
    return {
        "id": 0,
        "paragraphs": [{"raw": raw, "sentences": made} | ({} if cats is None else {"cats": cats})],
    }


OWL = [("An", "DT", "O"), ("owl", "NN", "U-BIRD")]
SENTENCES = {
    "prodigy": in_lines(
        prodigy_ner(TEXT, [(0, 5, "PER"), (13, 16, "BIRD")]), prodigy_ner("Nothing here.", [])
    ),
    "doccano": in_lines(
        {"id": 1, "text": TEXT, "label": [[0, 5, "PER"]]}, {"id": 2, "text": "None.", "label": []}
    ),
    "label-studio": in_a_list(
        studio_task(TEXT, [region(0, 5, "PER", "Wanda")]), studio_task("None.", [], number=2)
    ),
    "spacy": in_a_list([TEXT, {"entities": [[0, 5, "PER"]]}], ["None.", {"entities": []}]),
    "spacy-json": in_a_list(spacy_document(OWL, [("It", "PRP", "-")])),
}
EXAMPLES = {
    "prodigy": in_lines(prodigy_label("a song", "BIRD"), prodigy_label("a car", "BIRD", "reject")),
    "doccano": in_lines(
        {"id": 1, "text": "a song", "label": ["BIRD"]}, {"id": 2, "text": "a car", "label": ["CAR"]}
    ),
    "label-studio": in_a_list(
        studio_task("a song", choice("BIRD")), studio_task("a car", choice("CAR"), number=2)
    ),
    "spacy": in_a_list(
        ["a song", {"cats": {"BIRD": 1.0, "CAR": 0.0}}], ["a car", {"cats": {"BIRD": 0, "CAR": 1}}]
    ),
    "spacy-json": in_a_list(
        spacy_document(OWL, cats=[{"label": "BIRD", "value": 1.0}, {"label": "CAR", "value": 0.0}]),
        spacy_document([("A", "DT", "O"), ("car", "NN", "O")], cats={"BIRD": 0.0, "CAR": 1.0}),
    ),
}
