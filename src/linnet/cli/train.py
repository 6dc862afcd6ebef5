"""``linnet train``: a file of labelled texts, tagged sentences or trees becomes a model."""

from __future__ import annotations

import time
from typing import Any

import click

from linnet.cli._options import (
    Grouped,
    data_options,
    feature_options,
    learning_options,
    task_option,
    threads_option,
)
from linnet.cli._output import amount
from linnet.cli.parsing.options import parsing_options, refuse_parsing_options
from linnet.cli.tagging.options import refuse_tagging_options, tagging_options


@click.command("train", cls=Grouped)
@click.argument("data", metavar="DATA")
@click.option("-o", "--output", metavar="MODEL", required=True, help="the model file to write")
@task_option
@click.option("--dev", metavar="DATA", help="held-out data: scored, and watched by online learners")
@click.option("--from", "start", metavar="MODEL", help="go on from this model; words may be new")
@click.option("-q", "--quiet", is_flag=True, help="say nothing but errors")
@data_options
@feature_options
@tagging_options
@parsing_options
@learning_options
@click.option("--lexicon", metavar="TSV", help="label, n-gram, weight: weights to start from")
@click.option(
    "--calibration",
    type=click.Choice(["auto", "none", "softmax", "sigmoid", "isotonic"]),
    default="auto",
    help="how margins become probabilities",
)
@threads_option
def command(data: str, output: str, **given: Any) -> None:
    """Train a model on labelled texts, tagged sentences or trees.

    DATA is TSV, CSV, JSONL, Parquet, fastText, VW or svmlight, perhaps gzipped; - is standard input.
    Sentences are columns (CoNLL), CoNLL-U, CRFsuite's format, or JSONL of tokens or spans; they give a
    tagger. CoNLL-U gives a parser with --task parse, and CoNLL-X always does. What is not said is
    chosen from the data, and told.

    Ctrl-C (or SIGTERM) ends training early: the model learnt so far is saved, and the exit code is 0.
    Before there is one, nothing is saved, and it is 130 (143).
    """
    from linnet.cli._data import check_output, read, task_of
    from linnet.cli._training import counts_from_zero, polite, train, undisturbed

    task = task_of(given["task"], data, given["format_"])
    read_as_well = ("dev", "lexicon", "features", "relations", "tagger")
    check_output(output, data, *(given[name] for name in read_as_well))
    if task == "parse":
        from linnet.cli.parsing.train import run as train_parser

        train_parser(data, output, given)
        return
    refuse_parsing_options(data)
    if task == "tag":
        from linnet.cli.tagging.train import run

        run(data, output, given)
        return
    refuse_tagging_options(data)
    started = time.perf_counter()
    with polite():
        examples = read(data, given)
        if examples.matrix is not None and counts_from_zero(examples, given):
            given["zero_based"] = True
        dev = read(given["dev"], given) if given["dev"] else None
        model = train(examples, dev, given)
        with undisturbed():
            model.save(output)
    if not given["quiet"]:
        _tell(model, examples, output, time.perf_counter() - started, given)
        if dev is not None:
            _tell_score(model, dev)


def _tell(model: Any, examples: Any, output: str, seconds: float, given: dict[str, Any]) -> None:
    """A few lines for the eye, on stderr: stdout is for results."""
    import os

    click.echo(
        f"{len(examples.labels):,} examples, {len(model.classes_):,} labels, "
        f"{model.model_.features:,} features; {amount(os.path.getsize(output))} in {output}, "
        f"{seconds:.2f} s",
        err=True,
    )
    if given["start"]:
        click.echo(f"  went on from {given['start']}, by an online learner", err=True)
        return
    choice = getattr(model, "choice_", None)
    for line in () if choice is None else choice.why:
        click.echo(f"  {line}", err=True)


def _tell_score(model: Any, dev: Any) -> None:
    from linnet.cli._data import inputs
    from linnet.cli._training import unseen_labels

    unseen = unseen_labels(dev, model.classes_.tolist())
    if unseen:
        names = ", ".join(list(unseen)[:5]) + (", …" if len(unseen) > 5 else "")
        click.echo(f"note: {dev.source} has labels never seen in training: {names}", err=True)
    gold = dev.labels if dev.texts is not None else dev.labels.values()
    accuracy = model.score(inputs(model, dev), gold)
    click.echo(f"accuracy on {dev.source}: {100 * accuracy:.2f} %", err=True)
