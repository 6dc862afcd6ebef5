"""``linnet train``: a file of labelled texts, tagged sentences or trees becomes a model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from linnet.cli.checkpoints import checkpoint_options, under_checkpoint
from linnet.cli.learning import check_penalties, kernel_option, learning_options, map_option
from linnet.cli.options import (
    CLASSIFY,
    TAG,
    Grouped,
    column_options,
    data_options,
    engine_option,
    files_argument,
    memory_options,
    option,
    refuse_given,
    task_option,
    threads_option,
)
from linnet.cli.paths import Reads, WritesModel
from linnet.cli.reports import report_options, write_reports
from linnet.cli.tasks.classify.options import feature_options
from linnet.cli.tasks.parse.options import parsing_options
from linnet.cli.tasks.tag.options import shape_options
from linnet.errors import DataError, RefusedError

UNLABELED = ["auto", "joint", "vectors", "classes", "propagate", "self", "co", "entropy", "em"]


@click.command("train", cls=Grouped)
@files_argument
@option(
    "-o", "--output", type=WritesModel(), metavar="MODEL", required=True, help="the model file to write"
)
@task_option
@option(
    "--dev", type=Reads(), metavar="DATA", help="held-out data: scored, and watched by online learners"
)
@option(
    "--from",
    "start",
    type=Reads(replaced=True),
    metavar="MODEL",
    tasks=(*CLASSIFY, *TAG),
    help="go on from this model, which -o may replace; words may be new",
)
@option("-q", "--quiet", is_flag=True, help="say nothing but errors")
@memory_options
@data_options
@feature_options()
@column_options
@shape_options()
@parsing_options
@learning_options()
@kernel_option()
@map_option()
@option(
    "--budget",
    type=click.IntRange(min=1),
    metavar="N",
    tasks=CLASSIFY,
    section="Learning",
    help="of --kernel with --learner perceptron: updates that are remembered (--hypothesis last)",
)
@option(
    "--lexicon",
    type=Reads(),
    metavar="TSV",
    tasks=CLASSIFY,
    section="Learning",
    help="label, n-gram, weight: weights to start from, or without DATA the model itself",
)
@option(
    "--unlabeled",
    type=Reads(),
    metavar="FILE",
    multiple=True,
    tasks=(*CLASSIFY, *TAG),
    section="Learning",
    help="texts without labels, sentences without tags: used if held-out ones of DATA gain by it",
)
@option(
    "--unlabeled-method",
    type=click.Choice(UNLABELED),
    default="auto",
    tasks=(*CLASSIFY, *TAG),
    section="Learning",
    help="how to use them; all but 'auto' use them in any case (taggers: classes, self, entropy)",
)
@option(
    "--unlabeled-weight",
    type=float,
    metavar="X",
    tasks=(*CLASSIFY, *TAG),
    section="Learning",
    help="how much one without a label counts, of one that has one (em 0.1, entropy 0.03, others 0.3)",
)
@option(
    "--unlabeled-view",
    "unlabeled_views",
    metavar="SPEC",
    multiple=True,
    tasks=CLASSIFY,
    section="Learning",
    help="of --unlabeled-method co, twice: the n-grams that one of the two models sees, such as "
    "'word=1-2' and 'chars=3-5'",
)
@option(
    "--progressive",
    is_flag=True,
    tasks=CLASSIFY,
    section="Learning",
    help="go through DATA in its order first, predict each example before it is learnt from, and show "
    "how well (online learners)",
)
@option(
    "--calibration",
    type=click.Choice(["auto", "none", "softmax", "sigmoid", "isotonic"]),
    default="auto",
    tasks=CLASSIFY,
    section="Learning",
    help="how margins become probabilities",
)
@engine_option
@option(
    "--shards",
    type=click.IntRange(min=1),
    metavar="N",
    section="Scale",
    help="parts that the data are cut into; what is learnt depends on their number, not on the engine",
)
@report_options
@checkpoint_options
@threads_option
def command(data: tuple[str, ...], output: str, **given: Any) -> None:
    """Train a model on labelled texts, tagged sentences or trees.

    DATA is one file or several, of which patterns such as 'data/*.tsv.gz' may stand for those that
    match, sorted. It is TSV, CSV, JSONL, Parquet, fastText, VW or svmlight, perhaps gzipped, or an
    export of Prodigy, doccano, Label Studio or spaCy; - is standard input.
    Sentences are columns (CoNLL), CoNLL-U, CRFsuite's format, or JSONL of tokens or spans; they give a
    tagger. CoNLL-U gives a parser with --task parse, and CoNLL-X always does; trees in brackets give a
    parser of phrases (--task trees). What is not said is chosen from the data, and told. A lexicon is a
    model without any DATA.

    Ctrl-C (or SIGTERM) ends training early: the model learnt so far is saved, and the exit code is 0.
    Before there is one, nothing is saved, and it is 130 (143). With --checkpoint, --resume goes on from
    there.
    """
    from linnet.cli.files import opened
    from linnet.cli.output import missing_told
    from linnet.cli.tasks import TASKS, task_of_data
    from linnet.cli.training import polite

    check_penalties(given)
    if not given["unlabeled"]:
        refuse_given(
            ("unlabeled_method", "unlabeled_weight", "unlabeled_views"), "there is no --unlabeled FILE"
        )
    files = [opened(path) for path in data]
    with polite():  # a pipe is waited for
        asked = given["task"] if files else "classify"
        task = TASKS[asked] if asked else task_of_data(None, files[0], given["format_"])
    task.check_data(files[0] if files else "a lexicon")
    with (
        missing_told(given["quiet"]),
        on_engine(given.pop("engine"), given.pop("shards")),
        under_checkpoint(given),
    ):
        reports = {name: given.pop(name) for name in ("html", "plot")}
        task.does("train").run(files, output, given)
        if any(reports.values()):
            _report(output, reports)


def _report(output: str, asked: dict[str, Any]) -> None:
    """Of the record that the model keeps."""
    import linnet

    model = linnet.load(output)
    told = model.record_.as_dict() | {"chosen": model.why_} | _largest_weights(model)
    write_reports(f"linnet train {output}", told, asked)


@contextmanager
def on_engine(engine: str | None, shards: int | None) -> Iterator[None]:
    """Shards without an engine are those of this process."""
    if engine is None and shards is None:
        yield
        return
    from linnet.engines import engine as using

    with using(engine or "local", **({} if shards is None else {"shards": shards})):
        yield


def _largest_weights(model: Any, most: int = 12) -> dict[str, Any]:
    """Of each label, if features have names."""
    from linnet.serving.look.weights import Weights

    try:
        weights = Weights(model)
        labels = weights.rows[1]
    except (DataError, RefusedError):
        return {}
    told = {label: weights.told(label=label, most=most)["rows"] for label in labels[:40]}
    return {
        "largest_weights": {
            label: [{"feature": feature, "weight": weight} for _, feature, weight, _ in rows]
            for label, rows in told.items()
        }
    }
