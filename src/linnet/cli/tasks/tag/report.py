"""The report on a tagger as tables."""

from __future__ import annotations

from typing import Any

from linnet.cli.tables import console, table
from linnet.cli.tasks.classify.report import heading, show_confusion, show_differences
from linnet.explain.shown import Text

MOST_WORDS = 60  # of a sentence that is shown


def show_report(told: dict[str, Any]) -> None:
    """Print it."""
    out = console()
    out.print(
        f"{told['sentences']:,} sentences, {told['tokens']:,} tokens, {len(told['tags'])} tags, "
        f"{told['errors']:,} errors"
    )
    for unseen in told["unseen_tags"]:
        said = f"never seen in training: {unseen['tag']} ({unseen['tokens']} tokens, all errors)"
        out.print(Text(said, style="yellow"))
    heading(out, "Scores")
    out.print(_scores(told))
    if "spans" in told:
        heading(out, "Spans")
        columns = ("precision", "recall", "f1", "gold", "guessed", "correct")
        there = [row for row in told["spans"]["per_type"] if row["gold"] or row["guessed"]]
        rows = [[row["type"], *(row[c] for c in columns)] for row in there]
        rows.append(["all", *(told["spans"][c] for c in columns)])
        out.print(table(["type", "precision", "recall", "F1", *columns[3:]], rows))
    heading(out, "Tags")
    shown = ("tag", "precision", "recall", "f1", "gold", "guessed")
    rows = [[row[c] for c in shown] for row in told["per_tag"]]
    out.print(table(["tag", "precision", "recall", "F1", "gold", "guessed"], rows))
    if told["errors"]:
        show_confusion(out, told["confusion"], "tag")
    _worst(out, told["worst_sentences"])
    if "against" in told:
        heading(out, f"Against {told['against']['model']}")
        show_differences(out, told["against"]["differences"])


def _scores(told: dict[str, Any]) -> Any:
    named = {
        "token accuracy": told["token_accuracy"],
        "whole sentences right": told["sentence_accuracy"],
    }
    if "spans" in told:
        named["F1 of spans"] = told["spans"]["f1_interval"]
    level = told["token_accuracy"]["level"]
    rows = [(name, i["value"], f"{i['low']:.4f} – {i['high']:.4f}") for name, i in named.items()]
    return table(["", "", f"{100 * level:g} % interval"], rows)


def _worst(out: Any, sentences: list[dict[str, Any]]) -> None:
    if sentences:
        heading(out, "Sentences with most errors")
    for found in sentences:
        out.print(Text(f"line {found['line']}: {found['wrong']} wrong", style="red"))
        line = Text("  ")
        parts = zip(found["words"], found["gold"], found["guess"], strict=True)
        for word, gold, guess in list(parts)[:MOST_WORDS]:
            line.append(f"{word} ")
            if gold is not None and gold != guess:
                line.append(f"[{gold}, taken for {guess}] ", style="yellow")
        out.print(line, soft_wrap=True)
