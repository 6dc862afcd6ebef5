"""The structural SVM by block-coordinate Frank–Wolfe."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

import linnet._core as _core
from linnet.learners.base import Learner
from linnet.learners.checks import check_dense
from linnet.structures import Problem
from linnet.structures.solvers import CertifiedSolver


class FrankWolfe(Learner):
    """Block-coordinate Frank–Wolfe on the dual of the structural SVM (Lacoste-Julien et al. 2013).

    Minimises l2·½‖w‖² + Σ cᵢ max over y′ of [cost(y′, yᵢ) + w·f(xᵢ, y′) − w·f(xᵢ, yᵢ)], for any
    structure that can find its best output. Each instance keeps a mixture of outputs; steps move share
    from the worst of them to the best. Stops when the duality gap is below tol times the objective.
    """

    name: ClassVar[str] = "frank_wolfe"
    family: ClassVar[str] = "dual"
    losses: ClassVar[frozenset[str]] = frozenset({"hinge"})
    losses_why: ClassVar[str] = (
        "its dual points are mixtures of outputs, whose mass only the hinge loss bounds; use 'lbfgs' "
        "for smooth losses, 'sgd' for squared_hinge"
    )
    penalties: ClassVar[frozenset[str]] = frozenset({"l2"})
    penalties_why: ClassVar[str] = (
        "w is read off the dual variables through ½‖w‖²; use 'adagrad' for L1 and elastic nets"
    )
    partial_labels: ClassVar[bool] = False
    partial_labels_why: ClassVar[str] = (
        "with missing ones the loss is not convex and has no dual; use 'sgd' or 'adagrad'"
    )
    bytes_per_weight: ClassVar[int] = 8
    free_intercept: ClassVar[bool] = False
    warm_starts: ClassVar[bool] = False
    warm_starts_why: ClassVar[str] = (
        "it starts from dual variables, which weights do not tell; use 'sgd'"
    )
    splits: ClassVar[bool] = False

    def solver(self, problem: Problem) -> CertifiedSolver:
        """One pass per epoch; starts at the gold outputs, hence at zero weights."""
        if np.isinf(problem.C):
            raise ValueError(
                "C = inf is a hard margin, for two labels and the learner 'dual'; use a finite C"
            )
        check_dense(self, problem)
        core = _core.FrankWolfe(
            problem.data(problem.costs),
            problem.loss,
            l2=problem.l2,
            tol=problem.tol,
            margin=problem.margin,
            shuffle=problem.shuffle,
            seed=problem.seed,
        )
        return CertifiedSolver(core, counts_mistakes=False)
