"""What a learner is handed, what it declares and what the training loop drives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import Params
from linnet.data.chains import ChainShape
from linnet.data.tree_shape import TreeShape
from linnet.losses import LOSSES
from linnet.regularisers import PENALTIES

ALL_LOSSES = frozenset(LOSSES) - {"joint_likelihood"}
ALL_PENALTIES = frozenset(PENALTIES)

Weights = NDArray[np.float32] | NDArray[np.float64]

# Structures with more outputs than can be listed.
_OUTPUTS = {
    "chain": ("chains", "a sequence of n tokens has probability labels^−n"),
    "tree": ("trees", "a tree is one of exponentially many"),
}


class Scorer(Protocol):
    """Scores rows in place of the weights; can be pickled."""

    def __call__(self, rows: _core.Rows) -> NDArray[np.float64]:
        """(rows, width)."""


class LabelRows(NamedTuple):
    """Weights of few labels per feature: row r is ``starts[r]:starts[r + 1]``, 0 the constant one's."""

    starts: NDArray[np.int64]
    labels: NDArray[np.int32]  # they ascend within a row
    weights: NDArray[np.float32]


@dataclass(frozen=True)
class Learnt:
    """What to predict with: flat weights, and what scores in their place, if anything does.

    Of chains, ``states`` are the weights of pairs of feature and label; ``weights`` are then the
    transitions', (labels, labels), and those of first and last labels if these have any. Without
    ``states`` they lie as the core's ChainData says.
    """

    weights: Weights
    scorer: Any = None  # a Scorer; of chains a voter
    states: LabelRows | None = None


class Solver(Protocol):
    """Training in progress: Python asks for one pass at a time."""

    counts_mistakes: bool = True  # sees what it would have predicted, instance by instance
    plain: bool = False  # arrays of its own: pickled, and left as it was by those that go on from it

    def epoch(self) -> _core.EpochStats:
        """Make one pass over the data, or one iteration."""

    def weights(self) -> Weights:
        """The weights to predict with, flat, in blocks of (features + 1) × stride."""

    def certify(self) -> _core.EpochStats | None:
        """Objective and gap of the weights as they are, from a solver that can tell."""
        return None

    def scorer(self) -> Any:
        """What scores in place of the weights, as it stands now."""
        return None

    def states(self) -> LabelRows | None:
        """Sparse weights of chains, see `Learnt`."""
        return None


@dataclass(frozen=True)
class Cell:
    """A place in the grid: what a learner is asked whether it can do."""

    structure: str  # binary, multiclass, candidates, chain or tree
    loss: str
    penalty: str
    average: bool = False
    penalize_intercept: bool = True
    warm_start: bool = False


@dataclass(frozen=True)
class Problem:
    """Data and objective, P(w) = l1·‖w‖₁ + l2·½‖w‖² + Σ c_i ℓ_i(w) with c_i = C · weight_i."""

    rows: _core.Rows
    labels: NDArray[np.int32]
    n_labels: int
    cell: Cell
    weights: NDArray[np.float64]  # sample × class weights
    l1: float
    l2: float
    C: float
    tol: float
    seed: int
    shuffle: bool = True
    margin: float = 1.0
    threads: int = 1
    initial: Weights | None = None  # flat weights to start from
    offsets: NDArray[np.int64] | None = None  # rows of candidate list or sentence i: [o_i, o_i+1)
    chain: ChainShape | None = None  # labels are then one per row, -1 where missing
    tree: TreeShape | None = None  # labels are then heads, one per token; rows are of arcs
    spend_rows: bool = False  # nobody else reads them: a solver with a copy of its own lets them go

    @property
    def binary(self) -> bool:
        """One weight per feature."""
        return self.cell.structure == "binary"

    @property
    def width(self) -> int:
        """Scores per site."""
        return self.n_labels if self.cell.structure in ("multiclass", "chain") else 1

    @cached_property
    def alpha(self) -> float:
        """Strength of the penalty beside the mean loss: the same minimiser as C beside the sum."""
        total = float(self.weights.sum())
        return 1.0 / (self.C * total) if total > 0 else 0.0

    def data(self, c: NDArray[np.float64] | None = None) -> _core.Dataset:
        """The instances for the core, weighted by ``c`` (default: sample × class weights)."""
        weights = self.weights if c is None else c
        if self.chain is not None:
            assert self.offsets is not None
            return self.chain.data(self.rows, self.offsets, self.labels, self.n_labels, weights)
        if self.tree is not None:
            assert self.offsets is not None
            return self.tree.data(self.rows, self.offsets, self.labels, weights)
        if self.offsets is not None:
            return _core.CandidateData(self.rows, self.offsets, self.labels, weights)
        return _core.BlockData(self.rows, self.labels, self.n_labels, self.binary, weights)

    @property
    def unit(self) -> int:
        """What divides all strides of the weights: so many share the clock of a lazy penalty."""
        data = self.data()
        return data.unit if isinstance(data, _core.ChainData | _core.SegmentData) else data.stride

    @property
    def costs(self) -> NDArray[np.float64]:
        """c_i = C · weight_i; no weight, no cost, also at C = ∞."""
        costs = np.zeros_like(self.weights)
        np.multiply(self.C, self.weights, out=costs, where=self.weights > 0)
        return costs

    def initial_of(self, label: int) -> Weights | None:
        """The column of one label in the weights to start from."""
        if self.initial is None:
            return None
        block = self.initial.astype(np.float64).reshape(-1, _core.padded(self.n_labels))
        return np.ascontiguousarray(block[:, label])

    def against_the_rest(self, label: int) -> Problem:
        """The binary problem of one label against all others."""
        return replace(
            self,
            labels=(self.labels == label).astype(np.int32),
            n_labels=2,
            cell=replace(self.cell, structure="binary"),
            initial=self.initial_of(label),
        )


class Learner(Params):
    """Base of all learners: settings, and a declaration of what they can do.

    The composer (`linnet.training`) checks the declaration and turns a refusal into an error that
    says why and what to use instead.
    """

    name: ClassVar[str]
    family: ClassVar[str]  # counting, online, batch, dual or coordinate
    losses: ClassVar[frozenset[str]] = ALL_LOSSES
    losses_why: ClassVar[str] = ""
    penalties: ClassVar[frozenset[str]] = ALL_PENALTIES
    penalties_why: ClassVar[str] = ""
    structures: ClassVar[frozenset[str]] = frozenset(
        {"binary", "multiclass", "candidates", "chain", "tree"}
    )
    structures_why: ClassVar[str] = ""
    averages: ClassVar[bool] = False
    averages_why: ClassVar[str] = (
        "only online learners have a history of weights to average; use one, such as 'sgd'"
    )
    free_intercept: ClassVar[bool] = True
    hard_margin: ClassVar[bool] = False  # C = inf has a meaning
    partial_labels: ClassVar[bool] = True  # chains may miss labels
    partial_labels_why: ClassVar[str] = ""
    bytes_per_weight: ClassVar[int] = 16  # what it holds of a full block of weights
    warm_starts: ClassVar[bool] = True
    warm_starts_why: ClassVar[str] = ""
    incremental: ClassVar[bool] = False
    columns: ClassVar[bool] = False  # one column of weights per label even for two labels
    splits: ClassVar[bool] = True  # may go one label against the rest
    needs_unit_intercept: ClassVar[bool] = False  # keeps a threshold or a prior as the intercept
    needs_dev: bool = False  # trains by watching held-out likelihood
    epochs: ClassVar[int] = 1000  # default limit

    def refusal(self, cell: Cell) -> str | None:
        """Why this cell is not for this learner; None if it is."""
        if cell.loss not in self.losses:
            return f"{self.name} does not train with loss {cell.loss!r}: {self.losses_why}"
        if cell.structure == "chain" and cell.loss == "squared":
            return (
                f"{self.name} does not train chains with loss 'squared': it asks each part of an "
                f"output for a score of ±1, but transitions are shared by all places; use 'logistic' "
                f"or 'hinge'"
            )
        if cell.structure in _OUTPUTS and cell.loss == "probability" and not cell.warm_start:
            kind, output = _OUTPUTS[cell.structure]
            return (
                f"{self.name} does not train {kind} with loss 'probability' from zero: there {output}, "
                f"and the loss is flat; start from the weights of a model trained with 'logistic' "
                f"(warm_start), or use 'logistic'"
            )
        if cell.warm_start and not self.warm_starts:
            return f"{self.name} does not start from given weights: {self.warm_starts_why}"
        if cell.structure not in self.structures:
            return f"{self.name} does not handle {cell.structure} problems: {self.structures_why}"
        if cell.penalty not in self.penalties:
            return f"{self.name} does not take penalty {cell.penalty!r}: {self.penalties_why}"
        if cell.average and not self.averages:
            return f"{self.name} does not average: {self.averages_why}"
        if not cell.penalize_intercept and not self.free_intercept and cell.penalty != "none":
            return (
                f"{self.name} cannot leave the intercept out of the penalty; use "
                f"intercept_scaling > 1 to weaken it, or the learner 'lbfgs'"
            )
        return None

    def solver(self, problem: Problem) -> Solver:
        """Set up training; the loop drives it."""
        raise NotImplementedError

    def facts(self, solver: Any) -> dict[str, Any]:
        """What only this learner knows after training (support vectors, thresholds, …)."""
        return {}
