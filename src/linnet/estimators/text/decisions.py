"""From scores or probabilities to labels: thresholds per label, several labels, or "unsure"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet._params import number
from linnet.estimators.base import Labels

Array = NDArray[np.float64]


def thresholds_of(setting: Any, classes: Labels, default: float) -> Array:
    """One probability per label: a number for all, or a dict for some."""
    found = np.full(len(classes), default)
    if setting is None:
        return found
    if isinstance(setting, Mapping):
        known = {label: k for k, label in enumerate(classes.tolist())}
        for label, value in setting.items():
            if label not in known:
                raise ValueError(f"thresholds name {label!r}, which is not among the labels")
            found[known[label]] = _probability(value, f"threshold of {label!r}")
        return found
    found[:] = _probability(setting, "thresholds")
    return found


def _probability(value: Any, name: str) -> float:
    if not 0 <= number(value) <= 1:
        raise ValueError(f"{name} must be a probability between 0 and 1, not {value!r}")
    return float(value)


def with_unsure(
    best: NDArray[np.intp], probabilities: Array, thresholds: Array, classes: Labels, unsure: Any
) -> Labels:
    """The best label, or ``unsure`` where its probability is below its threshold."""
    sure = probabilities[np.arange(len(best)), best] >= thresholds[best]
    if classes.dtype.kind == "U" and isinstance(unsure, str):
        width = max(classes.dtype.itemsize // 4, len(unsure))
        chosen = classes.astype(f"<U{width}")[best]
    else:
        chosen = classes.astype(object)[best]
    chosen[~sure] = unsure
    return chosen


def tabulated(above: NDArray[np.bool_], table: str) -> Any:
    """A matrix of 0 and 1, as labels were given: an array, or a matrix of SciPy."""
    if table == "dense":
        return above.astype(np.int64)
    from scipy.sparse import csr_matrix

    return csr_matrix(above, dtype=np.int64)


def several(above: NDArray[np.bool_], classes: Labels) -> list[tuple[Any, ...]]:
    """The labels of each row of a table of yes and no, in the order of ``classes``."""
    names = classes.tolist()
    return [tuple(names[k] for k in np.flatnonzero(row)) for row in above]
