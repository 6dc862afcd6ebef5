"""``linnet compare`` with trees of phrases."""

from __future__ import annotations

from typing import Any

from linnet.cli.tasks.parse.options import templates_of
from linnet.cli.tasks.trees.data import read_gold
from linnet.cli.tasks.trees.tune import check_metric

COLUMNS = ("words/s", "non-zero")


def contest_of(data: str, given: dict[str, Any]) -> Any:
    """Who is compared, and on what."""
    from linnet.estimators.comparing import contest

    check_metric(given["metric"])
    return contest(
        read_gold(data, given),
        test=read_gold(given["test"], given).cleaned() if given["test"] else None,
        held_out=given["held_out"],
        metric=given["metric"],
        features=templates_of("--features", given["features"]),
        seed=given["seed"],
        threads=given["threads"],
    )
