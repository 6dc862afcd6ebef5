"""Dual coordinate descent: one instance at a time, with a duality gap as certificate."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

import linnet._core as _core
from linnet.errors import RefusedError
from linnet.learners.base import Cell, Learner, Problem, Solver, Weights
from linnet.learners.chains import SparseSolver, crf_of, why_dense


class DualSolver(Solver):
    """A dual solver of the core."""

    def __init__(self, core: Any) -> None:
        self.core = core

    def epoch(self) -> _core.EpochStats:
        """One pass over the instances that are not shrunk away."""
        stats: _core.EpochStats = self.core.epoch()
        if getattr(self.core, "separable", True) is False:
            stats.converged = True  # there is nothing to converge to; the trainer says so
        return stats

    def certify(self) -> _core.EpochStats:
        """Over all instances; passes compute it only when it promises to be small enough."""
        binary = isinstance(self.core, _core.DualBinary)
        stats: _core.EpochStats = self.core.evaluate() if binary else self.core.certify()
        return stats

    def weights(self) -> Weights:
        """W = Σ αᵢ yᵢ xᵢ; not copied, which would cost as much as several passes over few rows."""
        return np.asarray(self.core.weights).reshape(-1)


class Dual(Learner):
    """Coordinate descent on the dual of the L2-penalised problem, with shrinking.

    Two labels: hinge, squared hinge (Hsieh et al. 2008) and logistic (Yu, Huang, Lin 2011); C = ∞ with
    hinge is the hard margin. More labels: Crammer–Singer for hinge, multinomial maximum entropy for
    logistic, and for chains with logistic loss conditional random fields. Stops when the duality gap is
    below tol times the objective.
    """

    name: ClassVar[str] = "dual"
    family: ClassVar[str] = "dual"
    losses: ClassVar[frozenset[str]] = frozenset({"hinge", "squared_hinge", "logistic"})
    losses_why: ClassVar[str] = (
        "it needs the loss's convex conjugate, which is known here for hinge, squared_hinge and "
        "logistic; use 'lbfgs' for other smooth losses, 'sgd' for the rest"
    )
    penalties: ClassVar[frozenset[str]] = frozenset({"l2"})
    penalties_why: ClassVar[str] = (
        "w is read off the dual variables through ½‖w‖²; use 'coordinate' for L1, 'lbfgs' for none"
    )
    structures: ClassVar[frozenset[str]] = frozenset({"binary", "multiclass", "chain"})
    structures_why: ClassVar[str] = "candidate lists have features of their own; use 'lbfgs' or 'sgd'"
    partial_labels: ClassVar[bool] = False
    partial_labels_why: ClassVar[str] = (
        "with missing ones the problem is not convex and has no dual; use 'lbfgs'"
    )
    free_intercept: ClassVar[bool] = False
    hard_margin: ClassVar[bool] = True
    warm_starts: ClassVar[bool] = False
    warm_starts_why: ClassVar[str] = (
        "it starts from dual variables, which weights do not tell; use 'lbfgs' or 'newton' for smooth "
        "losses, 'sgd' for hinge"
    )

    def __init__(self, shrinking: bool = True) -> None:
        self.shrinking = shrinking

    def refusal(self, cell: Cell) -> str | None:
        """Squared hinge over more than two labels jointly is refused (one against the rest works)."""
        reason = super().refusal(cell)
        if reason is None and cell.structure == "chain" and cell.loss != "logistic":
            return (
                f"dual trains chains with loss 'logistic' only: for {cell.loss!r} it would have a dual "
                f"variable for every sequence of labels; use learner 'frank_wolfe' with loss 'hinge'"
            )
        if reason is None and cell.structure == "multiclass" and cell.loss == "squared_hinge":
            return (
                "dual does not train squared_hinge jointly over several labels: the dual mass of an "
                "instance would be unbounded"
            )
        return reason

    def solver(self, problem: Problem) -> Solver:
        """One pass per epoch; starts at zero dual variables."""
        if problem.margin != 1.0:
            raise ValueError("dual asks for a margin of 1; scale C and the features instead")
        if np.isinf(problem.C) and (not problem.binary or problem.cell.loss == "logistic"):
            raise ValueError(
                "C = inf is a hard margin, for two labels and a hinge loss; use a finite C"
            )
        if problem.chain is not None:
            return self._chain_solver(problem)
        if problem.binary:
            return DualSolver(
                _core.DualBinary(
                    problem.rows,
                    problem.labels,
                    problem.costs,
                    problem.cell.loss,
                    tol=problem.tol,
                    seed=problem.seed,
                    shuffle=problem.shuffle,
                    shrink=self.shrinking,
                )
            )
        joint = _core.CrammerSingerDual if problem.cell.loss == "hinge" else _core.MaxEntDual
        return DualSolver(
            joint(
                problem.rows,
                problem.labels,
                problem.costs,
                problem.n_labels,
                tol=problem.tol,
                seed=problem.seed,
            )
        )

    @staticmethod
    def _chain_solver(problem: Problem) -> SparseSolver:
        """Over the pairs seen in training; what the fast path does not know is refused."""
        reason = why_dense(problem)
        if reason is not None:
            raise RefusedError(f"dual does not train chains with {reason}; use learner 'lbfgs'")
        crf = crf_of(problem)
        return SparseSolver(crf, _core.ChainDual(crf, problem.tol, problem.seed), problem)

    def facts(self, solver: DualSolver | SparseSolver) -> dict[str, Any]:
        """Support vectors: instances with a non-zero dual variable; of chains all are."""
        core = solver.core
        if isinstance(core, _core.ChainDual):
            return {}
        if isinstance(core, _core.DualBinary):
            support = np.flatnonzero(np.asarray(core.alpha))
            return {"support_vectors": support, "separable": core.separable}
        return {"support_vectors": np.asarray(core.support)}
