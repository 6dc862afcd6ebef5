"""How weights move: every learner of the grid, by name."""

from __future__ import annotations

from types import MappingProxyType

from linnet.learners.base import Learner
from linnet.learners.batch import GIS, LBFGS, OWLQN, GradientAscent, NewtonCG, NonlinearCG
from linnet.learners.counting import Counting
from linnet.learners.perceptron import Perceptron

LEARNERS = MappingProxyType(
    {
        learner.name: learner
        for learner in (
            Counting,
            Perceptron,
            LBFGS,
            OWLQN,
            NewtonCG,
            NonlinearCG,
            GradientAscent,
            GIS,
        )
    }
)

__all__ = [
    "GIS",
    "LBFGS",
    "LEARNERS",
    "OWLQN",
    "Counting",
    "GradientAscent",
    "Learner",
    "NewtonCG",
    "NonlinearCG",
    "Perceptron",
]
