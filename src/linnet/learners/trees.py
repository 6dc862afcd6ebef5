"""Trees: steps over templates of arcs without rows in between, and what is refused."""

from __future__ import annotations

import numpy as np

import linnet._core as _core
from linnet.errors import RefusedError
from linnet.learners.base import Learner, Problem, Solver, Weights
from linnet.losses import LOSSES

_LOG_LARGEST = 700.0  # of a double


class TemplateSolver(Solver):
    """Drives the core's trainer of parsers, pass by pass."""

    def __init__(self, trainer: _core.ParserTrainer) -> None:
        self.trainer = trainer

    def epoch(self) -> _core.EpochStats:
        """One pass over the sentences."""
        return self.trainer.epoch()

    def weights(self) -> Weights:
        """Averaged, if so asked."""
        return self.trainer.weights()


def steps_over_templates(problem: Problem) -> bool:
    """May the fast loop do it? It has no intercept, no start and weighs all sentences the same."""
    return (
        problem.tree is not None
        and problem.tree.tokens is not None
        and problem.rows.bias == 0
        and problem.initial is None
        and bool((problem.weights == 1).all())
    )


def takes_template_steps(learner: Learner, loss: str) -> bool:
    """Has it steps that the fast loop can take?"""
    return learner.name == "perceptron" or (
        learner.name == "pa" and loss == "hinge" and getattr(learner, "variant", None) == "I"
    )


def template_steps(problem: Problem, step: str, C: float) -> Solver:
    """Steps over sentences; the same as those of the online learners, to rounding."""
    tree = problem.tree
    assert tree is not None
    assert tree.tokens is not None
    joint = tree.joint
    trainer = _core.ParserTrainer(
        tree.tokens,
        tree.starts,
        tree.heads,
        problem.labels,
        tree.core,
        step=step,
        C=C,
        cost=problem.margin if LOSSES[problem.cell.loss].cost else 0.0,
        average=problem.cell.average,
        shuffle=problem.shuffle,
        seed=problem.seed,
        joint=None if joint is None else joint.tokens,
        relations=None if joint is None else joint.relations,
        width=0 if joint is None else joint.width,
    )
    return TemplateSolver(trainer)


def check(learner: Learner, problem: Problem) -> None:
    """Refuse what the loss or the data do not allow, beyond what the cell says."""
    tree = problem.tree
    if tree is None:
        return
    if problem.cell.loss == "exponential":
        longest = _log_trees(problem)
        if longest > _LOG_LARGEST:
            raise RefusedError(
                f"loss 'exponential' is the number of trees at the start, and a sentence has e^"
                f"{longest:.0f} of them: no number is as large; use 'logistic'"
            )
    if tree.joint is not None and not takes_template_steps(learner, problem.cell.loss):
        raise RefusedError(
            f"{learner.name}, loss {problem.cell.loss!r}: relations are learnt together with heads by "
            f"the perceptron and by passive-aggressive steps (loss 'hinge') alone"
        )
    if (problem.labels < 0).any() and not learner.partial_labels:
        raise RefusedError(f"{learner.name} needs the head of every word: {learner.partial_labels_why}")


def _log_trees(problem: Problem) -> float:
    """At most so many trees, as a logarithm: each word chooses a head by itself."""
    tree = problem.tree
    assert tree is not None
    assert problem.offsets is not None
    choices = np.concatenate([[0.0], np.cumsum(np.log(np.maximum(np.diff(tree.starts), 1)))])
    return float(np.diff(choices[problem.offsets]).max(initial=0.0))
