"""Whether a model has probabilities; and where it has none, why, and what to train in its place."""

from __future__ import annotations

from typing import Any

import click

# Of methods, by the name that the record of training has.
METHODS = {
    "brill": "rules give no probabilities",
    "decision list": "a decision list gives no probabilities",
    "ib1": "neighbours vote for single tags, and give no probabilities",
    "igtree": "a tree of values gives one answer, and no probabilities",
}
INSTEAD = {
    "classify": "train without --preset, or with --preset memory, whose votes have shares",
    "symbols": "train with --preset memory, whose votes have shares",
    "tag": "train with --preset crf",
}


def need_probabilities(model: Any, option: str) -> None:
    """Refuse an option that asks for them."""
    if model.no_probabilities() is not None:
        raise click.UsageError(f"{option}: {_told(model)}")


def _told(model: Any) -> str:
    method = model.record_.learner
    if model.task == "regress":
        return "a regressor predicts one number, without a probability"
    if method in METHODS:
        return f"{METHODS[method]}; {INSTEAD[model.task]}"
    if hasattr(model.model_, "kernel"):
        return (
            "scores of a machine with a kernel are margins, not probabilities; train without --kernel"
        )
    inner = getattr(model, "classifier_", model)
    if hasattr(inner, "reduced") and inner.reduced():
        return (
            f"sums of margins (--multiclass {inner.multiclass}) are no probabilities; train with "
            f"--multiclass joint"
        )
    margins = "the scores of this model are margins, not probabilities; train with --loss logistic"
    if hasattr(model, "calibrators_") and model.reads_text and model.task == "classify":
        return f"{margins}, or for one label per text with --calibration auto"
    return f"{margins} (a CRF)" if model.task == "tag" else margins
