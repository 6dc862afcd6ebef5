"""What an online learner's hypothesis is good for that has survived many examples (PAC).

A hypothesis that errs with a probability above ε survives s examples, drawn one by one, with a
probability of at most (1 − ε)^s ≤ e^(−εs). Of M + 1 hypotheses one may survive by chance: with
s ≥ (1/ε) ln((M + 1)/δ) none does so, but for a probability of δ.
"""

from __future__ import annotations

import math
from typing import Any

from linnet._params import number

DELTA = 0.05


def survival_needed(epsilon: float, delta: float, hypotheses: int) -> int:
    """Examples to survive, (1/ε) ln((M + 1)/δ): then the error is at most ε, unless one has bad luck.

    ``hypotheses`` is M + 1, where the learner is known to make at most M mistakes.

    >>> survival_needed(0.1, 0.05, 101)
    77
    """
    if not 0 < number(epsilon) < 1 or not 0 < number(delta) < 1:
        raise ValueError(f"epsilon and delta must be between 0 and 1, not {epsilon!r} and {delta!r}")
    if hypotheses < 1:
        raise ValueError(f"there must be a hypothesis, not {hypotheses!r}")
    return math.ceil(math.log(hypotheses / delta) / epsilon)


def survival_error(survived: int, delta: float, hypotheses: int) -> float:
    """The same, solved for ε: what the error is at most; 1 says nothing."""
    if survived < 1:
        return 1.0
    return min(1.0, math.log(hypotheses / delta) / survived)


def survivor(survived: int, number_: int, hypotheses: int, passes: int) -> dict[str, Any]:
    """For the record: the k-th hypothesis has a share of δ/(k(k + 1)), which sum to δ.

    So no number of mistakes need be known beforehand.

    After the first pass examples are no fresh ones,
    and there is no bound.
    """
    share = number_ * (number_ + 1)
    return {
        "survived": survived,
        "number": number_,
        "hypotheses": hypotheses,
        "delta": DELTA,
        "epsilon": survival_error(survived, DELTA, share) if passes <= 1 else None,
    }
