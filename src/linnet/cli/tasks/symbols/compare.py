"""``linnet compare --task symbols``."""

from __future__ import annotations

from typing import Any

from linnet.cli.tasks.symbols.data import label_of, labels_of, read_table, rows_like

COLUMNS = ("non-zero", "P(y|x)")


def contest_of(data: str, given: dict[str, Any]) -> Any:
    """Who is compared, and on what."""
    from linnet.estimators.comparing import contest
    from linnet.evaluation.metrics import metric

    if given["metric"]:
        metric(given["metric"])
    table = read_table(data, given)
    label = label_of(table, given["label"])
    test = None
    if given["test"]:
        other = read_table(given["test"], given)
        test = (rows_like(other, table, label), labels_of(other, label))
    return contest(
        table.without(label),
        labels_of(table, label),
        test=test,
        task="symbols",
        held_out=given["held_out"],
        metric=given["metric"],
        seed=given["seed"],
        threads=given["threads"],
    )
