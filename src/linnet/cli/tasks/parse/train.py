"""``linnet train --task parse``: a parser."""

from __future__ import annotations

import time
from typing import Any

import click

from linnet.cli.files import is_pipe, reads_far, tell_all
from linnet.cli.tasks.parse.data import read_gold, tell_unseen, tree_form
from linnet.cli.tasks.parse.options import parser
from linnet.cli.training import polite, save, tell_trained, undisturbed
from linnet.data.joined_sentences import join_trees


def run(files: list[Any], output: str, given: dict[str, Any]) -> None:
    """Read, train, save, tell."""
    started = time.perf_counter()
    with polite():
        model = parser(given)
        dev = read_gold(given["dev"], given, "many") if given["dev"] else None
        if given["memory"] or given["cache"] or reads_far():
            _fit_in_parts(model, files, given)
        else:
            model.fit(join_trees([read_gold(path, given, model.roots) for path in files]))
        with undisturbed():
            save(model, output)
    if given["quiet"]:
        return
    data = model.record_.data
    what = f"{data['sentences']:,} sentences, {data['tokens']:,} words, {data['relations']} relations"
    tell_trained(what, output, time.perf_counter() - started, model.why_)
    if dev is not None:
        _tell_score(model, dev)


def _fit_in_parts(model: Any, paths: list[Any], given: dict[str, Any]) -> None:
    """Of files that are larger than memory."""
    from linnet.estimators.sentence_files import FilesInParts, TreeFile

    options = {"roots": model.roots}
    files = [
        TreeFile(path if is_pipe(path) else str(path), tree_form(path, given), options)
        for path in paths
    ]
    found = FilesInParts(files)
    model.fit(found, memory=given["memory"], cache=given["cache"])
    tell_all(found.told, given)


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
