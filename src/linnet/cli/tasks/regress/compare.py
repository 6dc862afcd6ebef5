"""``linnet compare --task regress``."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.tasks.classify.compare import features_of
from linnet.cli.tasks.classify.data import numbered_as
from linnet.cli.tasks.regress.data import read
from linnet.evaluation import NUMBER_METRICS

COLUMNS = ("non-zero",)


def contest_of(data: str, given: dict[str, Any]) -> Any:
    """Who is compared, and on what."""
    from linnet.estimators.comparing import contest

    if given["metric"] is not None and given["metric"] not in NUMBER_METRICS:
        raise click.UsageError(
            f"--metric {given['metric']}: of regressors there are {', '.join(NUMBER_METRICS)}"
        )
    examples = read(data, given)
    test = numbered_as(examples, read(given["test"], given)) if given["test"] else None
    return contest(
        examples,
        test=test,
        task="regress",
        held_out=given["held_out"],
        metric=given["metric"],
        features=features_of(given),
        seed=given["seed"],
        threads=given["threads"],
    )
