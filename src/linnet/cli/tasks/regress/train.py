"""``linnet train --task regress``: a regressor of texts, or of rows."""

from __future__ import annotations

import time
from typing import Any

import click

from linnet.cli.options import refuse_given
from linnet.cli.tasks.classify.data import named_rows, numbered_as, remember
from linnet.cli.tasks.classify.options import FEATURES
from linnet.cli.tasks.regress.data import read, read_all, targets_of
from linnet.cli.tasks.regress.options import regressor, row_regressor
from linnet.cli.training import polite, save, tell_trained, undisturbed

WHOLE = ("memory", "cache", "engine", "shards")


def run(data: list[Any], output: str, given: dict[str, Any]) -> None:
    """Read, train, save, tell."""
    if not data:
        raise click.UsageError("Missing argument 'DATA': texts and their numbers")
    refuse_given(WHOLE, "regressors learn from data that are in memory")
    started = time.perf_counter()
    with polite():
        examples = read_all(data, given)
        dev = numbered_as(examples, read(given["dev"], given)) if given["dev"] else None
        model = trained(examples, given)
        remember(model, examples, data[0], given)
        with undisturbed():
            save(model, output)
    if given["quiet"]:
        return
    what = f"{len(examples.labels):,} examples, {model.model_.features:,} features"
    tell_trained(what, output, time.perf_counter() - started, model.why_)
    if dev is not None:
        _tell_score(model, dev)


def trained(examples: Any, given: dict[str, Any]) -> Any:
    """On texts, or on rows of numbers."""
    if examples.texts is not None:
        return regressor(given).fit(examples)
    refuse_given(FEATURES, f"for texts; {examples.source} holds numbers")
    model = row_regressor(given)
    rows = examples.matrix if examples.feature_names is None else named_rows(examples)
    model.fit(rows, targets_of(examples), sample_weight=examples.weights)
    zero = bool(given["zero_based"]) or examples.zero_based
    model.record_.data = {"rows": len(examples.labels), "zero_based": zero}
    return model


def _tell_score(model: Any, dev: Any) -> None:
    from linnet.cli.tasks.classify.data import inputs
    from linnet.evaluation import NumberTally, score

    tally = NumberTally(targets_of(dev), model.predict(inputs(model, dev)))
    told = f"R² {score(tally, 'r2'):.4f}, RMSE {score(tally, 'rmse'):.6g}"
    click.echo(f"on {dev.source}: {told}", err=True)
