"""``linnet evaluate`` of trees of phrases: a model, or one file against another, as evalb counts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click
import numpy as np

from linnet.cli.files import opened, rival, tell_notes
from linnet.cli.tasks.parse.options import set_longest
from linnet.cli.tasks.parse.predict import check_decoding
from linnet.cli.tasks.trees.data import noted
from linnet.data.bracket_cleaning import TRACE, kept_words
from linnet.errors import DataError
from linnet.evaluation import bracket_scores
from linnet.evaluation.brackets import COLLINS

Told = dict[str, Any]
COMPARED = ("f1", "precision", "recall", "exact", "tagging_accuracy")


def read(path: str, given: dict[str, Any]) -> Any:
    """Trees, and what was passed over."""
    from linnet.formats import read_brackets

    trees = read_brackets(opened(path), given["format_"])
    tell_notes(trees)
    return trees


def judged(model: Any, path: str, data: str, given: dict[str, Any]) -> Told:
    """Everything there is to say of a model, as plain data; ``--against`` names a second one."""
    set_longest(model, given)
    check_decoding(model, given)
    gold = read(data, given)
    _tell_unseen(model, gold)
    guess = _parsed(model, gold, given)
    found = _scores(gold, guess, path)
    how = {name: given[name] for name in ("resamples", "level", "seed")}
    told: Told = {"model": path, "data": data} | found.report(**how)
    told["worst_sentences"] = worst(gold, guess, found, given["worst"])
    if given["against"]:
        other = rival(path, given, model)
        set_longest(other, given)
        check_decoding(other, given)
        second = _scores(gold, _parsed(other, gold, given), given["against"])
        told["against"] = _versus(found, second, given)
    return told


def _parsed(model: Any, gold: Any, given: dict[str, Any]) -> Any:
    """With tags of its own, if it has a tagger and they are not to be given; traces are not seen."""
    retag = model.tags_words and not given["given_tags"]
    with noted():
        return model.parse_trees(gold.cleaned(), retag=retag, decode=given["decode"] or "auto")


def _tell_unseen(model: Any, gold: Any) -> None:
    known = set(model.classes_.tolist())
    unseen = [name for name in gold.cleaned().labels.names if name not in known]
    if unseen:
        names = ", ".join(unseen[:5]) + (", …" if len(unseen) > 5 else "")
        source = gold.sequences.source
        click.echo(f"note: {source} has labels never seen in training: {names}", err=True)


def _versus(found: Any, other: Any, given: dict[str, Any]) -> Told:
    how = {name: given[name] for name in ("resamples", "level", "seed")}
    return {
        "data": given["against"],
        "scored_in_both": int((found.scored & other.scored).sum()),
        "differences": [asdict(found.versus(other, name, **how)) for name in COMPARED],
    }


def compared(gold_path: str, path: str, given: dict[str, Any]) -> Told:
    """Everything there is to say, as plain data; ``--against`` names a second prediction."""
    gold, guess = read(gold_path, given), read(path, given)
    found = _scores(gold, guess, path)
    how = {name: given[name] for name in ("resamples", "level", "seed")}
    told: Told = {"gold_file": gold_path, "data": path} | found.report(**how)
    told["worst_sentences"] = worst(gold, guess, found, given["worst"])
    if given["against"]:
        other = _scores(gold, read(given["against"], given), given["against"])
        told["against"] = _versus(found, other, given)
    return told


def _scores(gold: Any, guess: Any, path: str) -> Any:
    try:
        found = bracket_scores(gold, guess)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None
    if not found.scored.any():
        raise DataError(f"{path}: no sentence has the words of {gold.sequences.source}")
    return found


def worst(gold: Any, guess: Any, found: Any, n: int) -> list[Told]:
    """The sentences with most brackets that are wrong or missing."""
    wrong = found.gold + found.guessed - 2 * found.matched
    ours, theirs = (kept_words(trees, ~trees.tagged_as(*COLLINS.deleted)) for trees in (gold, guess))
    told = []
    for i in np.argsort(-wrong, kind="stable")[:n].tolist():
        if not wrong[i]:
            break
        right, said = _left(ours[i]), _left(theirs[i])
        told.append(
            {
                "line": int(gold.take([i]).sequences.lines[0]),
                "wrong": int(wrong[i]),
                "words": [
                    w for w, tag in zip(gold[i].words, gold[i].tags, strict=True) if tag != TRACE
                ],
                "missing": _without(right, said),
                "extra": _without(said, right),
            }
        )
    return told


def _left(tree: Any) -> list[tuple[str, str]]:
    """Brackets as label and words."""
    return [
        (name, " ".join(tree.words[begin:end]))
        for begin, end, label in tree.spans()
        if (name := COLLINS.label(label)) is not None
    ]


def _without(some: list[Any], others: list[Any]) -> list[str]:
    left = list(others)
    out = []
    for item in some:
        if item in left:
            left.remove(item)
        else:
            out.append(f"{item[0]}: {item[1]}")
    return out


def show(told: Told, given: dict[str, Any]) -> None:  # noqa: ARG001
    """Tables for the eye."""
    from linnet.cli.tables import console
    from linnet.cli.tasks.classify.report import heading, show_differences
    from linnet.evaluation import bracket_table
    from linnet.explain.shown import Text

    out = console()
    out.print(Text(bracket_table(told)), soft_wrap=True)
    if told["worst_sentences"]:
        heading(out, "Sentences with most errors")
    for found in told["worst_sentences"]:
        out.print(Text(f"line {found['line']}: {found['wrong']} wrong", style="red"))
        out.print(Text("  " + " ".join(found["words"])), soft_wrap=True)
        for kind in ("missing", "extra"):
            for bracket in found[kind]:
                out.print(Text(f"  {kind} {bracket}", style="yellow"), soft_wrap=True)
    if "against" in told:
        heading(out, f"Against {told['against']['data']}")
        show_differences(out, told["against"]["differences"])
        if told["against"]["scored_in_both"] < told["sentences"]:
            out.print(f"of the {told['against']['scored_in_both']:,} sentences that are scored in both")
