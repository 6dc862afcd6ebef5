"""Decisions as files that others read: TSV, JSONL, CoNLL; trees as CoNLL-U or in brackets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from linnet.data.bracket_tree import BracketTree, Constituent
from linnet.errors import DataError
from linnet.serving.look.decisions import Decision
from linnet.serving.look.labelling import Label

FORMS = {
    "tsv": "text/tab-separated-values; charset=utf-8",
    "jsonl": "application/jsonl; charset=utf-8",
    "conll": "text/plain; charset=utf-8",
    "conllu": "text/plain; charset=utf-8",
    "mrg": "text/plain; charset=utf-8",
}
OF_TREES = {"parse": ("conllu", "jsonl"), "trees": ("mrg", "jsonl")}
ONE_LINE = str.maketrans("\t\r\n\u2028\u2029\x0b\x0c\x1c\x1d\x1e\x85", " " * 11)


def forms_of(task: str) -> list[str]:
    """Those that hold what is decided of a model of this task."""
    return list(OF_TREES.get(task, ("tsv", "jsonl", "conll")))


def exported(decisions: Sequence[Decision], form: str) -> bytes:
    r"""Texts with the labels that a person gave, or words with tags; those passed over are left out.

    >>> exported([Decision(1, "A wren\tsang.", "wren")], "tsv")
    b'wren\tA wren sang.\n'
    >>> exported([Decision(1, "Both sang.", ("owl", "wren")), Decision(2, "Silence.", ())], "tsv")
    b'owl,wren\tBoth sang.\n\tSilence.\n'
    """
    lines: list[str] = []
    for one in decisions:
        if one.tree is not None:
            lines += _tree(one, form)
            continue
        if (
            one.rule is not None
            or (one.label is None and one.tags is None)
            or form in ("conllu", "mrg")
        ):
            continue
        if form == "jsonl":
            lines.append(json.dumps(_record(one), ensure_ascii=False))
        elif form == "conll":
            lines += _columns(one)
        elif one.tags is not None:
            lines += _columns(one, "\t")
        elif one.label is not None:
            lines.append(f"{_cell(one.label)}\t{one.text.translate(ONE_LINE)}")
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _cell(label: Label) -> str:
    """Labels of a set stand with commas between them, so that they may have none in their names."""
    if isinstance(label, str):
        return label.translate(ONE_LINE)
    for one in label:
        if "," in one:
            raise DataError(
                f"TSV has commas between the labels of a text, and the label {one!r:.80} has one; "
                f"JSONL holds it"
            )
    return ",".join(label).translate(ONE_LINE)


def _record(one: Decision) -> dict[str, Any]:
    if one.tags is not None:
        return {"tokens": one.words, "tags": one.tags}
    return {"text": one.text, "label": one.label} | ({"note": one.note} if one.note else {})


def _columns(one: Decision, between: str = " ") -> list[str]:
    """A word and its tag to a line, and an empty line; of a text with a label, each word has it.

    Labels of a set stand with bars between them, and a hyphen is for no label.
    """
    words = one.words if one.words is not None else one.text.split()
    tags = one.tags if one.tags is not None else [_tag(one.label)] * len(words)
    rows = zip(words, tags, strict=True)
    cells = ((w.translate(ONE_LINE), t.translate(ONE_LINE).replace(" ", "_")) for w, t in rows)
    return [*(between.join(pair) for pair in cells), ""]


def _tag(label: Label | None) -> str:
    return "|".join(label) or "-" if isinstance(label, tuple) else str(label)


def _tree(one: Decision, form: str) -> list[str]:
    """What a person has decided of a sentence, and nothing else: other columns are not said."""
    words, tree = one.words or [], one.tree or {}
    if form == "jsonl":
        note = {"note": one.note} if one.note else {}
        return [json.dumps({"tokens": words} | tree | note, ensure_ascii=False)]
    if form == "conllu" and "heads" in tree:
        rows = zip(words, tree["heads"], tree["relations"], strict=True)
        lines = [
            "\t".join((str(k), word, *"____", str(head), name, "_", "_"))
            for k, (word, head, name) in enumerate(rows, 1)
        ]
        said = [f"# note = {one.note.translate(ONE_LINE)}"] if one.note else []
        return [f"# text = {one.text.translate(ONE_LINE)}", *said, *lines, ""]
    if form == "mrg" and "brackets" in tree:
        spans = [Constituent(*span) for span in tree["brackets"]]
        return [BracketTree(words, tree["tags"], spans, "").one_line()]
    return []
