"""``linnet curve``: what more data would bring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from linnet.cli.options import (
    Grouped,
    data_argument,
    data_options,
    json_option,
    option,
    seed_option,
    task_option,
    threads_option,
)
from linnet.cli.output import to_json
from linnet.cli.reports import report_options, write_reports
from linnet.errors import DataError

Places = Any  # numbers of examples


@dataclass(frozen=True)
class Subject:
    """Examples of a task, and how well one does that learnt from some of them."""

    unit: str  # what the examples are
    metric: str
    size: int
    scores: Callable[[Places, Places], tuple[float, float] | None]  # on what was learnt from, on others


@click.command("curve", cls=Grouped)
@data_argument
@task_option
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
    """Show the score by the number of examples learnt from.

    A part of DATA is held out, and models are trained on ever larger samples of the rest. A curve that
    still rises at its end says that more would help; one that is flat, that it would not.
    """
    from linnet.cli.files import opened
    from linnet.cli.tasks import task_of_data

    source = opened(data)
    task = task_of_data(given["task"], source, given["format_"])
    if task.name not in SUBJECTS:
        raise click.UsageError(
            f"{data} holds {task.data}; learning curves are of texts with one label each, of sentences "
            f"with tags, and of trees"
        )
    task.check_data(data)
    subject = SUBJECTS[task.name](data, source, given)
    rows = curve(subject, given)
    if not rows:
        raise DataError(f"{data}: samples of so few texts have one label only; give more texts")
    told = {"data": data, "metric": subject.metric, "unit": subject.unit, "sizes": rows}
    write_reports(f"linnet curve {data}", told, given)
    if as_json:
        click.echo(to_json(told))
    else:
        _show(rows, subject)


def _texts(data: str, source: Any, given: dict[str, Any]) -> Subject:
    import linnet
    from linnet.cli.tasks.classify.data import read

    for name in ("numeric", "categorical"):
        if given[name]:
            raise click.UsageError(f"--{name}: learning curves are of texts alone; leave it out")
    examples = read(source, given)
    if examples.texts is None or examples.labels.multilabel:
        raise click.UsageError(f"{data}: learning curves are of texts with one label each")
    if len(examples.labels.names) < 2:
        raise DataError(f"{data} has one label only ({examples.labels.names[0]}); two are needed")
    texts = [examples.texts[i] for i in range(len(examples.texts))]
    labels = [str(label) for label in examples.labels.values()]

    def scores(*parts: Places) -> tuple[float, float] | None:
        own, others = (([texts[i] for i in part], [labels[i] for i in part]) for part in parts)
        if len(set(own[1])) < 2:
            return None
        model = linnet.TextClassifier(n_jobs=given["threads"]).fit(*own)
        return model.score(*own), model.score(*others)

    return Subject("texts", "accuracy", len(texts), scores)


def _sentences(_: str, source: Any, given: dict[str, Any]) -> Subject:
    import linnet
    from linnet.cli.tasks.tag.data import read_tagged
    from linnet.data.chunks import is_chunked
    from linnet.evaluation import column_counts

    data = read_tagged(source, given)
    spans = is_chunked(data.labels.names)

    def score(model: Any, sentences: Any) -> float:
        if not spans:
            return float(model.score(sentences))
        return float(column_counts(sentences.labels, model.tag(sentences), sentences.offsets).f1)

    def scores(*parts: Places) -> tuple[float, float]:
        own, others = (data.take(part) for part in parts)
        model = linnet.Tagger(n_jobs=given["threads"]).fit(own)
        return score(model, own), score(model, others)

    return Subject("sentences", "f1" if spans else "accuracy", len(data), scores)


def _trees(_: str, source: Any, given: dict[str, Any]) -> Subject:
    import linnet
    from linnet.cli.tasks.parse.data import read_gold

    data = read_gold(source, given, "one")

    def scores(*parts: Places) -> tuple[float, float]:
        own, others = (data.take(part) for part in parts)
        model = linnet.DependencyParser(n_jobs=given["threads"]).fit(own)
        return model.score(own), model.score(others)

    return Subject("sentences", "las", len(data), scores)


SUBJECTS = {"classify": _texts, "tag": _sentences, "parse": _trees}


def curve(subject: Subject, given: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each size: means over the samples, and their spread."""
    import numpy as np

    from linnet.evaluation import plain_held_out

    ((train, test),) = plain_held_out(subject.size, given["held_out"], given["seed"])
    sizes = sorted({max(2, len(train) >> k) for k in range(given["points"])})
    rows = []
    random = np.random.default_rng(given["seed"])
    for size in sizes:
        samples = (
            random.permutation(train)[:size]
            for _ in range(given["repeats"] if size < len(train) else 1)
        )
        scores = [pair for part in samples if (pair := subject.scores(part, test)) is not None]
        if scores:
            own, held = np.mean(scores, axis=0).tolist()
            spread = float(np.std([score for _, score in scores]))
            rows.append({subject.unit: int(size), "train": own, "dev": held, "deviation": spread})
    return rows


def _show(rows: list[dict[str, Any]], subject: Subject) -> None:
    from linnet.cli.tables import console, table

    cells = [[f"{row[subject.unit]:,}", row["train"], row["dev"], row["deviation"]] for row in rows]
    console().print(table([subject.unit, "train", "dev", "±"], cells))
