"""Factor graphs: variables with finite domains, and factors over any of them.

The room lies beside losses, below structures: a graph knows how to be summed and maximised, and
nothing of learning.
"""

from __future__ import annotations

from linnet.graphs.answers import Answers, TooLargeError
from linnet.graphs.beliefs import Beliefs
from linnet.graphs.graph import FactorGraph, Factors

__all__ = ["Answers", "Beliefs", "FactorGraph", "Factors", "TooLargeError"]
