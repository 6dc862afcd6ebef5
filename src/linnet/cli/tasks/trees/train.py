"""``linnet train --task trees``: a parser of phrases."""

from __future__ import annotations

import time
from typing import Any

import click

from linnet.cli.tasks.trees.data import join_brackets, read_gold
from linnet.cli.tasks.trees.options import parser
from linnet.cli.training import polite, save, tell_trained, undisturbed


def run(files: list[Any], output: str, given: dict[str, Any]) -> None:
    """Read, train, save, tell."""
    for name in ("memory", "cache"):
        if given[name]:
            raise click.UsageError(f"--{name}: trees of phrases are learnt from in memory")
    started = time.perf_counter()
    with polite():
        model = parser(given)
        dev = read_gold(given["dev"], given) if given["dev"] else None
        model.fit(join_brackets([read_gold(path, given) for path in files]))
        with undisturbed():
            save(model, output)
    if given["quiet"]:
        return
    data = model.record_.data
    last = f"{data['labels']} labels" if "labels" in data else f"{data['rules']:,} rules"
    what = f"{data['sentences']:,} sentences, {data['words']:,} words, {last}"
    tell_trained(what, output, time.perf_counter() - started, model.why_)
    if dev is not None:
        f1 = 100 * model.score(dev)
        click.echo(f"on {dev.sequences.source}: labelled F1 {f1:.2f} %", err=True)
