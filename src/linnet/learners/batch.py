"""Batch learners: an optimiser of the core over all data at once.

All minimise P(w) = l1·‖w‖₁ + l2·½‖w‖² + Σ c_i ℓ_i(w) and differ in the direction they take.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import whole
from linnet.engines import Workers
from linnet.learners.base import ALL_LOSSES, Learner
from linnet.learners.checks import check_dense
from linnet.learners.shards import SummedObjective
from linnet.losses import LOSSES
from linnet.structures import Cell, Problem, Solver, Trait, Weights

Array = NDArray[np.float64]
SMOOTH = frozenset(name for name in ALL_LOSSES if LOSSES[name].smooth)


class BatchSolver(Solver):
    """An optimiser of the core and the objective it minimises."""

    counts_mistakes = False

    def __init__(
        self,
        minimiser: _core.Minimiser,
        objective: _core.Objective,
        workers: Workers | None = None,
    ) -> None:
        self.minimiser = minimiser
        self.objective = objective
        self.workers = workers

    def learning(self) -> Any:
        """The solver of the core."""
        return self.minimiser

    def epoch(self) -> _core.EpochStats:
        """One iteration."""
        return self.minimiser.epoch()

    def weights(self) -> Weights:
        """The current point."""
        return np.array(self.minimiser.weights).reshape(-1)

    def close(self) -> None:
        """Of shards."""
        if self.workers is not None:
            self.workers.close()


class BatchLearner(Learner):
    """Base: subclasses say which optimiser of the core they are."""

    family: ClassVar[str] = "batch"
    sharded: ClassVar[bool] = True
    sparse: ClassVar[bool] = False  # takes objectives with coordinates of their own
    bytes_per_weight: ClassVar[int] = 8 * 10  # the point, gradients, directions
    losses: ClassVar[frozenset[str]] = SMOOTH
    losses_why: ClassVar[str] = (
        "a batch optimiser needs a smooth loss; use 'squared_hinge' here, or the learners 'dual' or "
        "'sgd'"
    )
    penalties: ClassVar[frozenset[str]] = frozenset({"none", "l2"})
    penalties_why: ClassVar[str] = "|w| has no gradient at zero; use 'owlqn' or 'coordinate'"

    def refusal(self, cell: Cell) -> str | None:
        """Squared hinge is smooth for two labels only: the best of several wrong ones has kinks."""
        if cell.loss == "squared_hinge" and Trait.ONE_SCORE not in cell.structure.traits:
            return (
                f"{self.name} does not train squared_hinge jointly over several outputs: the best "
                f"wrong one changes abruptly; use loss 'logistic' or 'softmax_margin'"
            )
        return super().refusal(cell)

    def minimiser(self, objective: Any, l1: Array, **tolerances: Any) -> _core.Minimiser:
        """The optimiser of the core; ``l1`` is the penalty of each coordinate."""
        raise NotImplementedError

    def objective(self, problem: Problem) -> tuple[_core.Objective, Workers | None]:
        """P(w), over all instances at once or summed over shards."""
        if problem.engine is not None:
            summed = SummedObjective(problem.engine, problem)
            return summed.core(), summed.workers
        return whole_objective(problem, problem.costs, problem.l2), None

    def solver(self, problem: Problem) -> Solver:
        """Start at zero, or at the weights given."""
        if np.isinf(problem.C):
            raise ValueError(
                f"{self.name} needs a finite C; use penalty='none' to have no penalty, or a hinge loss "
                f"with the learners 'dual' or 'frank_wolfe' for a hard margin"
            )

        def minimise(objective: _core.Objective, l1: Array, **tolerances: Any) -> _core.Minimiser:
            if problem.initial is not None:
                tolerances["reference"] = _norm_at_zero(objective, l1)
            return self.minimiser(objective, l1, **tolerances)

        tolerances = {"tol": problem.tol, "decrease_tol": min(1e-10, 1e-6 * problem.tol)}
        fast = None
        if self.sparse and problem.engine is None:
            fast = problem.structure.minimised(problem, minimise, **tolerances)
        if fast is not None:
            return fast
        check_dense(self, problem)
        objective, workers = self.objective(problem)
        l1 = np.full(objective.dim, float(problem.l1))
        if not problem.penalize_intercept:
            l1[: _core.padded(problem.width)] = 0  # the first row of weights
        minimiser = minimise(objective, l1, **tolerances)
        if problem.initial is not None:
            minimiser.restart(problem.initial.astype(np.float64))
        return BatchSolver(minimiser, objective, workers)


def whole_objective(problem: Problem, costs: Array, l2: float) -> _core.BatchObjective:
    """½ l2 ‖w‖² + Σ c_i ℓ_i(w), over all instances at once."""
    return _core.BatchObjective(
        problem.data(costs),
        problem.loss,
        l2,
        problem.penalize_intercept,
        problem.threads,
        problem.margin,
    )


def _norm_at_zero(objective: _core.Objective, l1: Array) -> float:
    """‖∇P(0)‖, what the tolerance is relative to wherever one starts; of L1 the least subgradient."""
    gradient = np.abs(objective.evaluate(np.zeros(objective.dim))[1])
    return float(np.linalg.norm(np.maximum(gradient - l1, 0)))


class LBFGS(BatchLearner):
    """Limited-memory BFGS (Liu & Nocedal 1989): the general-purpose batch learner."""

    name: ClassVar[str] = "lbfgs"
    sparse: ClassVar[bool] = True
    bytes_per_weight: ClassVar[int] = 8 * 30  # and ten pairs of changes

    def __init__(self, history: int = 10) -> None:
        self.history = history

    def minimiser(self, objective: Any, l1: Array, **tolerances: Any) -> _core.Minimiser:
        """The optimiser of the core."""
        return _core.LBFGS(objective, whole("history", self.history), **tolerances)


class OWLQN(BatchLearner):
    """Orthant-wise L-BFGS (Andrew & Gao 2007): L1 and elastic net for any smooth loss."""

    name: ClassVar[str] = "owlqn"
    sparse: ClassVar[bool] = True
    bytes_per_weight: ClassVar[int] = 8 * 30
    penalties: ClassVar[frozenset[str]] = frozenset({"l1", "elasticnet"})
    penalties_why: ClassVar[str] = "without L1 it is L-BFGS; use 'lbfgs'"

    def __init__(self, history: int = 10) -> None:
        self.history = history

    def minimiser(self, objective: Any, l1: Array, **tolerances: Any) -> _core.Minimiser:
        """The optimiser of the core."""
        return _core.OWLQN(objective, l1, history=whole("history", self.history), **tolerances)


class NewtonCG(BatchLearner):
    """Newton's method, each step by preconditioned conjugate gradients."""

    name: ClassVar[str] = "newton"
    losses: ClassVar[frozenset[str]] = SMOOTH - {"probability", "exponential"}
    losses_why: ClassVar[str] = (
        "Newton steps need a loss with usable curvature everywhere; use 'lbfgs' for smooth losses, "
        "'dual' or 'sgd' for hinge losses"
    )
    partial_labels: ClassVar[bool] = False
    partial_labels_why: ClassVar[str] = "with missing ones the curvature has both signs; use 'lbfgs'"

    def minimiser(self, objective: Any, l1: Array, **tolerances: Any) -> _core.Minimiser:
        """The optimiser of the core."""
        return _core.NewtonCG(objective, **tolerances)


class NonlinearCG(BatchLearner):
    """Nonlinear conjugate gradients (Polak–Ribière+ with restarts)."""

    name: ClassVar[str] = "cg"

    def minimiser(self, objective: Any, l1: Array, **tolerances: Any) -> _core.Minimiser:
        """The optimiser of the core."""
        return _core.NonlinearCG(objective, **tolerances)


class GradientAscent(BatchLearner):
    """Steepest ascent of −P(w) with a line search: the textbook method, and the slowest."""

    name: ClassVar[str] = "gradient"

    def minimiser(self, objective: Any, l1: Array, **tolerances: Any) -> _core.Minimiser:
        """The optimiser of the core."""
        return _core.GradientAscent(objective, **tolerances)


class GIS(BatchLearner):
    """Generalised iterative scaling (Darroch & Ratcliff 1972); with L2 as Chen & Rosenfeld (1999).

    For maximum entropy over non-negative features: w_j += (1/M) log(observed_j / expected_j), M the
    largest sum of features of any output.
    """

    name: ClassVar[str] = "gis"
    sharded: ClassVar[bool] = False
    sharded_why: ClassVar[str] = "it wants all counts in one place; use 'lbfgs'"
    losses: ClassVar[frozenset[str]] = frozenset({"logistic"})
    losses_why: ClassVar[str] = "iterative scaling maximises a likelihood; use loss='logistic'"
    partial_labels: ClassVar[bool] = False
    partial_labels_why: ClassVar[str] = "it compares expected counts with observed ones; use 'lbfgs'"

    def minimiser(self, objective: Any, l1: Array, **tolerances: Any) -> _core.Minimiser:
        """The optimiser of the core."""
        return _core.GIS(objective, **tolerances)
