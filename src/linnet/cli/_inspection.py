"""What is in a model: settings, record, the largest weights."""

from __future__ import annotations

import os
from typing import Any

from linnet.cli._data import is_parser, is_tagger


def inspection(model: Any, path: str, top: int, labels: tuple[str, ...] | None) -> dict[str, Any]:
    """Plain data, for JSON or the eye."""
    if is_parser(model):
        from linnet.cli.parsing.inspect import inspection as of_parser

        return of_parser(model, path, top, labels)
    if is_tagger(model):
        from linnet.cli.tagging.inspect import inspection as of_tagger

        return of_tagger(model, path, top, labels)
    record = model.record_
    found: dict[str, Any] = {
        "file": path,
        "bytes": os.path.getsize(path),
        "kind": "text classifier" if hasattr(model, "features_") else "linear classifier",
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
    if hasattr(model, "features_"):
        found["features"] = {"number": model.features_.n_features, "settings": repr(model.features_)}
        found["chosen"] = list(model.choice_.why)
    found["weights"] = _weights(model, top, labels)
    return found


def _weights(model: Any, top: int, labels: tuple[str, ...] | None) -> dict[str, Any] | str:
    from linnet.errors import DataError
    from linnet.explain import top_weights

    if not hasattr(model, "features_"):
        return _numbered(model, top, labels)
    try:
        rows = top_weights(model.features_, model.model_, model.classes_.tolist(), top).to_dict()
    except DataError as error:  # names were dropped
        return str(error)
    return {label: row for label, row in rows.items() if labels is None or label in labels}


def _numbered(model: Any, top: int, labels: tuple[str, ...] | None) -> dict[str, Any]:
    import numpy as np

    names = model.get_feature_names_out()
    classes = [str(label) for label in model.classes_.tolist()]
    coef = model.coef_ if len(model.coef_) > 1 else np.vstack([-model.coef_, model.coef_])
    return {
        label: {
            "features": [
                {"name": str(names[j]), "weight": float(row[j])}
                for j in np.argsort(-row, kind="stable")[:top]
            ]
        }
        for label, row in zip(classes, coef, strict=True)
        if labels is None or label in labels
    }


def show(found: dict[str, Any]) -> None:
    """Facts, one a line, then a row of features for each label."""
    from rich.table import Table
    from rich.text import Text

    from linnet.cli._tables import console as console_for_tables

    console = console_for_tables()
    facts = Table(box=None, pad_edge=False, show_header=False)
    facts.add_column(style="dim", no_wrap=True)
    facts.add_column(overflow="fold")
    for name, value in found.items():
        if name in ("weights", "chosen") or value in (None, {}, ""):
            continue
        facts.add_row(name, Text(_shown(name, value)))
    for line in found.get("chosen", ()):
        facts.add_row("chosen", Text(line))
    console.print(facts)
    if isinstance(found["weights"], str):
        console.print(found["weights"])
        return
    if found["kind"] == "parser":
        from linnet.cli.parsing.inspect import show_weights as show_arcs

        show_arcs(console, found["weights"])
        return
    if found["kind"] == "tagger":
        from linnet.cli.tagging.inspect import show_weights

        show_weights(console, found["weights"])
        return
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for label, row in found["weights"].items():
        cells = [Text.assemble(f["name"], (f" {f['weight']:.3g}", "dim")) for f in row["features"]]
        table.add_row(Text(label), Text("   ").join(cells))
    console.print()
    console.print(table)


def _shown(name: str, value: Any) -> str:
    if name == "bytes":
        return f"{value:,}"
    if name == "labels":
        return f"{len(value)}: {', '.join(value[:12])}{', …' if len(value) > 12 else ''}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{k} {v:,}" if isinstance(v, int) else f"{k} {v}" for k, v in value.items())
    return f"{value:.6g}" if isinstance(value, float) else str(value)
