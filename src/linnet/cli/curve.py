"""``linnet curve``: what more data would bring."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.options import (
    Grouped,
    data_argument,
    data_options,
    json_option,
    option,
    seed_option,
    threads_option,
)
from linnet.cli.output import to_json
from linnet.cli.reports import report_options, write_reports
from linnet.errors import DataError


@click.command("curve", cls=Grouped)
@data_argument
@option(
    "--points",
    type=click.IntRange(min=2, max=20),
    default=6,
    show_default=True,
    metavar="N",
    help="sizes, each twice the one before; the last is all there is to learn from",
)
@option(
    "--repeats",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    metavar="N",
    help="samples of each size, other texts each time",
)
@option(
    "--held-out",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.2,
    show_default=True,
    metavar="P",
    help="the share of DATA that is scored on",
)
@json_option
@report_options
@seed_option
@data_options
@threads_option
def command(data: str, as_json: bool, **given: Any) -> None:
    """Show the score by the number of texts that were learnt from.

    A part of DATA is held out, and models are trained on ever larger samples of the rest. A curve that
    still rises at its end says that more texts would help; one that is flat, that they would not.
    """
    from linnet.cli.files import opened
    from linnet.cli.tasks import task_of_data
    from linnet.cli.tasks.classify.data import read

    source = opened(data)
    task = task_of_data(None, source, given["format_"])
    if task.name != "classify":
        raise click.UsageError(f"{data} holds {task.data}; learning curves are of texts with labels")
    task.check_data(data)
    examples = read(source, given)
    if examples.texts is None or examples.labels.multilabel:
        raise click.UsageError(f"{data}: learning curves are of texts with one label each")
    if len(examples.labels.names) < 2:
        raise DataError(f"{data} has one label only ({examples.labels.names[0]}); two are needed")
    texts = [examples.texts[i] for i in range(len(examples.texts))]
    rows = curve(texts, [str(label) for label in examples.labels.values()], given)
    told = {"data": data, "metric": "accuracy", "sizes": rows}
    if not rows:
        raise DataError(f"{data}: samples of so few texts have one label only; give more texts")
    write_reports(f"linnet curve {data}", told, given)
    if as_json:
        click.echo(to_json(told))
    else:
        _show(rows)


def curve(texts: list[str], labels: list[str], given: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each size: means over the samples, and their spread."""
    import numpy as np

    import linnet
    from linnet.evaluation import plain_held_out

    ((train, test),) = plain_held_out(len(texts), given["held_out"], given["seed"])
    sizes = sorted({max(2, len(train) >> k) for k in range(given["points"])})
    rows = []
    random = np.random.default_rng(given["seed"])
    tried, right = [texts[i] for i in test], [labels[i] for i in test]
    for size in sizes:
        scores = []
        for _ in range(given["repeats"] if size < len(train) else 1):
            chosen = random.permutation(train)[:size]
            if len({labels[i] for i in chosen}) < 2:
                continue
            some, theirs = [texts[i] for i in chosen], [labels[i] for i in chosen]
            model = linnet.TextClassifier(n_jobs=given["threads"]).fit(some, theirs)
            scores.append((model.score(some, theirs), model.score(tried, right)))
        if scores:
            own, held = np.mean(scores, axis=0).tolist()
            spread = float(np.std([score for _, score in scores]))
            rows.append({"texts": int(size), "train": own, "dev": held, "deviation": spread})
    return rows


def _show(rows: list[dict[str, Any]]) -> None:
    from linnet.cli.tables import console, table

    cells = [[f"{row['texts']:,}", row["train"], row["dev"], row["deviation"]] for row in rows]
    console().print(table(["texts", "train", "dev", "±"], cells))
