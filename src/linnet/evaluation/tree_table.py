"""The scores of a parser as a table to print."""

from __future__ import annotations

from typing import Any

TITLES = {
    "uas": "UAS",
    "las": "LAS",
    "relation_accuracy": "relations",
    "root_accuracy": "roots",
    "exact": "whole trees",
    "exact_labelled": "whole trees, relations",
}
FOUND = ("precision", "recall", "f1")


def tree_table(told: dict[str, Any]) -> str:
    """A report of `TreeScores` in per cent: overall, by length, by relation (frequent ones first)."""
    lines = [f"{told['sentences']:,} sentences, {told['words']:,} words"]
    for name, title in TITLES.items():
        if name in told:
            around = told["intervals"].get(name)
            span = f"  ({100 * around['low']:.2f}–{100 * around['high']:.2f})" if around else ""
            lines.append(f"{title:<24}{100 * told[name]:7.2f}{span}")
    attached = ("uas", "las") if "las" in told else ("uas",)
    lines += ["", *_rows("sentence length", "length", told["by_sentence_length"], attached)]
    lengths, crossing = told["by_arc_length"], told["nonprojective"]
    if crossing["guessed"]:
        lengths = [*lengths, {"length": "non-projective"} | crossing]
    lines += ["", *_rows("arc length", "length", lengths, FOUND)]
    if crossing["gold"] and not crossing["guessed"]:
        lines.append(_none_guessed(crossing, told.get("projective", False)))
    if "by_relation" in told:
        often = sorted(told["by_relation"], key=lambda row: -row["gold"])
        lines += ["", *_rows("relation", "relation", often, FOUND)]
    return "\n".join(lines)


def _none_guessed(crossing: dict[str, Any], projective: bool) -> str:
    """Of arcs that cross others in the data only."""
    why = ", since the parser is projective" if projective else ""
    return (
        f"non-projective arcs: {crossing['gold']:,} in the data, none guessed{why}; "
        f"{100 * crossing['recall']:.2f} % of these words have the right head all the same"
    )


def _rows(title: str, key: str, rows: list[dict[str, Any]], shares: tuple[str, ...]) -> list[str]:
    counts = [name for name in rows[0] if name != key and name not in shares]
    head = f"{title:<18}" + "".join(f"{name:>11}" for name in (*counts, *shares))
    return [head] + [
        f"{row[key]:<18}"
        + "".join(f"{row[name]:>11}" for name in counts)
        + "".join(f"{100 * row[name]:11.2f}" for name in shares)
        for row in rows
    ]
