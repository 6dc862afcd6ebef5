"""What mistakes cost: of one tag for another, and of tokens by their own tag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet._params import number
from linnet.estimators.labels import class_weights

Array = NDArray[np.float64]


def cost_table(cost: Any, tags: Sequence[str]) -> Array | None:
    """(gold, predicted); None is the Hamming cost, 1 for each wrong tag."""
    if cost is None or (isinstance(cost, str) and cost == "hamming"):
        return None
    table = 1.0 - np.eye(len(tags))
    if not isinstance(cost, Mapping):
        raise ValueError("cost must be None, 'hamming' or a dict {(gold, predicted): cost}")
    code = {tag: k for k, tag in enumerate(tags)}
    for pair, value in cost.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or any(tag not in code for tag in pair):
            raise ValueError(f"cost names {pair!r}, which is no pair of tags among {', '.join(tags)}")
        if not 0 <= number(value) < float("inf"):
            raise ValueError(f"the cost of {pair!r} must be 0 or more, not {value!r}")
        if pair[0] == pair[1] and value != 0:
            raise ValueError(f"the right tag costs nothing, but cost gives {pair!r} {value!r}")
        table[code[pair[0]], code[pair[1]]] = value
    return table


def label_factors(class_weight: Any, tags: Sequence[str], labels: NDArray[np.int32]) -> Array | None:
    """A factor for each token by its tag; 1 where that is missing."""
    if class_weight is None:
        return None
    known = labels >= 0
    factors = np.ones(len(labels))
    factors[known] = class_weights(class_weight, np.asarray(tags), labels[known])
    return factors
