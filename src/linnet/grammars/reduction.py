"""Rules that no sentence needs, and unary rules that go in circles."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]


def useless(binary: Codes, unary: Codes, lexical: Codes, start: int, count: int) -> tuple[Codes, Codes]:
    """Symbols that derive no words, and of the others those that the start does not reach."""
    good = np.zeros(count, np.bool_)
    good[lexical[:, 0]] = True
    size = -1
    while size != (size := int(good.sum())):  # until no symbol is added
        good[unary[good[unary[:, 1]], 0]] = True
        good[binary[good[binary[:, 1]] & good[binary[:, 2]], 0]] = True
    unary, binary = unary[good[unary].all(axis=1)], binary[good[binary].all(axis=1)]
    reached = np.zeros(count, np.bool_)
    reached[start] = good[start]
    size = -1
    while size != (size := int(reached.sum())):
        reached[unary[reached[unary[:, 0]], 1]] = True
        reached[binary[reached[binary[:, 0]], 1:]] = True
    return np.flatnonzero(~good), np.flatnonzero(good & ~reached)


def circles(unary: Codes) -> list[list[int]]:
    """One circle for each group of symbols that unary rules lead through and back."""
    after: dict[int, list[int]] = {}
    for left, right in unary.tolist():
        after.setdefault(left, []).append(right)
    found: list[list[int]] = []
    known: set[int] = set()
    for start in sorted(after):
        if start in known:
            continue
        circle = _back(after, start)
        if circle:
            found.append(circle)
            known.update(circle)
    return found


def _back(after: dict[int, list[int]], start: int) -> list[int]:
    """The shortest way from a symbol back to itself, both ends named; empty if there is none."""
    before: dict[int, int] = {}
    waiting = [start]
    for at in waiting:
        for right in after.get(at, ()):
            if right == start:
                way, step = [start], at
                while step != start:
                    way.append(step)
                    step = before[step]
                return [start, *way[::-1]]
            if right not in before:
                before[right] = at
                waiting.append(right)
    return []
