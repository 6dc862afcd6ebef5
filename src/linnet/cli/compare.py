"""``linnet compare``: the familiar learners on the user's own data, in one table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from linnet.cli.options import (
    CLASSIFY,
    TAG,
    Grouped,
    column_options,
    data_argument,
    data_options,
    json_option,
    option,
    roots_option,
    seed_option,
    task_option,
    threads_option,
)
from linnet.cli.output import amount, to_json
from linnet.cli.paths import Reads
from linnet.cli.reports import report_options, write_reports
from linnet.cli.tasks.classify.options import feature_options
from linnet.cli.tasks.tag.options import features_option


@click.command("compare", cls=Grouped)
@data_argument
@task_option
@option("--test", type=Reads(), metavar="DATA", help="score on these data; else on a part of DATA")
@option(
    "--held-out", type=float, metavar="P", default=0.2, show_default=True, help="share, without --test"
)
@option("--model", "models", multiple=True, metavar="NAME", help="only this one; may be repeated")
@option(
    "--all", "everyone", is_flag=True, help="the slow ones, too: rules, kernel machines, reductions"
)
@option(
    "--unlabeled",
    type=Reads(),
    metavar="FILE",
    multiple=True,
    tasks=(*CLASSIFY, *TAG),
    help="texts without labels, sentences without tags: EM, self-training and others who learn from "
    "them take part, too",
)
@option("--metric", metavar="NAME", help="to choose the parameter by; accuracy, f1, las")
@seed_option
@json_option
@report_options
@data_options
@feature_options()
@column_options
@features_option()
@roots_option
@threads_option
def command(data: str, as_json: bool, **given: Any) -> None:
    """Train the familiar learners on your data, in one table.

    Naive Bayes, averaged perceptron, Winnow, MIRA, AROW, AdaBoost, SVM, logistic regression and least
    squares, a decision list and the nearest texts learn from the same features, and with --all kernel
    machines, rules, the voted perceptron and reductions to two labels. The parameter of each is chosen
    on a fifth of the training data; then it is trained on all of them, and scored on data that it has
    not seen. p is the chance that the best one is ahead by luck. With --unlabeled those take part, too,
    who learn from texts without labels, or from sentences without tags.

    On sentences: HMM, MEMM, CRF, structured perceptron, MIRA and SVM, tags token by token, rules and
    memory. With --task regress: ridge, lasso, least mean squares, perceptron, Winnow, and with --all a
    kernel machine. With --task symbols, on rows of a table: memories (overlap, MVDM, IGTree), decision
    lists, rules, and linear classifiers of the same values. On trees
    (--task parse): counting, perceptron, MIRA of first and second order, and CRFs. On trees of phrases:
    perceptron, MIRA, CRF and softmax-margin.
    """
    from linnet.cli.files import opened
    from linnet.cli.tasks import task_of_data
    from linnet.evaluation import against_the_best

    source = opened(data)
    task = task_of_data(given["task"], source, given["format_"])
    task.check_data(source)
    contest = task.does("compare").contest_of(source, given)
    for note in contest.notes:
        click.echo(f"note: {note}", err=True)
    rows = contest.rows(given["models"], given["everyone"])
    if contest.unasked() and not given["everyone"] and not given["models"]:
        click.echo(f"note: left out, unless --all is given: {'; '.join(contest.unasked())}", err=True)
    if as_json:
        compared = against_the_best(rows, contest.metric, given["seed"])
    else:
        compared = show(contest, rows, task.does("compare").COLUMNS, given["seed"])
    told = {"data": data, "train": contest.sizes[0], "test": contest.sizes[1]}
    told |= {"metric": contest.metric, "features": contest.about}
    told |= {"models": [row.as_dict() for row in compared]}
    write_reports(f"linnet compare {data}", told, given)
    if as_json:
        click.echo(to_json(told))


TITLES = {
    "accuracy": "accuracy",
    "macro_f1": "macro F1",
    "f1": "F1",
    "uas": "UAS",
    "las": "LAS",
    "exact": "exact",
    "r2": "R²",
    "rmse": "RMSE",
    "mae": "MAE",
    "spearman": "Spearman",
}


def show(contest: Any, rows: Iterator[Any], columns: tuple[str, ...], seed: int) -> list[Any]:
    """The table, and its rows; while it is made, a line on a terminal says where it is."""
    from linnet.cli.tables import console, fits, table
    from linnet.evaluation import against_the_best

    out = console()
    train, test = contest.sizes
    units = "sentences" if contest.about == "sentences" else "examples"
    about = "" if contest.about == "sentences" else f"; {contest.about}"
    out.print(f"{train:,} {units} to learn from, {test:,} to score on{about}", soft_wrap=True)

    def told(status: Any) -> Iterator[Any]:
        for row in rows:
            status.update(f"{row.name}: {row.scores[contest.metric]:.4f}")
            yield row

    with out.status("training") as status:  # shown on a terminal only
        compared = against_the_best(told(status), contest.metric, seed)
    names = ("model", "objective", "parameter", *contest.metrics, "p", "seconds", *columns)
    header = [TITLES.get(name, name) for name in names]
    cells = [[_cell(row, name) for name in names] for row in compared]
    whole = table(header, cells, left=3)
    if fits(out, whole):
        out.print(whole)
        return list(compared)
    narrow = [k for k, name in enumerate(names) if name not in ("objective", *columns)]
    for kept in (narrow, [0, 1, *(k for k, name in enumerate(names) if name in columns)]):
        out.print(table([header[k] for k in kept], [[row[k] for k in kept] for row in cells], left=2))
    return list(compared)


def _cell(row: Any, name: str) -> Any:
    if name in row.scores:
        return row.scores[name]
    if name == "parameter":
        value = row.value if isinstance(row.value, str) or row.parameter is None else f"{row.value:g}"
        return None if row.parameter is None else f"{row.parameter} {value}"
    shown = {
        "model": row.name,
        "objective": row.objective,
        "p": "best" if row.p is None else f"{row.p:.3f}",
        "seconds": f"{row.seconds:.3f}",
        "non-zero": None if row.nonzero is None else f"{row.nonzero:,}",
        "size": None if row.bytes is None else amount(row.bytes),
        "P(y|x)": "yes" if row.probabilities else "no",
        "words/s": f"{row.per_second:,.0f}",
    }
    return shown[name]
