"""The structural SVM by block-coordinate Frank–Wolfe."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

import linnet._core as _core
from linnet.errors import RefusedError
from linnet.learners.base import Learner
from linnet.learners.checks import check_dense
from linnet.learners.sharded_dual import MixturesWorker, ShardedDual
from linnet.structures import Problem, Solver
from linnet.structures.solvers import MarginSolver


class FrankWolfe(Learner):
    """Block-coordinate Frank–Wolfe on the dual of the structural SVM (Lacoste-Julien et al. 2013).

    Minimises l2·½‖w‖² + Σ cᵢ max over y′ of [cost(y′, yᵢ) + w·f(xᵢ, y′) − w·f(xᵢ, yᵢ)], for any
    structure that can find its best output. Each instance keeps a mixture of outputs; steps move share
    from the worst of them to the best. Stops when the duality gap is below tol times the objective.
    C = ∞ is the hard margin, w·f(xᵢ, yᵢ) − w·f(xᵢ, y′) ≥ cost(y′, yᵢ), or the proof that there is none.

    ``cost`` is 'parts', the number of wrong parts (Hamming) or what the estimator was told that they
    cost, or 'zero_one', the same for every wrong output.
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
    hard_margin: ClassVar[bool] = True
    sharded: ClassVar[bool] = True

    def __init__(self, cost: str = "parts") -> None:
        self.cost = cost

    def solver(self, problem: Problem) -> Solver:
        """One pass per epoch; starts at the gold outputs, hence at zero weights."""
        if self.cost not in ("parts", "zero_one"):
            raise ValueError(f"cost must be 'parts' or 'zero_one', not {self.cost!r}")
        if self.cost == "zero_one" and problem.structure.weighs_mistakes:
            raise ValueError("cost='zero_one' leaves no room for the costs of mistakes that were given")
        check_dense(self, problem)
        if problem.engine is not None:
            if np.isinf(problem.C):
                raise RefusedError("frank_wolfe on shards has no hard margins; use a finite C")
            return ShardedDual(problem.engine, problem, MixturesWorker, self.cost)
        core = _core.FrankWolfe(
            problem.data(problem.costs),
            problem.loss,
            l2=problem.l2,
            tol=problem.tol,
            margin=problem.margin,
            shuffle=problem.shuffle,
            seed=problem.seed,
            cost=self.cost,
        )
        return MarginSolver(core, counts_mistakes=False)
