"""``linnet train --kernel``: a support vector machine of texts, strings or numbers."""

from __future__ import annotations

from typing import Any

import click

from linnet.cli.learning import LEARNING
from linnet.cli.options import refuse_given
from linnet.cli.tasks.classify.data import named_rows
from linnet.cli.tasks.classify.options import FEATURES, JOINED, text_features
from linnet.errors import DataError

KEPT = ("C", "tol", "max_iter", "multiclass", "balanced")
OTHERS = ("memory", "cache", "start", "lexicon", "progressive", "calibration", "engine", "shards")


def check_options() -> None:
    """Those of linear models make no sense here."""
    other = tuple(name for name in LEARNING if name not in KEPT)
    reason = "--kernel trains a support vector machine, which knows no such thing"
    refuse_given((*other, *OTHERS, *JOINED, "checkpoint", "resume"), reason)


def machine(given: dict[str, Any]) -> Any:
    """The estimator that the options describe."""
    from linnet.estimators import KernelSVM
    from linnet.kernels import kernel_named

    said = {name: given[name] for name in KEPT[:-1] if given.get(name) is not None}
    if given.get("balanced"):
        said["class_weight"] = "balanced"
    try:
        kernel = kernel_named(given["kernel"])
    except ValueError as error:
        raise click.UsageError(f"--kernel: {error}") from None
    if kernel.reads not in ("rows", "strings"):
        raise click.UsageError(
            f"--kernel {given['kernel']}: it is one of {kernel.reads}, and DATA holds texts or "
            f"numbers; use KernelSVM from Python"
        )
    return KernelSVM(kernel, random_state=given["seed"], n_jobs=given["threads"], **said)


def train_kernel(examples: Any, given: dict[str, Any], zero_based: bool) -> Any:
    """The model of texts, or of rows of numbers."""
    import numpy as np

    model = machine(given)
    labels = examples.labels
    if labels.multilabel:
        raise DataError(f"{examples.source} has examples of several labels; a machine learns one")
    if examples.texts is None:
        refuse_given(FEATURES, f"for texts; {examples.source} holds numbers")
        rows = examples.matrix if examples.feature_names is None else named_rows(examples)
    else:
        features = text_features(given)
        model.features = None if isinstance(features, str) else features
        rows = examples
    model.fit(rows, np.array(labels.names)[labels.codes], sample_weight=examples.weights)
    if examples.texts is None:
        model.record_.data = {"rows": len(labels), "zero_based": zero_based}
    return model
