"""``linnet tune``: settings chosen by held-out score."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.learning import check_penalties, kernel_option, learning_options, map_option
from linnet.cli.options import (
    CLASSIFY,
    Grouped,
    column_options,
    data_argument,
    data_options,
    json_option,
    option,
    task_option,
    threads_option,
)
from linnet.cli.output import to_json
from linnet.cli.paths import Reads, WritesModel
from linnet.cli.reports import report_options, write_reports
from linnet.cli.tasks.classify.options import feature_options
from linnet.cli.tasks.parse.options import parsing_options
from linnet.cli.tasks.tag.options import shape_options


@click.command("tune", cls=Grouped)
@data_argument
@task_option
@option("--dev", type=Reads(), metavar="DATA", help="choose by the score on these data")
@option("--folds", type=int, metavar="K", help="choose by cross-validation; 5 if nothing is said")
@option(
    "--group",
    metavar="NAME",
    tasks=CLASSIFY,
    help="a column: folds keep what is equal there together",
)
@option("--leave-one-out", is_flag=True, help="as many folds as examples")
@option(
    "--metric",
    metavar="NAME",
    help="to choose by: accuracy, of tags that are spans and of phrases f1, of trees las, or another",
)
@option(
    "-o",
    "--output",
    type=WritesModel(),
    metavar="MODEL",
    help="train the best on all of DATA and write it",
)
@json_option
@report_options
@feature_options(several=True)
@data_options
@column_options
@shape_options(several=True)
@learning_options(several=True)
@kernel_option(several=True)
@map_option(several=True)
@parsing_options
@threads_option
def command(data: str, as_json: bool, **given: Any) -> None:
    """Try settings and show what each scores on held-out data.

    Every option that takes values may have several, with commas, and each of them multiplies the number
    of trials; features of texts are made once for each split and serve all strengths. What is not said
    is chosen as `linnet train` chooses it. If nothing has several values, strengths are tried, or
    numbers of passes.
    """
    from linnet.cli.files import opened
    from linnet.cli.tasks import task_of_data
    from linnet.cli.trials import show_rows

    _check(given)
    source = opened(data)
    task = task_of_data(given["task"], source, given["format_"])
    task.check_data(source)
    tuned, fixed, finish = task.does("tune").tuned(source, given)
    told = tuned.result.as_dict() | {"data": data, "fixed": fixed}
    write_reports(f"linnet tune {data}", told, given)
    if as_json:
        click.echo(to_json(told, default=repr))
    else:
        show_rows(tuned.result, fixed)
    if given["output"]:
        finish(tuned.estimator).save(given["output"])


def _check(given: dict[str, Any]) -> None:
    ways = [w for w in ("dev", "folds", "leave_one_out") if given[w]]
    if len(ways) > 1:
        raise click.UsageError("--dev, --folds and --leave-one-out are three ways to choose; give one")
    if given["group"] and (given["dev"] or given["leave_one_out"]):
        raise click.UsageError("--group goes with --folds")
    check_penalties(given)
