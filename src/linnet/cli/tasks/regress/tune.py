"""``linnet tune --task regress``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from linnet.cli.learning import learning_grid, settled, strength_said
from linnet.cli.options import refuse_given
from linnet.cli.tasks.classify.data import remember
from linnet.cli.tasks.classify.options import VARIED, feature_grid
from linnet.cli.tasks.regress.data import read
from linnet.cli.tasks.regress.options import regressor
from linnet.cli.trials import bar, fits, held_out


def tuned(data: Any, given: dict[str, Any]) -> tuple[Any, dict[str, Any], Callable[[Any], Any]]:
    """What was tried, what stayed the same, and how the best is trained on everything."""
    import linnet
    from linnet.estimators.text.regressor_trials import STRENGTHS
    from linnet.estimators.trials import usual
    from linnet.evaluation import NUMBER_METRICS

    if given["metric"] is not None and given["metric"] not in NUMBER_METRICS:
        raise click.UsageError(
            f"--metric {given['metric']}: of regressors there are {', '.join(NUMBER_METRICS)}"
        )
    refuse_given(("kernel",), "of regressors it is tuned from Python, by linnet.tune")
    examples = read(data, given)
    if examples.texts is None:
        raise click.UsageError(f"{data} holds numbers: rows are tuned from Python, by linnet.tune")
    grid = learning_grid(given)
    several = [name for name, values in feature_grid(given).items() if len(values) > 1]
    if several:
        refuse_given(tuple(several), "features of regressors have one value")
    one = {name: values[0] for name, values in feature_grid(given).items()}
    given, grid = settled(given | dict.fromkeys(VARIED) | one, grid)
    model = regressor(given)
    if not strength_said(given, grid):
        grid |= usual(model, STRENGTHS)
    dev = read(given["dev"], given) if given["dev"] else None
    how = held_out(given)
    progress = bar(fits(grid, 1 if dev is not None else how["folds"] or 5))
    result = linnet.tune(model, grid, examples, dev=dev, progress=progress, **how)
    fixed = {name: getattr(model, name) for name in ("learner", "penalty") if name not in grid}

    def finish(best: Any) -> Any:
        best.fit(examples)
        remember(best, examples, data, given)
        return best

    return result, fixed, finish
