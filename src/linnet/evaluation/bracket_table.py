"""The scores of trees of phrases as a table to print."""

from __future__ import annotations

from typing import Any

SHARES = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "unlabelled_precision": "precision, unlabelled",
    "unlabelled_recall": "recall, unlabelled",
    "unlabelled_f1": "F1, unlabelled",
    "exact": "whole trees",
    "no_crossing": "no crossing",
    "two_or_fewer_crossing": "2 or fewer crossing",
    "tagging_accuracy": "tags",
}
FOUND = ("precision", "recall", "f1")


def bracket_table(told: dict[str, Any]) -> str:
    """A report of `BracketScores` in per cent: of all sentences and of short ones, and by label."""
    short = told["short"]
    lines = [f"{told['scored']:,} sentences, {told['words']:,} words, {told['gold']:,} brackets"]
    if told["not_scored"]:
        reasons = ", ".join(f"{count:,} with {why}" for why, count in told["not_scored"].items())
        lines.append(f"not scored: {reasons}")
    heads = "all", f"≤ {short['longest']} words"
    lines.append(f"{'':<24}{heads[0]:>9}{heads[1]:>13}")
    for name, title in SHARES.items():
        around = told.get("intervals", {}).get(name)
        span = f"  ({100 * around['low']:.2f}–{100 * around['high']:.2f} of all)" if around else ""
        lines.append(f"{title:<24}{100 * told[name]:9.2f}{100 * short[name]:13.2f}{span}")
    crossing = told["average_crossing"], short["average_crossing"]
    lines.append(f"{'crossing per sentence':<24}{crossing[0]:9.2f}{crossing[1]:13.2f}")
    counts = told["scored"], short["scored"]
    lines.append(f"{'sentences':<24}{counts[0]:9,}{counts[1]:13,}")
    rows = sorted(told["by_label"], key=lambda row: -row["gold"])
    head = ("gold", "guessed", *FOUND)
    lines += ["", f"{'label':<18}" + "".join(f"{name:>11}" for name in head)]
    lines += [
        f"{row['label']:<18}{row['gold']:>11}{row['guessed']:>11}"
        + "".join(f"{100 * row[name]:11.2f}" for name in FOUND)
        for row in rows
    ]
    return "\n".join(lines)
