"""``linnet inspect`` with a parser of phrases."""

from __future__ import annotations

import os
from typing import Any


def inspection(model: Any, path: str, top: int, labels: tuple[str, ...] | None) -> dict[str, Any]:
    """Plain data, for JSON or the eye."""
    record, inner = model.record_, model.model_
    if not hasattr(inner, "chains"):
        return _grammar(model, path, top, labels)
    chains = ["+".join(chain) for chain in inner.chains if not labels or set(labels) & set(chain)]
    return {
        "file": path,
        "bytes": os.path.getsize(path),
        "kind": "constituency parser",
        "labels": [str(label) for label in model.classes_.tolist()],
        "chains": chains,
        "loss": record.loss,
        "learner": record.learner,
        "penalty": record.penalty,
        "C": record.C,
        "passes": record.n_iter,
        "objective": record.objective,
        "stopped": record.stopped,
        "data": record.data,
        "taggers": list(model.taggers_),
        "features": {"of spans": inner.spans.n_features},
        "chosen": model.why_,
        "weights": "features of spans are hashed, and have no names; linnet explain names those of a "
        "sentence",
    }


def _grammar(model: Any, path: str, top: int, labels: tuple[str, ...] | None) -> dict[str, Any]:
    """Rules and what they weigh, of a parser with a grammar."""
    grammar, record = model.grammar_, model.record_
    rules: dict[str, list[tuple[float, str]]] = {}
    for left, right, weight in grammar.rules():
        words = " ".join(part if isinstance(part, str) else repr(part.text) for part in right)
        rules.setdefault(left, []).append((float(weight), words))
    shown = {
        left: [[words, weight] for weight, words in sorted(own, key=lambda each: -each[0])[:top]]
        for left, own in rules.items()
        if labels is None or left.split("^")[0].split("|")[0] in labels
    }
    return {
        "file": path,
        "bytes": os.path.getsize(path),
        "kind": "parser with a grammar",
        "labels": [str(label) for label in model.classes_.tolist()],
        "loss": record.loss,
        "learner": record.learner,
        "penalty": record.penalty,
        "passes": record.n_iter,
        "stopped": record.stopped,
        "data": record.data,
        "symbols": len(grammar.symbols),
        "rules": len(grammar),
        "words": len(grammar.words),
        "weights": shown,
    }


def show_weights(out: Any, weights: Any) -> None:
    """The heaviest rules of each symbol; features of spans have nothing to list."""
    if isinstance(weights, str):
        out.print(weights)
        return
    for left, rules in weights.items():
        for right, weight in rules:
            out.print(f"{weight:9.4g}  {left} -> {right}", markup=False, highlight=False)
