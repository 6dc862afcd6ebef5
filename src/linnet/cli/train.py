"""``linnet train``: a file of labelled texts becomes a model."""

from __future__ import annotations

import signal
import time
from typing import Any

import click

from linnet.cli._options import (
    classifier,
    data_options,
    feature_options,
    learning_options,
    threads_option,
)

TASKS = ("classify", "tag", "parse", "trees")


@click.command("train")
@click.argument("data", metavar="DATA")
@click.option("-o", "--output", metavar="MODEL", required=True, help="the model file to write")
@click.option("--task", type=click.Choice(TASKS), help="detected from DATA where it is not given")
@click.option("--dev", metavar="DATA", help="held-out data: scored, and watched by online learners")
@click.option("--from", "start", metavar="MODEL", help="go on from this model, by an online learner")
@click.option("--lexicon", metavar="TSV", help="label, n-gram, weight: weights to start from")
@click.option(
    "--calibration",
    type=click.Choice(["auto", "none", "softmax", "sigmoid", "isotonic"]),
    default="auto",
    help="how margins become probabilities",
)
@click.option("-q", "--quiet", is_flag=True, help="say nothing but errors")
@data_options
@feature_options
@learning_options
@threads_option
def command(data: str, output: str, quiet: bool, **given: Any) -> None:
    """Train a model on DATA (TSV, CSV, JSONL, Parquet, fastText, VW or svmlight; gzip too).

    What is not said is chosen from the data, and told. Ctrl-C stops training and saves what there is.
    """
    from linnet.cli._data import check_output, check_task, read

    check_task(given["task"], data)
    check_output(output)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a polite end is an interrupt
    started = time.perf_counter()
    examples = read(data, given)
    dev = read(given["dev"], given) if given["dev"] else None
    model = _train_rows(examples, given) if examples.texts is None else _train(examples, dev, given)
    model.save(output)
    if not quiet:
        _report(model, examples, dev, output, time.perf_counter() - started)


def _train(examples: Any, dev: Any, given: dict[str, Any]) -> Any:
    import linnet

    if given["start"]:
        model = linnet.load(given["start"])
        return model.partial_fit(examples, sample_weight=examples.weights)
    model = classifier(given)
    model.calibration = None if given["calibration"] == "none" else given["calibration"]
    if given["lexicon"]:
        from linnet.cli._data import read_lexicon

        model.lexicon = read_lexicon(given["lexicon"])
    watched = dev if model.watches_dev() else None
    return model.fit(examples, sample_weight=examples.weights, dev=watched)


def _train_rows(examples: Any, given: dict[str, Any]) -> Any:
    """Features that are numbers already (svmlight)."""
    from linnet.cli._data import numbered_classifier

    model = numbered_classifier(given)
    labels = examples.labels.values()
    return model.fit(examples.matrix, labels, sample_weight=examples.weights)


def _report(model: Any, examples: Any, dev: Any, output: str, seconds: float) -> None:
    """Two lines for the eye, on stderr: stdout is for results."""
    import os

    n = len(examples.labels)
    labels = len(model.classes_)
    click.echo(
        f"{n:,} examples, {labels} labels, {model.model_.features:,} features; "
        f"{os.path.getsize(output) / 1e6:.1f} MB in {output}, {seconds:.2f} s",
        err=True,
    )
    for line in (getattr(model, "choice_", None) and model.choice_.why) or ():
        click.echo(f"  {line}", err=True)
    if dev is not None:
        X = dev if dev.texts is not None else dev.matrix
        y = None if dev.texts is not None else dev.labels.values()
        click.echo(f"accuracy on the dev data: {100 * model.score(X, y):.2f} %", err=True)
