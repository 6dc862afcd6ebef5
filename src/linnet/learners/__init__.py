"""How weights move: every learner of the grid, by name."""

from __future__ import annotations

from types import MappingProxyType

from linnet.learners.arow import AROW
from linnet.learners.base import Learner
from linnet.learners.batch import GIS, LBFGS, OWLQN, GradientAscent, NewtonCG, NonlinearCG
from linnet.learners.coordinate import CoordinateDescent
from linnet.learners.counting import Counting
from linnet.learners.dual import Dual
from linnet.learners.passive_aggressive import MIRA, PassiveAggressive
from linnet.learners.perceptron import Perceptron
from linnet.learners.winnow import Elimination, Winnow

LEARNERS = MappingProxyType(
    {
        learner.name: learner
        for learner in (
            Counting,
            Perceptron,
            PassiveAggressive,
            MIRA,
            AROW,
            Winnow,
            Elimination,
            LBFGS,
            OWLQN,
            NewtonCG,
            NonlinearCG,
            GradientAscent,
            GIS,
            Dual,
            CoordinateDescent,
        )
    }
)

__all__ = [
    "AROW",
    "GIS",
    "LBFGS",
    "LEARNERS",
    "MIRA",
    "OWLQN",
    "CoordinateDescent",
    "Counting",
    "Dual",
    "Elimination",
    "GradientAscent",
    "Learner",
    "NewtonCG",
    "NonlinearCG",
    "PassiveAggressive",
    "Perceptron",
    "Winnow",
]
