"""``linnet inspect`` with a parser."""

from __future__ import annotations

import os
from typing import Any

CANDIDATES = ("candidates_per_word", "candidate_recall")


def inspection(model: Any, path: str, top: int, relations: tuple[str, ...] | None) -> dict[str, Any]:
    """Plain data, for JSON or the eye."""
    record, weights = model.record_, model.inspect(top).to_dict()
    if relations is not None:
        rows = weights["relations"].items()
        weights["relations"] = {name: row for name, row in rows if name in relations}
    return {
        "file": path,
        "bytes": os.path.getsize(path),
        "kind": "parser",
        "labels": [str(label) for label in model.classes_.tolist()],
        "loss": record.loss,
        "learner": record.learner,
        "penalty": record.penalty,
        "C": record.C,
        "trees": "projective" if model.model_.projective else "non-projective",
        "order": model.model_.order,
        "passes": record.n_iter,
        "objective": record.objective,
        "stopped": record.stopped,
        "data": record.data,
        "candidates": {name: record.facts[name] for name in CANDIDATES if name in record.facts},
        "columns": list(model.model_.arcs.columns),
        "taggers": list(model.taggers_),
        "features": {
            "of arcs": model.model_.arcs.n_features,
            "of relations": model.model_.relation_features.n_features,
        },
        "chosen": model.why_,
        "weights": weights,
    }


def show_weights(out: Any, weights: dict[str, Any]) -> None:
    """Rows of features: for and against an arc, then of each relation."""
    from rich.table import Table

    from linnet.explain.arc_weights import titled
    from linnet.explain.shown import Text

    made = Table(box=None, pad_edge=False, show_header=False)
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for title, named in titled(weights).items():
        cells = [Text.assemble(name, (f" {weight:.3g}", "dim")) for name, weight in named]
        made.add_row(Text(title), Text("   ").join(cells))
    out.print()
    out.print(made)
