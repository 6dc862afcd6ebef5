"""``linnet compare``: the familiar learners on the user's own data, in one table."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli._options import (
    Grouped,
    data_options,
    feature_options,
    json_option,
    seed_option,
    task_option,
    threads_option,
)
from linnet.cli._output import amount
from linnet.cli.parsing.options import refuse_parsing_options, roots_option
from linnet.cli.tagging.options import column_options, features_option, refuse_tagging_options


@click.command("compare", cls=Grouped)
@click.argument("data", metavar="DATA")
@task_option
@click.option("--test", metavar="DATA", help="score on these data; else on a part of DATA")
@click.option(
    "--held-out", type=float, metavar="P", default=0.2, show_default=True, help="share, without --test"
)
@click.option("--model", "models", multiple=True, metavar="NAME", help="only this one; may be repeated")
@click.option("--metric", metavar="NAME", help="to choose the parameter by; accuracy, f1, las")
@seed_option
@json_option
@data_options
@feature_options
@column_options
@features_option
@roots_option
@threads_option
def command(data: str, as_json: bool, **given: Any) -> None:
    """Train the familiar learners on your data, in one table.

    Naive Bayes, averaged perceptron, Winnow, MIRA, AROW, SVM, logistic regression and least squares
    learn from the same features. The parameter of each is chosen on a fifth of the training data; then
    it is trained on all of them, and scored on data that it has not seen.

    On sentences: HMM, MEMM, CRF, structured perceptron, MIRA and SVM, and tags token by token. On trees
    (--task parse): counting, perceptron, MIRA of first and second order, and CRFs.
    """
    from dataclasses import asdict

    from linnet import evaluation
    from linnet.cli._data import read, task_of
    from linnet.evaluation.metrics import metric

    task = task_of(given["task"], data, given["format_"])
    if task == "parse":
        from linnet.cli.parsing.compare import run as compare_parsers

        compare_parsers(data, as_json, given)
        return
    refuse_parsing_options(data)
    if task == "tag":
        from linnet.cli.tagging.compare import run

        run(data, as_json, given)
        return
    refuse_tagging_options(data)
    given["metric"] = given["metric"] or "accuracy"
    metric(given["metric"])
    chosen = wanted(given)
    train, test = halves(read(data, given), given, read)
    y, y_test = train.labels.values(), test.labels.values()
    splits = evaluation.held_out(y, 0.2, given["seed"])
    X, X_test, said = rows(train, test, y, given)
    if (X["counts"].rows.values < 0).any():
        click.echo("note: naive Bayes is left out: it counts, and some values are negative", err=True)
        chosen = [contender for contender in chosen if contender.name != "naive Bayes"]
    found = evaluation.compare(chosen, X, y, X_test, y_test, splits, given["metric"])
    if as_json:
        import json

        told = {"data": data, "train": len(y), "test": len(y_test), "features": said}
        click.echo(json.dumps(told | {"models": [asdict(row) for row in found]}, ensure_ascii=False))
        return
    show(found, f"{len(y):,} examples to learn from, {len(y_test):,} to score on; {said}")


def wanted(given: dict[str, Any]) -> list[Any]:
    """The contenders that were asked for; all, if none was."""
    from linnet.cli._contenders import contenders

    known = contenders(given["seed"], given["threads"])
    for name in given["models"]:
        if name not in known:
            raise click.UsageError(f"no model is called {name!r}; there are {'; '.join(known)}")
    return [known[name] for name in given["models"] or known]


def halves(examples: Any, given: dict[str, Any], read: Any) -> tuple[Any, Any]:
    """What to learn from and what to score on."""
    from linnet import evaluation
    from linnet.cli._data import numbered_as

    if given["test"]:
        return examples, numbered_as(examples, read(given["test"], given))
    ((kept, held),) = evaluation.held_out(examples.labels.values(), given["held_out"], given["seed"])
    return examples.take(kept), examples.take(held)


def rows(train: Any, test: Any, y: list[Any], given: dict[str, Any]) -> tuple[Any, Any, str]:
    """Each half as scaled rows and as counts (for learners that count), and what they are made of."""
    from linnet.cli._rows import RowMaker

    if train.texts is None:
        as_given = (RowMaker().transform(half) for half in (train, test))
        seen, unseen = ({"scaled": half, "counts": half} for half in as_given)
        return seen, unseen, "features as given"
    from linnet.cli._options import text_features
    from linnet.features import TextFeatures

    scaled = text_features(given)
    if scaled == "auto":
        scaled = TextFeatures(word=(1, 2), tf="sublinear", scale="idf")
    plain = {"scale": "none", "norm": "none", "tf": "count"}
    counts = TextFeatures(**scaled.get_params(deep=False) | plain)
    makers = {
        name: RowMaker(features, given["threads"])
        for name, features in (("scaled", scaled), ("counts", counts))
    }
    seen = {name: maker.fit_transform(train, y) for name, maker in makers.items()}
    unseen = {name: maker.transform(test) for name, maker in makers.items()}
    return seen, unseen, f"{scaled}, {scaled.n_features:,} features"


HEADER = (
    "model",
    "objective",
    "parameter",
    "accuracy",
    "macro F1",
    "seconds",
    "non-zero",
    "size",
    "P(y|x)",
)
NARROW = ((0, 2, 3, 4, 5, 6), (0, 1, 7, 8))  # columns of two tables where one would be too wide


def show(found: Any, headline: str) -> None:
    """The table; while it is made, a line on a terminal says where it is."""
    from linnet.cli._tables import console, fits, table

    out = console()
    out.print(headline, soft_wrap=True)
    rows = []
    with out.status("training") as status:  # shown on a terminal only
        for row in found:
            status.update(f"{row.name}: {100 * row.accuracy:.2f} %")
            parameter = None if row.parameter is None else f"{row.parameter} {row.value:g}"
            cells = [row.name, row.objective, parameter, row.accuracy, row.macro_f1]
            size = None if row.bytes is None else amount(row.bytes)
            yes = "yes" if row.probabilities else "no"
            rows.append([*cells, f"{row.seconds:.3f}", f"{row.nonzero:,}", size, yes])
    whole = table(HEADER, rows, left=3)
    if fits(out, whole):
        out.print(whole)
        return
    for columns in NARROW:
        out.print(
            table([HEADER[k] for k in columns], [[row[k] for k in columns] for row in rows], left=2)
        )
