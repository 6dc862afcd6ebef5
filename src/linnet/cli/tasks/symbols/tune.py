"""``linnet tune --task symbols``: settings of a memory, of a decision list, or of rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linnet.cli.presets import fixed_and_tried, tuned_by_preset
from linnet.cli.tasks.symbols.data import label_of, labels_of, read_table, rows_like
from linnet.cli.tasks.symbols.options import kind_of


def tuned(data: Any, given: dict[str, Any]) -> tuple[Any, dict[str, Any], Callable[[Any], Any]]:
    """What was tried, what stayed the same, and how the best is trained on everything."""
    from linnet.evaluation.metrics import metric

    kind, said = kind_of(given, beside=())
    fixed, grid = fixed_and_tried(kind, given, said)
    if given["metric"]:
        metric(given["metric"])
    table = read_table(data, given)
    label = label_of(table, given["label"])
    rows, labels = table.without(label), labels_of(table, label)
    dev = None
    if given["dev"]:
        other = read_table(given["dev"], given)
        dev = (rows_like(other, table, label), labels_of(other, label))
    model = kind(**fixed, n_jobs=given["threads"])
    result, same = tuned_by_preset(model, grid, rows, labels, dev, given)

    def finish(best: Any) -> Any:
        best.fit(rows, labels)
        best.record_.data["label"] = label
        return best

    return result, same, finish
