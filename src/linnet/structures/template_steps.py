"""Steps of parsers over templates of arcs, without rows in between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import linnet._core as _core
from linnet.losses import LOSSES
from linnet.structures.problem import Problem, Solver, Weights

if TYPE_CHECKING:
    from linnet.structures.tree import Tree

STEPS = {("perceptron", "perceptron"), ("perceptron", "hinge"), ("pa1", "hinge")}
CORE_NAME = {"perceptron": "perceptron", "pa1": "pa"}


class TemplateSolver(Solver):
    """Drives the core's trainer of parsers, pass by pass."""

    def __init__(self, problem: Problem, rule: str, C: float) -> None:
        self.rule, self.C = rule, C
        self.nothing = problem if not problem.structure.size else None  # what is left of to turn
        self.trainer = trainer_of(problem, rule, C)
        if problem.initial is not None:
            self.trainer.start_at(np.ascontiguousarray(problem.initial, np.float32))

    def learning(self) -> Any:
        """The solver of the core."""
        return self.trainer

    def turn_to(self, problem: Problem | None) -> bool:
        """A trainer of other sentences takes the weights of the one before."""
        to = self.nothing if problem is None else problem
        if to is None:
            return False
        self.trainer = trainer_of(to, self.rule, self.C, self.trainer)
        return True

    def epoch(self) -> _core.EpochStats:
        """One pass over the sentences."""
        return self.trainer.epoch()

    def weights(self) -> Weights:
        """Averaged, if so asked: of arcs, and behind them of relations that are learnt with heads."""
        return self.trainer.weights()


def takes_steps(rule: str | None, loss: str) -> bool:
    """Does the fast loop know them?"""
    return (rule, loss) in STEPS


def template_steps(tree: Tree, problem: Problem, rule: str, C: float) -> Solver | None:
    """The same as the steps of online learners, to rounding.

    The fast loop has no intercept, and weighs all sentences the same. From given weights rows go on as
    well; only relations that are learnt together with heads have none.
    """
    known = takes_steps(rule, problem.loss) and tree.tokens is not None and tree.rows.bias == 0
    by_rows = problem.initial is not None and tree.joint is None
    if not known or by_rows or not (problem.weights == 1).all():
        return None
    return TemplateSolver(problem, rule, C)


def trainer_of(
    problem: Problem, rule: str, C: float, before: _core.ParserTrainer | None = None
) -> _core.ParserTrainer:
    """The core's; it goes on from one that was ``before``, whose weights it takes."""
    tree: Any = problem.structure
    joint = tree.joint
    return _core.ParserTrainer(
        tree.tokens,
        tree.starts,
        tree.candidates,
        tree.heads,
        tree.core,
        step=CORE_NAME[rule],
        C=C,
        cost=problem.margin if LOSSES[problem.loss].cost else 0.0,
        average=problem.average,
        shuffle=problem.shuffle,
        seed=problem.seed,
        joint=None if joint is None else joint.tokens,
        relations=None if joint is None else joint.relations,
        width=0 if joint is None else joint.width,
        before=before,
    )
