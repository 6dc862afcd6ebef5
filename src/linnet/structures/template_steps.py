"""Steps of parsers over templates of arcs, without rows in between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import linnet._core as _core
from linnet.losses import LOSSES
from linnet.structures.problem import Problem, Solver, Weights

if TYPE_CHECKING:
    from linnet.structures.tree import Tree

STEPS = {("perceptron", "perceptron"), ("perceptron", "hinge"), ("pa1", "hinge")}
CORE_NAME = {"perceptron": "perceptron", "pa1": "pa"}


class TemplateSolver(Solver):
    """Drives the core's trainer of parsers, pass by pass."""

    def __init__(self, trainer: _core.ParserTrainer) -> None:
        self.trainer = trainer

    def learning(self) -> Any:
        """The solver of the core."""
        return self.trainer

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

    The fast loop has no intercept, no start and weighs all sentences the same.
    """
    known = takes_steps(rule, problem.loss) and tree.tokens is not None and tree.rows.bias == 0
    if not known or problem.initial is not None or not (problem.weights == 1).all():
        return None
    assert tree.tokens is not None
    joint = tree.joint
    trainer = _core.ParserTrainer(
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
    )
    return TemplateSolver(trainer)
