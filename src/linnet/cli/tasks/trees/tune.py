"""``linnet tune`` with trees of phrases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from linnet.cli.learning import learning_grid, settled
from linnet.cli.tasks.parse.options import templates_of
from linnet.cli.tasks.trees.data import read_gold
from linnet.cli.tasks.trees.options import parser
from linnet.cli.trials import bar, fits, held_out


def tuned(data: str, given: dict[str, Any]) -> tuple[Any, dict[str, Any], Callable[[Any], Any]]:
    """What was tried, what stayed the same, and how the best is trained on everything."""
    import linnet

    check_metric(given["metric"])
    trees = read_gold(data, given)
    dev = read_gold(given["dev"], given).cleaned() if given["dev"] else None
    grid = {n: list(dict.fromkeys(given[n])) for n in ("features",) if given[n]}
    grid |= learning_grid(given)
    given, grid = settled(given, grid)
    model = parser(given)
    if "features" in grid:
        grid["features"] = [templates_of("--features", asked) for asked in grid["features"]]
    how = held_out(given)
    progress = bar(fits(grid, 1 if dev is not None else how["folds"] or 5)) if grid else None
    result = linnet.tune(model, grid or None, trees, dev=dev, progress=progress, **how)
    fixed = {name: getattr(model, name) for name in ("loss", "learner", "penalty") if name not in grid}
    return result, fixed, lambda best: best.fit(trees)


def check_metric(asked: str | None) -> None:
    """Of brackets."""
    from linnet.evaluation.brackets import BRACKET_METRICS

    if asked is not None and asked not in BRACKET_METRICS:
        raise click.UsageError(f"--metric {asked}: of phrases there are {', '.join(BRACKET_METRICS)}")
