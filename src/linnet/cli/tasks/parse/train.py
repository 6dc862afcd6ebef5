"""``linnet train --task parse``: a parser."""

from __future__ import annotations

import time
from typing import Any

import click

from linnet.cli.files import only
from linnet.cli.tasks.parse.data import read_gold, tell_unseen
from linnet.cli.tasks.parse.options import parser
from linnet.cli.training import polite, save, tell_trained, undisturbed


def run(files: list[Any], output: str, given: dict[str, Any]) -> None:
    """Read, train, save, tell."""
    data = only(files)
    started = time.perf_counter()
    with polite():
        model = parser(given)
        trees = read_gold(data, given, model.roots)
        dev = read_gold(given["dev"], given, "many") if given["dev"] else None
        model.fit(trees)
        with undisturbed():
            save(model, output)
    if given["quiet"]:
        return
    what = f"{len(trees):,} sentences, {trees.tokens:,} words, {len(model.classes_)} relations"
    tell_trained(what, output, time.perf_counter() - started, model.why_)
    if dev is not None:
        _tell_score(model, dev)


def _tell_score(model: Any, dev: Any) -> None:
    """With tags as the parser will have to do with: its own, if it has taggers."""
    from linnet.evaluation import tree_scores

    tell_unseen(model, dev)
    parsed = model.parse_trees(dev, retag=bool(model.taggers_))
    found = tree_scores(dev, parsed.heads, parsed.relations)
    said = f"on {dev.sequences.source}: UAS {100 * found.uas:.2f} %, LAS {100 * found.las:.2f} %"
    if model.model_.first_pass is not None:
        recall = model.model_.candidates(parsed).recall(dev.heads)
        said += f"; {100 * recall:.2f} % of the heads are among the candidates"
    click.echo(said, err=True)
