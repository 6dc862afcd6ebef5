"""Curves for the terminal, in characters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

EIGHTHS = " ▁▂▃▄▅▆▇█"
PLAIN = " .:|"


def area(
    x: Sequence[float], y: Sequence[float], width: int = 50, height: int = 8, plain: bool = False
) -> list[str]:
    r"""Lines of text: y over x, both from 0 to 1, filled below; ``plain`` keeps to ASCII.

    >>> print("\n".join(area([0.0, 1.0], [1.0, 0.0], width=4, height=2, plain=True)))
    1.00 :.
    0.50 ||:.
    """
    marks = PLAIN if plain else EIGHTHS
    steps = len(marks) - 1
    order = np.argsort(np.asarray(x), kind="stable")
    at = (np.arange(width) + 0.5) / width
    tops = np.interp(at, np.asarray(x, dtype=float)[order], np.asarray(y, dtype=float)[order])
    levels = np.rint(np.clip(tops, 0, 1) * height * steps).astype(int)
    lines = []
    for row in reversed(range(height)):
        filled = "".join(marks[int(np.clip(level - row * steps, 0, steps))] for level in levels)
        lines.append(f"{(row + 1) / height:.2f} {filled}".rstrip())
    return lines
