"""``linnet evaluate``: how good a model is on labelled data, how sure that is, and where it errs."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.options import (
    CLASSIFY,
    Grouped,
    column_options,
    data_argument,
    data_options,
    json_option,
    model_argument,
    option,
    refuse_given,
    seed_option,
    threads_option,
)
from linnet.cli.output import to_json
from linnet.cli.paths import Reads
from linnet.cli.reports import report_options, write_reports
from linnet.cli.tasks.classify.options import hook_options
from linnet.cli.tasks.parse.options import tree_options

OF_MODELS = (
    "train", "curve", "metrics", "threshold", "threshold_of", "numeric", "categorical",
    "retag", "from_text", "given_tags", "decode", "max_words",
)  # fmt: skip


@click.command("evaluate", cls=Grouped)
@model_argument
@data_argument
@json_option
@option(
    "--against",
    type=Reads(),
    metavar="MODEL2",
    help="a second model (of trees of phrases: a file): is it better, or is it luck?",
)
@option(
    "--train",
    "train",
    type=Reads(),
    metavar="DATA",
    tasks=CLASSIFY,
    help="training data: report texts that are in both",
)
@option(
    "--positive",
    metavar="LABEL",
    tasks=CLASSIFY,
    help="of two labels, the one to speak of; the second",
)
@option(
    "--curve",
    metavar="LABEL",
    tasks=CLASSIFY,
    help="draw the precision-recall curve of this label",
)
@option(
    "--worst",
    type=click.IntRange(min=0),
    metavar="N",
    default=5,
    show_default=True,
    help="errors shown, with what led to them",
)
@option(
    "--metric",
    "metrics",
    metavar="NAME",
    multiple=True,
    tasks=CLASSIFY,
    help="to compare two models by; accuracy, macro_f1",
)
@option(
    "--threshold",
    type=click.FloatRange(0, 1),
    metavar="P",
    tasks=CLASSIFY,
    help="'unsure' below this probability",
)
@option(
    "--threshold-of",
    nargs=2,
    type=(str, click.FloatRange(0, 1)),
    multiple=True,
    metavar="LABEL P",
    tasks=CLASSIFY,
    help="the same for one label",
)
@option(
    "--resamples",
    type=click.IntRange(min=1),
    metavar="N",
    default=2000,
    show_default=True,
    help="of the bootstrap, for the intervals",
)
@option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="P",
    default=0.95,
    show_default=True,
    help="of the intervals",
)
@report_options
@seed_option
@data_options
@column_options
@tree_options
@hook_options
@threads_option
def command(model: str, data: str, as_json: bool, **given: Any) -> None:
    """Score a model on labelled data, or one file against another.

    How good MODEL is on DATA, how sure that is, and where it errs.
    Labels of DATA that MODEL was not trained on count as errors and are listed.

    In place of MODEL there may be a file of data that is right, and DATA is compared with it: trees,
    tags, or labels, such as `linnet parse`, `tag` and `predict` write; trees of phrases in brackets.

    A tagger is scored by tokens, by whole sentences and, where tags are spans, by precision, recall and
    F1 of each type, as conlleval counts them. A parser is scored by heads (UAS) and heads with
    relations (LAS), by length, by relation, and on arcs that cross; with --from-text, and where two
    files have other words, by the table of the CoNLL 2018 shared task. A parser of phrases is scored by
    labelled brackets, as evalb counts them, with tags of its own.
    """
    from linnet.cli.files import load
    from linnet.cli.tasks import task_of_answers, task_of_model
    from linnet.persistence import is_model

    if is_model(model):
        loaded = load(model, given["threads"], given)
        task = task_of_model(loaded)
        task.check_model(model)
        own = task.does("evaluate")
        told = own.judged(loaded, model, data, given)
    else:
        refuse_given(OF_MODELS, "two files are compared, without a model")
        task = task_of_answers(model, given)
        if task.name != "trees":
            refuse_given(("against",), "two files are compared, without a model")
        task.check_data(model)
        own = task.does("evaluate")
        told = own.compared(model, data, given)
    write_reports(f"linnet evaluate {model} {data}", told, given)
    if as_json:
        click.echo(to_json(told))
    else:
        own.show(told, given)
