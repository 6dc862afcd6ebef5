"""How weights move: every learner of the grid, by name."""

from __future__ import annotations

from types import MappingProxyType

from linnet.learners.base import Learner
from linnet.learners.counting import Counting
from linnet.learners.perceptron import Perceptron

LEARNERS = MappingProxyType(
    {
        learner.name: learner
        for learner in (
            Counting,
            Perceptron,
        )
    }
)

__all__ = ["LEARNERS", "Counting", "Learner", "Perceptron"]
