"""How weights move: every learner of the grid, by name."""

from __future__ import annotations

from types import MappingProxyType

from linnet.learners.adaboost import AdaBoost
from linnet.learners.arow import AROW
from linnet.learners.base import Learner
from linnet.learners.batch import GIS, LBFGS, OWLQN, GradientAscent, NewtonCG, NonlinearCG
from linnet.learners.coordinate import CoordinateDescent
from linnet.learners.counting import Counting
from linnet.learners.dual import Dual
from linnet.learners.em import EM
from linnet.learners.frank_wolfe import FrankWolfe
from linnet.learners.mixing import Averaging, Mixing
from linnet.learners.passive_aggressive import MIRA, PassiveAggressive
from linnet.learners.perceptron import Perceptron
from linnet.learners.sgd import SGD, AdaGrad, Pegasos
from linnet.learners.voted import VotedPerceptron
from linnet.learners.winnow import Elimination, Winnow

LEARNERS = MappingProxyType(
    {
        learner.name: learner
        for learner in (
            Counting,
            EM,
            Perceptron,
            VotedPerceptron,
            SGD,
            Pegasos,
            AdaGrad,
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
            FrankWolfe,
            CoordinateDescent,
            AdaBoost,
            Mixing,
            Averaging,
        )
    }
)

__all__ = [
    "AROW",
    "EM",
    "GIS",
    "LBFGS",
    "LEARNERS",
    "MIRA",
    "OWLQN",
    "SGD",
    "AdaBoost",
    "AdaGrad",
    "Averaging",
    "CoordinateDescent",
    "Counting",
    "Dual",
    "Elimination",
    "FrankWolfe",
    "GradientAscent",
    "Learner",
    "Mixing",
    "NewtonCG",
    "NonlinearCG",
    "PassiveAggressive",
    "Pegasos",
    "Perceptron",
    "VotedPerceptron",
    "Winnow",
]
