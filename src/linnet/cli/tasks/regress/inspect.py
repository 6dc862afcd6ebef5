"""``linnet inspect`` with a regressor."""

from __future__ import annotations

import os
from typing import Any

from linnet.cli.tasks.classify.data import reads_texts
from linnet.cli.tasks.classify.inspect import kernel_shown, show_weights, weights_shown

__all__ = ["inspection", "show_weights"]


def inspection(model: Any, path: str, top: int, labels: tuple[str, ...] | None) -> dict[str, Any]:
    """Plain data, for JSON or the eye."""
    record = model.record_
    found: dict[str, Any] = {
        "file": path,
        "bytes": os.path.getsize(path),
        "kind": "text regressor" if reads_texts(model) else "linear regressor",
    }
    found |= {
        name: getattr(record, name)
        for name in ("loss", "learner", "penalty", "C", "objective", "stopped", "data")
    }
    found["passes"] = record.n_iter
    found |= kernel_shown(model)
    if reads_texts(model) and model.features_ is not None:
        found["features"] = {"number": model.features_.n_features, "settings": repr(model.features_)}
        found["chosen"] = model.why_
    found["weights"] = weights_shown(model, top, labels)
    return found
