"""Several labels by problems of two, over any machine with a kernel that knows two.

As `linnet.estimators.linear.reductions`, of which the codes are: each against the rest, pairs,
error-correcting codes, and Kesler's construction, whose examples are constraints between labels. In the
dual the latter needs no vectors written out: its kernel is that of the examples, times what the labels
have in common.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._memory import byte_size
from linnet.estimators.grid_settings import REDUCTIONS
from linnet.estimators.kernels.input import Array, KernelEstimator, dense_gram
from linnet.estimators.linear.reductions import Codes, output_code, pair_code, smallest_distance
from linnet.kernels.base import take
from linnet.kernels.vectors import VectorKernel
from linnet.learners.checks import check_room

Numbers = NDArray[np.int32]
# Of a cache, signs and places among the examples: their coefficients, and the intercept.
Learn = Callable[[_core.GramCache, Array, NDArray[np.int64]], tuple[Array, float]]

HELD = (
    40 * 4 + 16 + 64
)  # bytes a constraint: rows that a cache has at least, labels, what learners keep


def rest_code(labels: int) -> Codes:
    """A column for each label: it is yes, all others no."""
    return np.where(np.eye(labels, dtype=bool), 1, -1).astype(np.int8)


def code_of(way: str, labels: int, seed: int) -> Codes:
    """What each machine is asked of each label."""
    if way == "rest":
        return rest_code(labels)
    return pair_code(labels) if way in ("pairs", "pairs_votes") else output_code(labels, seed)


def learn_code(
    machine: KernelEstimator, examples: Any, labels: Numbers, codes: Codes, learn: Learn
) -> tuple[Array, Array]:
    """(examples, machines) and intercepts: a machine for each column of a code."""
    columns, intercepts = np.zeros((len(labels), codes.shape[1])), np.zeros(codes.shape[1])
    all_asked = bool((codes != 0).all())
    whole_cache = machine._cached(machine._gram(examples)) if all_asked else None
    by_rows = isinstance(machine.kernel_, VectorKernel)
    matrix = None if all_asked or by_rows else machine._matrix(examples)
    for b, asked in enumerate(codes.T):
        places = np.flatnonzero(asked[labels])
        if whole_cache is not None:
            cache = whole_cache
        elif matrix is not None:
            cache = machine._cached(dense_gram(matrix[np.ix_(places, places)]))
        else:
            cache = machine._cached(machine._gram(take(examples, places)))
        signs = asked[labels[places]].astype(np.float64)
        columns[places, b], intercepts[b] = learn(cache, signs, places)
    return columns, intercepts


def summed(
    way: str, codes: Codes, columns: Array, intercepts: Array
) -> tuple[Array, Array, Codes | None]:
    """Columns of scores; with votes those of the machines, and the code that they vote by."""
    if way == "rest":
        return columns, intercepts, None
    if REDUCTIONS[way]:
        return columns, intercepts, codes
    return columns @ codes.T.astype(np.float64), intercepts @ codes.T, None


def facts_of(way: str, codes: Codes) -> dict[str, Any]:
    """For the record."""
    if way == "rest":
        return {}
    return {
        "reduction": way,
        "classifiers": codes.shape[1],
        "distance": smallest_distance(codes),
    }


class Constraints:
    """Kesler's construction: (x, y, y′) for each wrong label y′, all of them positive examples.

    ``cache`` has rows of their kernel; the constant is a feature of each label. With ``zeros`` there is
    one example more, without features, whose free coefficient takes the place of an intercept.
    """

    def __init__(
        self,
        machine: KernelEstimator,
        examples: Any,
        labels: Numbers,
        width: int,
        *,
        constant: float = 0.0,
        zeros: bool = False,
    ) -> None:
        n = len(labels)
        self.labels, self.width, self.count = labels, width, n * (width - 1)
        told = f"{self.count:,} constraints between labels"
        check_room(float(HELD) * self.count, "kesler", told, "; else use multiclass='joint'")
        half = max(byte_size("cache", machine.cache) // 2, 1)
        of_examples = _core.GramCache(machine._gram(examples), half)
        gram = _core.ConstraintGram(of_examples, labels, width, constant, zeros)
        self.cache = _core.GramCache(gram, half)

    @property
    def facts(self) -> dict[str, Any]:
        """For the record."""
        return {"reduction": "kesler", "constraints": self.count}

    def example(self, constraint: NDArray[np.int64]) -> NDArray[np.int64]:
        """Whose constraints these are."""
        return constraint // (self.width - 1)

    def wrong(self, constraint: NDArray[np.int64]) -> Numbers:
        """The labels that are to be below."""
        found = (constraint % (self.width - 1)).astype(np.int32)
        return found + (found >= self.labels[self.example(constraint)])

    def by_label(self, coefficients: Array) -> Array:
        """(examples, labels): each constraint raises the gold label and lowers the wrong one."""
        every = np.arange(self.count)
        found = np.zeros((len(self.labels), self.width))
        of = self.example(every)
        found[of, self.wrong(every)] = -coefficients
        found[np.arange(len(self.labels)), self.labels] = coefficients.reshape(
            len(self.labels), self.width - 1
        ).sum(axis=1)
        return found
