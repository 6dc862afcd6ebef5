"""McNemar's exact test: do two systems err equally often on the same examples?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linnet.evaluation.answers import Answers


@dataclass(frozen=True)
class McNemar:
    """How often exactly one of the two is right, and the two-sided p-value."""

    only_first: int
    only_second: int
    p: float


def mcnemar(found: Answers) -> McNemar:
    """Of the examples on which one system alone is right, chance gives each system half.

    Exact binomial test of that (McNemar 1947); examples that both get right or wrong say nothing.
    """
    if len(found.guesses) != 2:
        raise ValueError(f"McNemar's test compares two systems, not {len(found.guesses)}")
    first, second = found.correct(0), found.correct(1)
    only_first, only_second = int(np.sum(first & ~second)), int(np.sum(second & ~first))
    if only_first + only_second == 0:
        return McNemar(0, 0, 1.0)
    from scipy.stats import binomtest

    p = float(binomtest(only_first, only_first + only_second, 0.5).pvalue)
    return McNemar(only_first, only_second, p)
