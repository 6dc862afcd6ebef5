"""``linnet inspect`` with a classifier."""

from __future__ import annotations

import os
from typing import Any

from linnet.cli.tasks.classify.data import reads_texts


def inspection(model: Any, path: str, top: int, labels: tuple[str, ...] | None) -> dict[str, Any]:
    """Plain data, for JSON or the eye."""
    record = model.record_
    found: dict[str, Any] = {
        "file": path,
        "bytes": os.path.getsize(path),
        "kind": "text classifier" if reads_texts(model) else "linear classifier",
        "labels": [str(label) for label in model.classes_.tolist()],
        "loss": record.loss,
        "learner": record.learner,
        "penalty": record.penalty,
        "C": record.C,
        "passes": record.n_iter,
        "objective": record.objective,
        "gap": record.gap,
        "stopped": record.stopped,
        "data": record.data,
    }
    found |= kernel_shown(model)
    if hasattr(model, "begins_with"):
        found["begins"] = model.begins_with()
    if reads_texts(model) and model.features_ is not None:
        found["features"] = {"number": model.features_.n_features, "settings": repr(model.features_)}
        found["chosen"] = model.why_
    found["weights"] = weights_shown(model, top, labels)
    return found


def kernel_shown(model: Any) -> dict[str, Any]:
    """Of a machine with a kernel; nothing of others."""
    if not hasattr(model.model_, "kernel"):
        return {}
    found = {"kind": "kernel machine", "kernel": repr(model.kernel_)}
    return found | {"passes": model.record_.n_iter or None, "training": dict(model.record_.facts)}


def weights_shown(model: Any, top: int, labels: tuple[str, ...] | None) -> dict[str, Any] | str:
    """Of each label; or why there are none."""
    from linnet.errors import DataError

    try:
        rows = model.inspect(top).to_dict()
    except DataError as error:  # names were dropped
        return str(error)
    return {label: row for label, row in rows.items() if labels is None or label in labels}


def show_weights(out: Any, weights: dict[str, Any]) -> None:
    """A row of features for each label."""
    from rich.table import Table

    from linnet.explain.shown import Text

    made = Table(box=None, pad_edge=False, show_header=False)
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for label, row in weights.items():
        cells = [Text.assemble(f["name"], (f" {f['weight']:.3g}", "dim")) for f in row["features"]]
        made.add_row(Text(label), Text("   ").join(cells))
    out.print()
    out.print(made)
