"""``linnet tune`` with trees: every setting on every split."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import product
from typing import Any

import click
import numpy as np

from linnet.cli._options import refuse_given
from linnet.cli.parsing.data import read_gold
from linnet.cli.parsing.options import parser, refuse_other_options
from linnet.cli.tagging.tune import FOR_TEXTS, Split, go_on_unless_interrupted, nonzero
from linnet.cli.tagging.tune import folds as folds_of
from linnet.evaluation import TuneResult, TuneRow, tree_scores
from linnet.evaluation.trees import METRICS, TreeScores

PASSES = [5, 10, 20]
SEVERAL = ("features", "order", "C", "max_iter")  # options that are lists
LISTED = ("loss", "learner")  # and those that are words with commas


def run(data: str, as_json: bool, given: dict[str, Any]) -> None:
    """Try, tell, and train the best."""
    refuse_other_options(data)
    refuse_given((*FOR_TEXTS, "alpha"), f"not for parsers; {data} holds trees")
    metric = metric_of(given["metric"])
    given = settled(given)
    trees = read_gold(data, given, "many" if given["many_roots"] else "one")
    grid = cells(given)
    splits = list(held_out(trees, given))
    rows = []
    for number, settings in enumerate(grid):
        _tell(number * len(splits), len(grid) * len(splits))
        rows.append(trial(settings, splits, metric, given))
    result = TuneResult(metric, len(splits), rows)
    fixed = {n: given[n] for n in (*LISTED, "penalty") if given[n] and n not in grid[0]}
    if as_json:
        import json

        click.echo(json.dumps(result.as_dict() | {"data": data, "fixed": fixed}))
    else:
        from linnet.cli._trials import show_rows

        show_rows(result, fixed)
    if given["output"]:
        parser(given | result.best.settings).fit(trees).save(given["output"])


def metric_of(asked: str | None) -> str:
    """LAS, unless UAS was asked for."""
    name = asked or "las"
    if name not in METRICS:
        raise click.UsageError(f"--metric {name}: of parsers there are {', '.join(METRICS)}")
    return name


def settled(given: dict[str, Any]) -> dict[str, Any]:
    """The options that training has and tuning has not; a penalty only if one was asked for."""
    source = click.get_current_context().get_parameter_source("penalty")
    asked = source is click.core.ParameterSource.COMMANDLINE
    return given | {
        "average": False,
        "quiet": True,
        "penalty": given["penalty"] if asked else None,
    }


def cells(given: dict[str, Any]) -> list[dict[str, Any]]:
    """All combinations of what has several values; if nothing has, numbers of passes."""
    grid = {name: list(dict.fromkeys(given[name])) for name in SEVERAL if given[name] is not None}
    for name in LISTED:
        if "," in given[name]:
            grid[name] = [part.strip() for part in given[name].split(",")]
    if not grid:
        grid = {"max_iter": PASSES}
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def held_out(trees: Any, given: dict[str, Any]) -> Iterator[Split]:
    """The splits that were asked for; folds are of whole sentences."""
    if given["dev"]:
        yield trees, read_gold(given["dev"], given, "many")
        return
    yield from folds_of(trees, given)


def trial(settings: dict[str, Any], splits: list[Split], metric: str, given: dict[str, Any]) -> TuneRow:
    """One cell of the grid: trained on each split, scored over all of them."""
    seconds, weights = 0.0, []
    train: list[TreeScores] = []
    dev: list[TreeScores] = []
    for kept, held in splits:
        model = parser(given | settings)
        started = time.perf_counter()
        model.fit(kept)
        seconds += time.perf_counter() - started
        go_on_unless_interrupted(model)
        train.append(scores_of(model, kept))
        dev.append(scores_of(model, held))
        weights.append(nonzero(model))
    each = [together([found], metric) for found in dev]
    return TuneRow(
        settings,
        together(train, metric),
        together(dev, metric),
        float(np.std(each, ddof=1)) if len(splits) > 1 else None,
        float(np.mean(weights)),
        seconds,
    )


def scores_of(model: Any, trees: Any) -> TreeScores:
    """What a parser gets right; with tags of its own, if it has taggers."""
    parsed = model.parse_trees(trees, retag=bool(model.taggers_))
    return tree_scores(trees, parsed.heads, parsed.relations)


def together(found: list[TreeScores], metric: str) -> float:
    """Over all words of several splits."""
    right, counted = ("right_both", "counted_relations") if metric == "las" else ("right", "counted")
    hits, words = (sum(int(getattr(s, name).sum()) for s in found) for name in (right, counted))
    return hits / max(1, words)


def _tell(done: int, fits: int) -> None:
    """A line on the terminal that counts the fits; nothing in a pipe."""
    import sys

    if sys.stderr.isatty():
        click.echo(f"\rfit {done + 1} of {fits}", err=True, nl=False)
