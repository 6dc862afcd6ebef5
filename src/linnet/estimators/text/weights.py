"""How much each text counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data import Examples
from linnet.errors import DataError
from linnet.estimators.labels import class_weights
from linnet.estimators.text.missing import Settled
from linnet.estimators.text.targets import Targets


def weights_of(
    X: Any, given: Any, class_weight: Any, targets: Targets, found: Settled
) -> NDArray[np.float64]:
    """Sample weight × class weight; examples bring weights along, unless others are given."""
    n = len(targets)
    if given is None and isinstance(X, Examples):
        given = X.weights
    if found.kept is not None and given is not None and np.shape(given) == (found.before,):
        given = found.left(given)
    try:
        weights = np.ones(n) if given is None else np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    if weights.shape != (n,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise DataError(f"sample_weight must be {n} numbers of 0 or more")
    if class_weight is not None and targets.several:  # no one class to weigh
        raise ValueError("class_weight is for one label per text; weigh the texts by sample_weight")
    if class_weight is not None:
        weights = weights * class_weights(class_weight, targets.classes, targets.codes, weights)
    if not weights.any():
        raise DataError("sample_weight: all weights are zero, so there is nothing to learn from")
    return weights
