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
        known = None if dev is None else targets_of(dev)  # a mistake there is told before training
        model = trained(examples, given)
        remember(model, examples, data[0], given)
        with undisturbed():
            save(model, output)
    if given["quiet"]:
        return
    size = (
        f"{len(model.model_):,} support vectors"
        if given["kernel"]
        else f"{model.model_.features:,} features"
    )
    what = f"{len(examples.labels):,} examples, {size}"
    tell_trained(what, output, time.perf_counter() - started, model.why_)
    if dev is not None:
        _tell_score(model, dev, known)


def trained(examples: Any, given: dict[str, Any]) -> Any:
    """On texts, or on rows of numbers."""
    if given["kernel"]:
        return _with_kernel(examples, given)
    if examples.texts is not None:
        return regressor(given).fit(examples)
    refuse_given(FEATURES, f"for texts; {examples.source} holds numbers")
    model = row_regressor(given)
    rows = examples.matrix if examples.feature_names is None else named_rows(examples)
    model.fit(rows, targets_of(examples), sample_weight=examples.weights)
    _remember_rows(model, examples, given)
    return model


def _with_kernel(examples: Any, given: dict[str, Any]) -> Any:
    from linnet.cli.tasks.classify.kernels import number_machine, read_by

    model = number_machine(given)
    rows = read_by(model, examples, given)
    model.fit(rows, targets_of(examples), sample_weight=examples.weights)
    if examples.texts is None:
        _remember_rows(model, examples, given)
    return model


def _remember_rows(model: Any, examples: Any, given: dict[str, Any]) -> None:
    zero = bool(given["zero_based"]) or examples.zero_based
    model.record_.data = {"rows": len(examples.labels), "zero_based": zero}


def _tell_score(model: Any, dev: Any, known: Any) -> None:
    from linnet.cli.tasks.classify.data import inputs
    from linnet.evaluation import NumberTally, score

    tally = NumberTally(known, model.predict(inputs(model, dev)))
    told = f"R² {score(tally, 'r2'):.4f}, RMSE {score(tally, 'rmse'):.6g}"
    click.echo(f"on {dev.source}: {told}", err=True)
