"""``linnet inspect`` with a parser of phrases."""

from __future__ import annotations

import os
from typing import Any


def inspection(model: Any, path: str, top: int, labels: tuple[str, ...] | None) -> dict[str, Any]:  # noqa: ARG001
    """Plain data, for JSON or the eye."""
    record, inner = model.record_, model.model_
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


def show_weights(out: Any, weights: Any) -> None:
    """There is nothing to list."""
    out.print(weights)
