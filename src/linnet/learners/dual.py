"""Dual coordinate descent: one instance at a time, with a duality gap as certificate."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from linnet.engines import Engine
from linnet.errors import RefusedError
from linnet.learners.base import Learner
from linnet.learners.checks import check_dense
from linnet.learners.sharded_dual import LabelsWorker, MarginalsWorker, ShardedDual
from linnet.structures import Cell, Problem, Solver, Trait


class Dual(Learner):
    """Coordinate descent on the dual of the L2-penalised problem, with shrinking.

    Two labels: hinge, squared hinge (Hsieh et al. 2008) and logistic (Yu, Huang, Lin 2011). More
    labels: Crammer–Singer for hinge, multinomial maximum entropy for logistic, and for chains with
    logistic loss conditional random fields. Stops when the duality gap is below tol times the
    objective.

    Hinge losses are solved at any C: where descent takes too long, by an interior point method.
    C = ∞ is the hard margin, or the proof that there is none. Their intercepts may be free of the
    penalty.
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
    partial_labels: ClassVar[bool] = False
    partial_labels_why: ClassVar[str] = (
        "with missing ones the problem is not convex and has no dual; use 'lbfgs'"
    )
    sharded: ClassVar[bool] = True
    hard_margin: ClassVar[bool] = True
    warm_starts: ClassVar[bool] = False
    warm_starts_why: ClassVar[str] = (
        "it starts from dual variables, which weights do not tell; use 'lbfgs' or 'newton' for smooth "
        "losses, 'sgd' for hinge"
    )
    bytes_per_weight: ClassVar[int] = 8  # single precision, and what becomes of it

    def __init__(self, shrinking: bool = True) -> None:
        self.shrinking = shrinking

    def refusal(self, cell: Cell) -> str | None:
        """A structure says which of its duals have variables that can be kept."""
        reason = super().refusal(cell)
        if reason is not None:
            return reason
        if cell.loss not in cell.structure.duals:
            return (
                f"dual does not train {cell.structure.plural} with loss {cell.loss!r}: "
                f"{cell.structure.duals_why}"
            )
        if cell.loss == "logistic" and not cell.penalize_intercept:
            return (
                "dual cannot leave the intercept out of the penalty with loss 'logistic'; use 'newton' "
                "or 'lbfgs'"
            )
        return None

    def solver(self, problem: Problem) -> Solver:
        """One pass per epoch; starts at zero dual variables."""
        if problem.margin != 1.0:
            raise ValueError("dual asks for a margin of 1; scale C and the features instead")
        if np.isinf(problem.C) and problem.loss == "logistic":
            raise ValueError("C = inf is a hard margin, for hinge losses; use a finite C")
        if problem.engine is not None:
            return self._on_shards(problem, problem.engine)
        if problem.structure.why_dense(problem) is not None:
            check_dense(self, problem)
        return problem.structure.dual(problem, shrinking=self.shrinking)

    def _on_shards(self, problem: Problem, engine: Engine) -> ShardedDual:
        if problem.structure.weighs_mistakes or not problem.penalize_intercept or np.isinf(problem.C):
            raise RefusedError(
                "dual on shards has neither costs of mistakes, free intercepts nor hard margins; use a "
                "finite C and none of these, or leave out the engine"
            )
        check_dense(self, problem)
        labels = Trait.LABELS in problem.structure.traits
        return ShardedDual(engine, problem, LabelsWorker if labels else MarginalsWorker)
