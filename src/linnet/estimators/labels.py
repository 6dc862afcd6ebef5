"""Labels as users give them, and what instances weigh by them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet._params import number
from linnet.errors import DataWarning
from linnet.estimators.base import Labels

MANY_LABELS = 1000


def are_odd_labels(labels: int, examples: int) -> bool:
    """Are most of them seen once? Then they are something else, texts or numbers of lines."""
    return examples >= 4 and 2 * labels > examples


def warn_of_labels(classes: Labels, examples: int) -> None:
    """Many labels, most of them seen once, take much time and memory, and are a mistake as a rule."""
    if len(classes) >= MANY_LABELS and are_odd_labels(len(classes), examples):
        warnings.warn(
            f"y has {len(classes):,} labels for {examples:,} examples; is something else taken for the "
            f"label? The first ones are {str(classes[0])[:40]!r} and {str(classes[1])[:40]!r}",
            DataWarning,
            stacklevel=3,
        )


def is_named(X: Any) -> bool:
    """Named features: a list of mappings, or of lists of names."""
    if not isinstance(X, (list, tuple)):
        return False
    for first in X:
        if isinstance(first, Mapping):
            return True
        if isinstance(first, str) or not isinstance(first, Sequence):
            return False
        if len(first) > 0:
            return isinstance(first[0], str)
    return False


def weighing(weights: NDArray[np.float64]) -> NDArray[np.intp] | None:
    """Which instances have a weight above 0; None: all. One of weight 0 is as good as absent."""
    return None if weights.all() or not weights.any() else np.flatnonzero(weights)


def numbered_as_given(facts: dict[str, Any], kept: NDArray[np.intp]) -> dict[str, Any]:
    """Facts of training with instances counted among all that were given, not those that were kept."""
    return {
        name: numbered_as_given(value, kept)
        if isinstance(value, dict)
        else kept[value]
        if name == "support_vectors"
        else value
        for name, value in facts.items()
    }


def class_weights(
    setting: Any, classes: Labels, labels: NDArray[np.integer[Any]], sample_weight: Any = None
) -> Any:
    """One factor per instance: 'balanced' is n / (K · count(y)), an instance counted by its weight."""
    if setting is None:
        return np.ones(len(labels))
    if isinstance(setting, str):
        if setting != "balanced":
            raise ValueError(f"class_weight must be None, 'balanced' or a dict, not {setting!r}")
        counts = np.bincount(labels, sample_weight, minlength=len(classes))
        return (counts.sum() / (len(classes) * np.where(counts > 0, counts, 1)))[labels]
    if not isinstance(setting, Mapping):
        raise ValueError(f"class_weight must be None, 'balanced' or a dict, not {setting!r}")
    factors = np.ones(len(classes))
    known = {label: k for k, label in enumerate(classes.tolist())}
    for label, factor in setting.items():
        if label not in known:
            raise ValueError(f"class_weight names {label!r}, which is not among the labels")
        if not 0 <= number(factor) < float("inf"):
            raise ValueError(f"class_weight of {label!r} must be 0 or more, not {factor!r}")
        factors[known[label]] = factor
    return factors[labels]


def class_weight_on_stream(setting: Any, classes: Labels) -> Any:
    """The class weights of a batch; labels they name may be yet to come."""
    if isinstance(setting, str) and setting == "balanced":
        raise ValueError("class_weight='balanced' needs all data at once; on a stream give a dict")
    if not isinstance(setting, Mapping):
        return setting
    known = set(classes.tolist())
    return {label: factor for label, factor in setting.items() if label in known}
