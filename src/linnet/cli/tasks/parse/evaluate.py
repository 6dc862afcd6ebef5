"""``linnet evaluate`` with a parser: attachment scores, by length and relation, and where it errs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click
import numpy as np

from linnet.cli.files import check_retagging, rival
from linnet.cli.options import refuse_given
from linnet.cli.tasks.parse.data import check_words, read_gold, tell_unseen, tree_form
from linnet.cli.tasks.parse.options import set_longest
from linnet.cli.tasks.parse.predict import check_decoding
from linnet.data.sequences import is_blank
from linnet.data.surface import running_texts
from linnet.evaluation import (
    shared_task_report,
    shared_task_scores,
    shared_task_table,
    tree_scores,
)

Told = dict[str, Any]
OF_SAME_WORDS = ("worst", "resamples", "level", "no_punctuation", "subtypes")
COLUMNS = ("upos", "xpos", "feats", "lemma")  # that are compared beside trees


def judged(model: Any, path: str, data: str, given: dict[str, Any]) -> Told:
    """Everything there is to say, as plain data."""
    if given["from_text"]:
        return _from_text(model, path, data, given)
    check_retagging(model, given)
    gold = read_gold(data, given, "many")
    if model.taggers_ and not given["retag"]:
        click.echo(f"note: the tags are those of {data}; --retag predicts them", err=True)
    tell_unseen(model, gold)
    check_decoding(model, given)
    set_longest(model, given)
    found, parsed = scored(model, gold, given)
    told: Told = {"model": path, "data": data}
    told |= found.report(given["resamples"], given["level"], given["seed"])
    told["projective"] = model.model_.projective
    _add_without_punctuation(told, gold, parsed, given)
    if model.model_.first_pass is not None:
        arcs = model.model_.candidates(parsed, threads=given["threads"])
        told["candidates"] = {
            "per_word": len(arcs) / max(1, gold.tokens),
            "recall": arcs.recall(gold.heads),
        }
    told["worst_sentences"] = worst(gold, parsed, found, given["worst"])
    if given["against"]:
        other = rival(path, given, model)
        set_longest(other, given)
        told["against"] = {"model": given["against"]} | versus(found, other, gold, given)
    return told


def _from_text(model: Any, path: str, data: str, given: dict[str, Any]) -> Told:
    """Everything predicted, beginning with the text of the gold trees; words are aligned."""
    refuse_given((*OF_SAME_WORDS, "retag", "against"), "--from-text aligns words that may differ")
    check_words(model, data)
    check_decoding(model, given)
    set_longest(model, given)
    gold = read_gold(data, given, "many")
    parsed = model.parse_trees(running_texts(gold.sequences), decode=given["decode"] or "best")
    return {"model": path, "data": data} | shared_task(gold, parsed)


def compared(gold_path: str, path: str, given: dict[str, Any]) -> Told:
    """Trees of one file against those of another, and tags where both have them."""
    from linnet.formats.trees import read_trees

    gold = read_gold(gold_path, given, "many")
    parsed = read_trees(path, tree_form(path, given), labelled=True, roots="many")
    told: Told = {"gold": gold_path, "data": path}
    if not _same_words(gold, parsed):
        refuse_given(OF_SAME_WORDS, "the two files have other words or sentences, which are aligned")
        return told | shared_task(gold, parsed)
    found = _scores(gold, parsed, given)
    told |= shared_task(gold, parsed)
    told |= found.report(given["resamples"], given["level"], given["seed"])
    _add_without_punctuation(told, gold, parsed, given)
    told["columns"] = {
        name: float(np.mean(_same(gold.columns[name], parsed.columns[name])))
        for name in COLUMNS
        if not any(is_blank(trees.columns[name]) for trees in (gold, parsed))
    }
    told["worst_sentences"] = worst(gold, parsed, found, given["worst"])
    return told


def shared_task(gold: Any, parsed: Any) -> Told:
    """The table of the CoNLL 2018 shared task, for which words and sentences may differ."""
    return {"shared_task": shared_task_report(shared_task_scores(gold, parsed))}


def _same_words(gold: Any, parsed: Any) -> bool:
    """Are they the same sentences of the same words?"""
    if not np.array_equal(gold.offsets, parsed.offsets):
        return False
    return bool(_same(gold.columns["form"], parsed.columns["form"]).all())


def _same(first: Any, second: Any) -> np.ndarray:
    """Token by token."""
    codes, names = first.codes()
    others, known = second.codes()
    place = {name: k for k, name in enumerate(names)}
    return np.array([place.get(name, -1) for name in known])[others] == codes  # type: ignore[no-any-return]


def _add_without_punctuation(told: Told, gold: Any, parsed: Any, given: dict[str, Any]) -> None:
    if "upos" in gold.columns:
        bare = tree_scores(
            gold, parsed.heads, parsed.relations, punctuation=False, subtypes=given["subtypes"]
        )
        told["without_punctuation"] = {"uas": bare.uas, "las": bare.las}


def _scores(gold: Any, parsed: Any, given: dict[str, Any]) -> Any:
    return tree_scores(
        gold,
        parsed.heads,
        parsed.relations,
        punctuation=not given["no_punctuation"],
        subtypes=given["subtypes"],
    )


def scored(model: Any, gold: Any, given: dict[str, Any]) -> Any:
    """What a model gets, and its trees."""
    retag = given["retag"] and bool(model.taggers_)
    parsed = model.parse_trees(gold, retag=retag, decode=given["decode"] or "best")
    return _scores(gold, parsed, given), parsed


def versus(first: Any, other: Any, gold: Any, given: dict[str, Any]) -> Told:
    """A second parser on the same sentences."""
    check_decoding(other, given)
    second, _ = scored(other, gold, given)
    how = {name: given[name] for name in ("resamples", "level", "seed")}
    return {"differences": [asdict(first.versus(second, name, **how)) for name in ("uas", "las")]}


def worst(gold: Any, parsed: Any, found: Any, n: int) -> list[Told]:
    """The sentences with most wrong heads and relations."""
    wrong = np.add.reduceat(
        np.append(found.counted_relations & ~found.right_both, 0), gold.offsets[:-1]
    ) * (gold.lengths > 0)
    told = []
    for i in np.argsort(-wrong, kind="stable")[:n].tolist():
        if not wrong[i]:
            break
        right, guess = gold.take([i]), parsed.take([i])
        told.append(
            {
                "line": int(right.sequences.lines[0]) if len(right.sequences.lines) else i + 1,
                "wrong": int(wrong[i]),
                "words": right.column("form")[0],
                "gold": {"heads": right.head_lists()[0], "relations": right.relation_lists()[0]},
                "guess": {"heads": guess.head_lists()[0], "relations": guess.relation_lists()[0]},
            }
        )
    return told


def show(told: Told, given: dict[str, Any]) -> None:  # noqa: ARG001
    """Tables for the eye."""
    from linnet.cli.tables import console
    from linnet.cli.tasks.classify.report import heading, show_differences
    from linnet.evaluation.tree_table import tree_table
    from linnet.explain.shown import Text

    out = console()
    if "uas" not in told:  # words differ, and are aligned
        out.print(Text(shared_task_table(told["shared_task"])), soft_wrap=True)
        return
    out.print(Text(tree_table(told)), soft_wrap=True)
    if "shared_task" in told:
        heading(out, "As the shared task counts")
        out.print(Text(shared_task_table(told["shared_task"])), soft_wrap=True)
    if "without_punctuation" in told:
        bare = told["without_punctuation"]
        said = f"without punctuation: UAS {100 * bare['uas']:.2f}, LAS {100 * bare['las']:.2f}"
        out.print(f"\n{said}", highlight=False)
    if "candidates" in told:
        left = told["candidates"]
        recall = f"{100 * left['recall']:.2f} % of the right ones"
        out.print(
            f"candidates: {left['per_word']:.1f} heads a word, among them {recall}", highlight=False
        )
    for name, share in told.get("columns", {}).items():
        out.print(f"{name}: {100 * share:.2f} % as in {told['gold']}", highlight=False)
    if told["worst_sentences"]:
        heading(out, "Sentences with most errors")
    for found in told["worst_sentences"]:
        out.print(Text(f"line {found['line']}: {found['wrong']} wrong", style="red"))
        out.print(_mistakes(found), soft_wrap=True)
    if "against" in told:
        heading(out, f"Against {told['against']['model']}")
        show_differences(out, told["against"]["differences"])


def _mistakes(found: Told) -> Any:
    """The words, and after those that are wrong what is right and what was said."""
    from linnet.explain.shown import Text

    def arc(tree: Told, m: int) -> str:
        head = tree["heads"][m]
        return f"{tree['relations'][m]} of {'the root' if head == 0 else found['words'][head - 1]}"

    line = Text("  ")
    for m, word in enumerate(found["words"]):
        line.append(f"{word} ")
        right, guess = arc(found["gold"], m), arc(found["guess"], m)
        if right != guess or found["gold"]["heads"][m] != found["guess"]["heads"][m]:
            line.append(f"[{right}, taken for {guess}] ", style="yellow")
    return line
