"""``linnet tune``: settings chosen by held-out score."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import click

from linnet.cli._options import (
    Grouped,
    Lengths,
    Share,
    data_options,
    json_option,
    refuse_given,
    seed_option,
    stack,
    task_option,
    threads_option,
)
from linnet.cli.parsing.options import parsing_options, refuse_parsing_options
from linnet.cli.tagging.options import column_options, model_options, refuse_tagging_options


class Values(click.ParamType):  # type: ignore[type-arg]
    """Values to try, separated by commas."""

    name = "values"

    def __init__(self, one: Any) -> None:
        self.one = click.types.convert_type(one)

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """A list."""
        if isinstance(value, list):
            return value
        return [self.one.convert(part.strip(), param, ctx) for part in value.split(",")]


WARM = ("auto", "coordinate", "owlqn")  # learners that gain by a path from few weights to many
STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)

grid_options = stack(
    click.option("-C", "C", type=Values(float), help="strengths of the data, say 0.1,1,10 (λ = 1/C)"),
    click.option("--alpha", type=Values(float), help="strengths of the penalty, in place of C"),
    click.option("--word", type=Values(Lengths()), help="word n-grams, say 1,1-2,1-3"),
    click.option("--chars", type=Values(Lengths()), help="character n-grams, say none,2-5"),
    click.option("--chars-wb", type=Values(Lengths()), help="the same within words"),
    click.option("--min-df", type=Values(Share()), help="least number or share of texts"),
    click.option("--max-df", type=Values(Share()), help="largest number or share of texts"),
    click.option(
        "--tf", type=Values(click.Choice(["binary", "count", "sublinear"])), help="say binary,count"
    ),
    click.option("--scale", type=Values(click.Choice(["none", "idf", "nb"])), help="say idf,nb"),
    click.option("--norm", type=Values(click.Choice(["l2", "l1", "none"])), help="say l2,none"),
)
NGRAMS = ("word", "chars", "chars_wb")
FEATURES = (*NGRAMS, "min_df", "max_df", "tf", "scale", "norm")


@click.command("tune", cls=Grouped)
@click.argument("data", metavar="DATA")
@task_option
@click.option("--dev", metavar="DATA", help="choose by the score on these data")
@click.option(
    "--folds", type=int, metavar="K", help="choose by stratified cross-validation; 5 if nothing is said"
)
@click.option("--group", metavar="NAME", help="a column: folds keep what is equal there together")
@click.option("--leave-one-out", is_flag=True, help="as many folds as examples")
@click.option(
    "--metric",
    metavar="NAME",
    help="to choose by: accuracy, of tags that are spans f1, of trees las, or another",
)
@click.option("--loss", metavar="L", default="auto", help="logistic, hinge, squared_hinge, …")
@click.option("--learner", metavar="L", default="auto", help="dual, lbfgs, sgd, perceptron, …")
@click.option("--penalty", metavar="P", default="l2", help="l2, l1, elasticnet or none")
@click.option("--balanced", is_flag=True, help="weigh labels by the inverse of their number")
@click.option("--tol", type=float, metavar="X", help="relative gap or gradient to stop at")
@seed_option
@click.option("-o", "--output", metavar="MODEL", help="train the best on all of DATA and write it")
@json_option
@grid_options
@data_options
@column_options
@click.option("--features", type=Values(str), help="recipes or files of templates, say pos,ner")
@click.option("--order", type=Values(click.IntRange(0, 2)), help="of chains and trees, say 1,2")
@click.option("--max-iter", type=Values(click.IntRange(1)), help="passes, say 5,10,20")
@model_options
@parsing_options
@threads_option
def command(data: str, as_json: bool, **given: Any) -> None:
    """Try settings and show what each scores on held-out data.

    Every option that takes several values multiplies the number of trials; features are made once for
    each split and serve all strengths. What is not said is chosen as `linnet train` chooses it.
    Of taggers --features, --order, --loss, --learner, --max-iter and -C may have several values, and
    of parsers (--task parse), which are chosen by LAS.
    """
    from linnet import evaluation
    from linnet.cli._data import check_output, read, task_of
    from linnet.cli._trials import bar, show_rows
    from linnet.evaluation.metrics import metric

    _check(given)
    if given["output"]:
        check_output(given["output"], data, given["dev"])
    task = task_of(given["task"], data, given["format_"])
    if task == "parse":
        from linnet.cli.parsing.tune import run as tune_parser

        tune_parser(data, as_json, given)
        return
    refuse_parsing_options(data)
    if task == "tag":
        from linnet.cli.tagging.tune import run

        run(data, as_json, given)
        return
    refuse_tagging_options(data)
    refuse_given(("max_iter",), "of taggers and parsers; learners of texts stop by themselves")
    given["metric"] = given["metric"] or "accuracy"
    metric(given["metric"])
    kept = (given["group"],) if given["group"] else ()
    examples = read(data, given | {"categorical": (*given["categorical"], *kept)})
    X, y, splits = held_out(examples, given, read)
    base = settings_of(examples, given)
    grid = learner_grid(base, given)
    feature_grid = {name: _values(name, given[name]) for name in FEATURES if given[name] is not None}
    if base["features"] is None and feature_grid:
        raise click.UsageError(f"{data} holds numbers: --{next(iter(feature_grid))} is for texts")
    path = next(iter(grid)) if starts_warm(given) else None
    result = evaluation.tune(
        estimators(base, given, warm=path is not None),
        grid,
        X,
        y,
        splits,
        given["metric"],
        make_features=features_from(base, given),
        feature_grid=feature_grid,
        path=path,
        progress=bar(len(splits) * math.prod(map(len, (*grid.values(), *feature_grid.values())))),
    )
    if as_json:
        import json

        click.echo(json.dumps(result.as_dict() | {"data": data, "fixed": _fixed(base)}))
    else:
        show_rows(result, _fixed(base))
    if given["output"]:
        best = final(base, given, result.best.settings)
        fitted = best.fit(*_all(examples), sample_weight=examples.weights)
        fitted.save(given["output"])


def _check(given: dict[str, Any]) -> None:
    ways = [w for w in ("dev", "folds", "leave_one_out") if given[w]]
    if len(ways) > 1:
        raise click.UsageError("--dev, --folds and --leave-one-out are three ways to choose; give one")
    if given["group"] and (given["dev"] or given["leave_one_out"]):
        raise click.UsageError("--group goes with --folds")
    if given["C"] and given["alpha"]:
        raise click.UsageError("-C and --alpha are two ways to say the same; give one")
    for name in ("C", "alpha"):
        if any(not value > 0 for value in given[name] or ()):
            raise click.UsageError(f"{name}: every value must be positive")


def held_out(examples: Any, given: dict[str, Any], read: Any) -> tuple[Any, list[Any], list[Any]]:
    """Examples, labels, and the splits that were asked for."""
    from linnet import evaluation
    from linnet.cli._data import numbered_as
    from linnet.errors import DataError

    y = examples.labels.values()
    if given["dev"]:
        dev = numbered_as(examples, read(given["dev"], given))
        return Joined(examples, dev), y + dev.labels.values(), evaluation.given(len(y), len(dev))
    if given["leave_one_out"]:
        return examples, y, evaluation.leave_one_out(y)
    folds = 5 if given["folds"] is None else given["folds"]
    if not given["group"]:
        return examples, y, evaluation.stratified(y, folds, given["seed"])
    if given["group"] not in examples.columns:
        raise DataError(f"{examples.source} has no column {given['group']!r}")
    groups = examples.columns[given["group"]].tolist()
    return examples, y, evaluation.grouped(y, groups, folds, given["seed"])


class Joined:
    """Two sets of examples, of which either the first or the second is taken."""

    def __init__(self, first: Any, second: Any) -> None:
        self.first = first
        self.second = second

    def take(self, places: Any) -> Any:
        """The one that the places point into."""
        return self.first if places[0] < len(self.first) else self.second


def settings_of(examples: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Settings that stay the same, 'auto' replaced by what the data suggest."""
    fixed = {name: given[name] for name in ("loss", "learner", "penalty")}
    if examples.texts is None:
        loss = "logistic" if given["loss"] == "auto" else given["loss"]
        tol = 1e-4 if given["tol"] is None else given["tol"]
        return fixed | {"features": None, "loss": loss, "C": 1.0, "tol": tol}
    from linnet.estimators import TextClassifier
    from linnet.estimators.text.targets import read_targets

    model = TextClassifier(**fixed, tol="auto" if given["tol"] is None else given["tol"])
    choice = model._choose(examples.texts, read_targets(examples.labels))
    columns = {name: given[name] for name in ("numeric", "categorical") if given[name]}
    features = choice.features.get_params(deep=False) | columns
    return fixed | {"features": features, "loss": choice.loss, "C": choice.C, "tol": choice.tol}


def learner_grid(base: dict[str, Any], given: dict[str, Any]) -> dict[str, list[Any]]:
    """Strengths, weakest first: a path goes from few weights to many."""
    if base["penalty"] == "none" and not (given["C"] or given["alpha"]):
        return {"C": [1.0]}
    if given["alpha"]:
        return {"alpha": sorted(set(given["alpha"]), reverse=True)}
    usual = STRENGTHS[:-1] if starts_warm(given) else STRENGTHS  # L1 wants fewer, and is slow there
    return {"C": sorted(set(given["C"] or usual))}


def starts_warm(given: dict[str, Any]) -> bool:
    """Sparse models start from the weights of the strength before."""
    return given["penalty"] in ("l1", "elasticnet") and given["learner"] in WARM


def estimators(base: dict[str, Any], given: dict[str, Any], warm: bool) -> Callable[..., Any]:
    """What makes a classifier of rows for a strength."""
    from linnet.cli._rows import RowsClassifier
    from linnet.estimators import LinearClassifier

    def make(**settings: Any) -> RowsClassifier:
        return RowsClassifier(
            LinearClassifier(
                base["loss"],
                base["learner"],
                base["penalty"],
                tol=base["tol"],
                class_weight="balanced" if given["balanced"] else None,
                random_state=given["seed"],
                n_jobs=given["threads"],
                diagnostics=False,
                warm_start=warm,
                **settings,
            )
        )

    return make


def features_from(base: dict[str, Any], given: dict[str, Any]) -> Callable[..., Any]:
    """What makes rows for a choice of features."""
    from linnet.cli._rows import RowMaker

    def make(**chosen: Any) -> RowMaker:
        if base["features"] is None:
            return RowMaker(None)
        from linnet.features import TextFeatures

        return RowMaker(TextFeatures(**base["features"] | chosen), given["threads"])

    return make


def final(base: dict[str, Any], given: dict[str, Any], best: dict[str, Any]) -> Any:
    """The classifier of the best settings, to be trained on everything."""
    strength = {name: best[name] for name in ("C", "alpha") if name in best}
    weight = "balanced" if given["balanced"] else None
    common = {"tol": base["tol"], "class_weight": weight, "random_state": given["seed"]} | strength
    if base["features"] is None:
        from linnet.estimators import LinearClassifier

        return LinearClassifier(
            base["loss"], base["learner"], base["penalty"], diagnostics=False, **common
        )
    from linnet.estimators import TextClassifier
    from linnet.features import TextFeatures

    chosen = {name: value for name, value in best.items() if name not in strength}
    features = TextFeatures(**base["features"] | chosen)
    return TextClassifier(features, base["loss"], base["learner"], base["penalty"], **common)


def _fixed(base: dict[str, Any]) -> dict[str, Any]:
    fixed = {name: base[name] for name in ("loss", "learner", "penalty")}
    shown = ("word", "chars", "chars_wb", "tf", "scale", "min_df")
    features = base["features"] or {}
    return fixed | {name: features[name] for name in shown if features.get(name) is not None}


def _values(name: str, values: list[Any]) -> list[Any]:
    """'none' stands for no such n-grams, but is a value of other settings."""
    return [None if value == "none" and name in NGRAMS else value for value in values]


def _all(examples: Any) -> tuple[Any, Any]:
    return (
        (examples, None) if examples.texts is not None else (examples.matrix, examples.labels.values())
    )
