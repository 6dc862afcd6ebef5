"""How far the loop has come: what it knows beside the solver and the record."""

from __future__ import annotations

import math
from dataclasses import dataclass

from linnet.structures import Learnt


@dataclass
class Course:
    """Passes made, and what the held-out data said of them."""

    number: int = 0  # passes
    previous: float = -math.inf  # the last dev score
    waited: int = 0  # passes since the best one
    best: tuple[float, Learnt] | None = None  # the best dev score, and what was learnt by then
    seconds: float = 0.0  # of the pass that is not at its end yet
    stopped: str = ""  # why, if it has
    certified: bool = False  # the last pass was the last one, and has been looked at

    def scored(self, score: float, learnt: Learnt) -> bool:
        """Note the score of a pass; is it the best?"""
        self.previous = score
        if self.best is not None and not score > self.best[0]:
            self.waited += 1
            return False
        self.best, self.waited = (score, learnt), 0
        return True
