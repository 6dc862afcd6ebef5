"""``linnet inspect`` with a tagger."""

from __future__ import annotations

import os
from typing import Any

HIDDEN = ("layout", "label", "format")  # of what is known of the data


def inspection(model: Any, path: str, top: int, tags: tuple[str, ...] | None) -> dict[str, Any]:
    """Plain data, for JSON or the eye."""
    from linnet.errors import DataError
    from linnet.model.instances import InstanceModel
    from linnet.model.rule_list import RuleList

    record = model.record_
    if isinstance(model.model_, RuleList):
        return rules_inspection(model, path, top, tags)
    if isinstance(model.model_, InstanceModel):
        return memory_inspection(model, path, top)
    found: dict[str, Any] = {
        "file": path,
        "bytes": os.path.getsize(path),
        "kind": "tagger",
        "labels": [str(label) for label in model.classes_.tolist()],
        "tags keep to": model.scheme_,
        "loss": record.loss,
        "learner": record.learner,
        "penalty": record.penalty,
        "C": record.C,
        "order": model.model_.order,
        "normalisation": model.normalisation,
        "passes": record.n_iter,
        "objective": record.objective,
        "gap": record.gap,
        "stopped": record.stopped,
        "data": {name: value for name, value in record.data.items() if name not in HIDDEN},
        "columns": record.data.get("layout") or list(model.features_.columns),
        "features": {"number": model.features_.n_features, "settings": repr(model.features_)},
        "chosen": model.why_,
    }
    try:
        weights = model.inspect(top=top).to_dict()
    except DataError as error:  # names were dropped
        return found | {"weights": str(error)}
    if tags is not None:
        weights["tags"] = {tag: row for tag, row in weights["tags"].items() if tag in tags}
    return found | {"weights": weights}


def rules_inspection(model: Any, path: str, top: int, tags: tuple[str, ...] | None) -> dict[str, Any]:
    """The same of a tagger by rules; with ``tags``, the rules that change or give one of them."""
    listed = [
        {"number": k + 1, "rule": text, "fixed": fixed, "broken": broken}
        for k, (text, fixed, broken) in enumerate(model.inspect(top=len(model.model_)))
        if tags is None or {model.model_.tags[t] for t in model.model_.rules[k, 1:3]} & {*tags}
    ]
    data = model.record_.data
    return {
        "file": path,
        "bytes": os.path.getsize(path),
        "kind": "tagger by rules",
        "begins": model.begins_with(),
        "labels": [str(label) for label in model.classes_.tolist()],
        "learner": model.record_.learner,
        "stopped": model.record_.stopped,
        "training": dict(model.record_.facts),
        "data": {name: value for name, value in data.items() if name not in HIDDEN},
        "columns": data.get("layout") or list(model.features_.columns),
        "weights": {"rules": listed[:top]},
    }


def memory_inspection(model: Any, path: str, top: int) -> dict[str, Any]:
    """The same of a tagger by memory: its features by weight."""
    data, own = model.record_.data, model.model_
    return {
        "file": path,
        "bytes": os.path.getsize(path),
        "kind": "tagger by memory",
        "labels": [str(label) for label in model.classes_.tolist()],
        "learner": model.record_.learner,
        "data": {name: value for name, value in data.items() if name not in HIDDEN},
        "columns": data.get("layout") or list(model.features_.columns),
        "instances": len(own),
        "settings": {"k": own.how.k, "metric": own.how.metric, "decay": own.how.decay},
        "weights": {
            "memory": [
                {"feature": name, "weight": weight, "values": values}
                for name, weight, values in model.inspect(top)
            ]
        },
    }


def show_weights(out: Any, weights: dict[str, Any]) -> None:
    """A row of features for each tag, then transitions: the highest, and after | the lowest."""
    from rich.table import Table

    from linnet.explain.shown import Text

    if "memory" in weights:
        made = Table(box=None, pad_edge=False)
        for title in ("weight", "values", ""):
            made.add_column(title, justify="left" if title == "" else "right", overflow="fold")
        for row in weights["memory"]:
            made.add_row(f"{row['weight']:.6f}", f"{row['values']:,}", Text(row["feature"]))
        out.print()
        out.print(made)
        return
    if "rules" in weights:
        made = Table(box=None, pad_edge=False)
        for title in ("rule", "fixed", "broken", ""):
            made.add_column(title, justify="left" if title == "" else "right", overflow="fold")
        for row in weights["rules"]:
            made.add_row(
                str(row["number"]), f"{row['fixed']:,}", f"{row['broken']:,}", Text(row["rule"])
            )
        out.print()
        out.print(made)
        return
    made = Table(box=None, pad_edge=False, show_header=False)
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")

    def listed(pairs: Any) -> Any:
        cells = [Text.assemble(name, (f" {weight:.3g}", "dim")) for name, weight in pairs]
        return Text("   ").join(cells)

    def add(title: str, row: dict[str, Any]) -> None:
        parts = [listed(row[side]) for side in ("top", "bottom") if row[side]]
        if parts:
            made.add_row(Text(title), Text("   |   ").join(parts))

    for tag, row in weights["tags"].items():
        add(tag, row)
    add("transitions", weights["transitions"])
    add("observed", weights["observed"])
    for title in ("start", "stop"):
        if weights[title]:
            pairs = sorted(weights[title].items(), key=lambda pair: -pair[1])
            made.add_row(Text(title), listed(pairs))
    out.print()
    out.print(made)
