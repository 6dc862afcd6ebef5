"""One label for each instance: two that share one weight per feature, or several with their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.elsewhere import RowsElsewhere
from linnet.data.matrix import as_rows, rows_between
from linnet.errors import RefusedError
from linnet.structures.base import Reals, Structure, Trait
from linnet.structures.families import Family
from linnet.structures.problem import Elsewhere, Problem
from linnet.structures.solvers import CertifiedSolver, MarginSolver


@dataclass(frozen=True)
class Flat(Structure):
    """Rows of features and a label for each of them."""

    rows: _core.Rows
    labels: NDArray[np.int32]
    n_labels: int = 2
    costs: Reals | None = None  # (labels, labels): [gold, predicted]; 1 of each wrong one if none

    binary: ClassVar[bool]
    complete: ClassVar[str] = "the label of every instance"

    def dataset(self, weights: Reals) -> _core.BlockData:
        """Block features: every label has its own copy of the features of x, or two share one."""
        return _core.BlockData(
            self.rows, self.labels, self.n_labels, self.binary, weights, costs=self.costs
        )

    @property
    def size(self) -> int:
        """Of rows."""
        return len(self.labels)

    @property
    def width(self) -> int:
        """Scores per row; two labels have the sign of one."""
        return 1 if self.binary else self.n_labels

    @property
    def n_weights(self) -> float:
        """With padding."""
        return (self.rows.features + 1.0) * _core.padded(self.width)

    @property
    def weighs_mistakes(self) -> bool:
        """By a table of costs."""
        return self.costs is not None

    def log_outputs(self) -> float:
        """As many as labels."""
        return math.log(self.n_labels)

    def labelled_rows(self) -> tuple[_core.Rows, NDArray[np.int32]]:
        """As they are."""
        return self.rows, self.labels

    def part(self, begin: int, end: int) -> Flat:
        """Some of the rows."""
        return replace(
            self, rows=rows_between(self.rows, begin, end), labels=self.labels[begin:end].copy()
        )

    def refuse_costs(self, learner: str) -> None:
        """Duals know of no table of costs."""
        if self.costs is not None:
            raise RefusedError(
                f"{learner} knows no table of costs: every wrong label costs 1; use 'sgd' or 'lbfgs'"
            )


class Binary(Flat):
    """Yes or no."""

    name = "binary"
    plural = "problems of two labels"
    outputs = "one of two labels"
    traits = frozenset(
        {
            Trait.ONE_SCORE,
            Trait.LISTED,
            Trait.LABELS,
            Trait.COUNTED,
            Trait.EXACT_SUMS,
            Trait.VOTED,
        }
    )
    duals = frozenset({"hinge", "squared_hinge", "logistic"})
    binary = True

    def one_score(self) -> tuple[_core.Rows, NDArray[np.int32]]:
        """The second label is yes."""
        return self.rows, self.labels

    def dual(self, problem: Problem, *, shrinking: bool) -> CertifiedSolver:
        """Hsieh et al. 2008; Yu, Huang and Lin 2011."""
        self.refuse_costs("dual")
        core = _core.DualBinary(
            self.rows,
            self.labels,
            problem.costs,
            problem.loss,
            tol=problem.tol,
            seed=problem.seed,
            shuffle=problem.shuffle,
            shrink=shrinking,
            free_intercept=not problem.penalize_intercept,
        )
        return MarginSolver(core)


class Multiclass(Flat):
    """One of several labels, each with a block of weights."""

    name = "multiclass"
    plural = "problems of several labels"
    outputs = "one of several labels"
    traits = frozenset(
        {
            Trait.LISTED,
            Trait.LABELS,
            Trait.SPLITS,
            Trait.COUNTED,
            Trait.EXACT_SUMS,
            Trait.VOTED,
        }
    )
    duals = frozenset({"hinge", "logistic"})
    duals_why = "the dual mass of an instance would be unbounded; use 'sgd'"
    binary = False

    def dual(self, problem: Problem, *, shrinking: bool) -> CertifiedSolver:
        """Crammer and Singer (2001) for hinge, multinomial maximum entropy for logistic."""
        self.refuse_costs("dual")
        what = self.rows, self.labels, problem.costs, self.n_labels
        if problem.loss == "logistic":
            return CertifiedSolver(_core.MaxEntDual(*what, tol=problem.tol, seed=problem.seed))
        core = _core.CrammerSingerDual(
            *what,
            tol=problem.tol,
            seed=problem.seed,
            free_intercept=not problem.penalize_intercept,
        )
        return MarginSolver(core)

    def against_the_rest(self, label: int) -> Binary:
        """The label is yes."""
        return Binary(self.rows, (self.labels == label).astype(np.int32))

    def families(self, flat: Reals) -> list[Family]:
        """Features given a label, and labels: their counts are those of the constant feature."""
        block = self.layout.blocks[0].of(flat)
        return [Family((block[1:].T,), events=True), Family((block[:1],), events=False)]


def flat(rows: _core.Rows, labels: NDArray[np.int32], n_labels: int, one_column: bool) -> Flat:
    """Two labels may share one column of weights."""
    return Binary(rows, labels) if one_column else Multiclass(rows, labels, n_labels)


@dataclass(frozen=True)
class FlatRecipe:
    """A recipe: rows are made, labels and weights come along."""

    rows: Callable[[], Any]
    labels: NDArray[np.int32]
    weights: Reals | float  # one number: all weigh the same
    n_labels: int
    one_column: bool
    bias: float

    def __call__(self) -> tuple[Flat, Reals]:
        rows = as_rows(self.rows(), self.bias)
        weights = np.broadcast_to(self.weights, self.labels.shape)
        made = flat(rows, self.labels, self.n_labels, self.one_column)
        return made, np.ascontiguousarray(weights, np.float64)


def flat_elsewhere(
    rows: RowsElsewhere, labels: NDArray[np.int32], weights: Reals, n_labels: int, one_column: bool,
    bias: float,
) -> tuple[Flat, Elsewhere]:  # fmt: skip
    """The layout of rows that are not here, and the shards that they lie in."""
    same = bool((weights == weights[0]).all())
    recipes = tuple(
        FlatRecipe(
            recipe,
            labels[begin:end],
            float(weights[0]) if same else weights[begin:end],
            n_labels,
            one_column,
            bias,
        )
        for recipe, (begin, end) in zip(rows.recipes, rows.bounds(), strict=True)
    )
    digest = blake2b(f"{rows.fingerprint} {bias}".encode(), digest_size=16)
    digest.update(labels.tobytes())
    digest.update(weights.tobytes())
    elsewhere = Elsewhere(recipes, rows.sizes, float(weights.sum()), digest.hexdigest())
    return flat(as_rows(rows, bias), labels[:0], n_labels, one_column), elsewhere
