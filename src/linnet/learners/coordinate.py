"""Coordinate descent with working sets, for L1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

import linnet._core as _core
from linnet.learners.base import Learner
from linnet.learners.checks import check_dense
from linnet.structures import Problem, Solver, Trait, Weights


class CoordinateSolver(Solver):
    """A coordinate descent solver of the core."""

    counts_mistakes = False

    def __init__(self, core: Any) -> None:
        self.core = core

    def learning(self) -> Any:
        """The solver of the core."""
        return self.core

    def epoch(self) -> _core.EpochStats:
        """Solve on one working set, then choose the next."""
        stats: _core.EpochStats = self.core.epoch()
        stats.converged |= stats.updates == 0  # rounding allows no further progress
        return stats

    def weights(self) -> Weights:
        """Most of them are exactly zero."""
        return np.array(self.core.weights).reshape(-1)


class CoordinateDescent(Learner):
    """L1 and elastic net, touching only features that may be non-zero.

    Working sets grow by how much each feature violates its optimality condition (Johnson & Guestrin
    2015; Massias et al. 2018). The duality gap is taken over all features.
    """

    name: ClassVar[str] = "coordinate"
    family: ClassVar[str] = "coordinate"
    losses: ClassVar[frozenset[str]] = frozenset({"logistic", "squared_hinge", "squared"})
    losses_why: ClassVar[str] = (
        "it needs a smooth loss with known curvature (logistic, squared_hinge, squared); use 'owlqn' "
        "for other smooth losses, 'sgd' for the rest"
    )
    penalties: ClassVar[frozenset[str]] = frozenset({"l1", "elasticnet"})
    penalties_why: ClassVar[str] = "working sets need the zeros that L1 makes; use 'dual' or 'lbfgs'"

    @property
    def needs(self) -> Mapping[Trait, str]:
        """One score, which coordinates move by themselves."""
        return {Trait.ONE_SCORE: "it goes one label against the rest; use 'owlqn' for joint scores"}

    def solver(self, problem: Problem) -> CoordinateSolver:
        """One working set per epoch; starts at zero, or at given weights."""
        check_dense(self, problem)
        if problem.margin != 1.0:
            raise ValueError("coordinate asks for a margin of 1; scale C and the features instead")
        if problem.l1 == 0:
            raise ValueError("l1_ratio=0 leaves no L1 to make zeros; use penalty='l2', or 'owlqn'")
        made: Any = {
            "logistic": _core.CoordinateL1Logistic,
            "squared_hinge": _core.CoordinateL1SquaredHinge,
            "squared": _core.CoordinateL1Squared,
        }[problem.loss]
        core = made(
            *problem.structure.one_score(),
            problem.costs,
            problem.l1,
            problem.l2,
            problem.penalize_intercept,
            tol=problem.tol,
        )
        if problem.initial is not None:
            core.start_at(problem.initial.astype(np.float64))
        return CoordinateSolver(core)
