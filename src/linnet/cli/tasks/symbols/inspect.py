"""``linnet inspect`` of a classifier of rows of symbols."""

from __future__ import annotations

import os
from typing import Any

NAMES = {"MemoryClassifier": "memory of rows", "DecisionList": "decision list of rows"}


def inspection(model: Any, path: str, top: int, labels: tuple[str, ...] | None) -> dict[str, Any]:
    """Plain data, for JSON or the eye."""
    found = {
        "file": path,
        "bytes": os.path.getsize(path),
        "kind": NAMES.get(type(model).__name__, "rules of rows"),
        "labels": [str(label) for label in model.classes_.tolist()],
        "columns": [str(name) for name in model.feature_names_in_],
        "settings": {name: value for name, value in model.get_params().items() if name != "n_jobs"},
        "data": model.record_.data,
    }
    if hasattr(model, "begins_with"):
        found["begins"] = model.begins_with()
    if not hasattr(model, "rules_text_"):
        rows = model.inspect(top)
        return found | {
            "weights": {name: f"weight {weight:.6f}, {n:,} values" for name, weight, n in rows}
        }
    rules = [rule for rule in model.rules_text_ if labels is None or rule.split(" -> ")[-1] in labels]
    return found | {"weights": {str(k + 1): rule for k, rule in enumerate(rules[:top])}}


def show_weights(out: Any, weights: dict[str, str]) -> None:
    """One a line."""
    from rich.table import Table

    from linnet.explain.shown import Text

    made = Table(box=None, pad_edge=False, show_header=False)
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for name, said in weights.items():
        made.add_row(Text(name), Text(said))
    out.print()
    out.print(made)
