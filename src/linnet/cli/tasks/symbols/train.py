"""``linnet train --task symbols``: a memory, a decision list or rules."""

from __future__ import annotations

import time
from typing import Any

import click

from linnet.cli.tasks.symbols.data import label_of, labels_of, read_table, rows_of
from linnet.cli.tasks.symbols.options import classifier
from linnet.cli.training import polite, save, tell_trained, undisturbed


def run(data: list[Any], output: str, given: dict[str, Any]) -> None:
    """Read, train, save, tell."""
    if len(data) != 1:
        raise click.UsageError(f"rows of symbols are one file, and DATA are {len(data)}")
    started = time.perf_counter()
    with polite():
        model = classifier(given)
        table = read_table(data[0], given)
        label = label_of(table, given["label"])
        labels, columns = labels_of(table, label), table.without(label)
        dev = read_table(given["dev"], given) if given["dev"] else None
        model.fit(columns, labels)
        model.record_.data["label"] = label
        with undisturbed():
            save(model, output)
    if given["quiet"]:
        return
    what = f"{len(table):,} rows of {len(columns)} columns, {len(model.classes_):,} labels"
    kept = f"{len(model.model_):,} {'instances' if model.record_.structure == 'instances' else 'rules'}"
    tell_trained(f"{what}, {kept}", output, time.perf_counter() - started, ())
    if dev is not None:
        right = model.score(rows_of(dev, model), labels_of(dev, label))
        click.echo(f"on {dev.source}: accuracy {right:.4f}", err=True)
