"""Points that have names: a number beside each, where it covers no other, and the names in a list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, hypot, log10, pi, sin

from linnet.cli.reports.figures import Figure

WIDE, HIGH = 350.0, 250.0  # of the axes, about
DOT, LETTERS = (9.0, 9.0), (15.0, 11.0)  # what a point covers, and a number
RINGS, DIRECTIONS, STEP = 4, 8, 11.0  # places for a number around its point, the nearest first
Box = tuple[float, float, float, float]  # middle, width, height


@dataclass(frozen=True)
class Numbered:
    """A point; its number stands (dx, dy) beside it, upwards."""

    number: int
    name: str
    x: float
    y: float
    dx: float
    dy: float

    @property
    def far(self) -> bool:
        """A line is to lead from the number to the point."""
        return hypot(self.dx, self.dy) > 1.5 * STEP


def numbered(figure: Figure) -> list[Numbered]:
    """The points of a figure, from top to bottom."""
    points = sorted((-y, x, name) for name, line in figure.lines.items() for x, y in line[:1])
    xs = [log10(x) if figure.powers and x > 0 else x for _, x, _ in points]
    ys = [-y for y, _, _ in points]
    at = list(zip(_scaled(xs, WIDE), _scaled(ys, HIGH), strict=True))
    taken: list[Box] = [(u, v, *DOT) for u, v in at]
    found = []
    for number, ((y, x, name), (u, v)) in enumerate(zip(points, at, strict=True), 1):
        places = [(dx, dy) for dx, dy in _around() if not _covers((u + dx, v + dy, *LETTERS), taken)]
        dx, dy = (*places, (STEP, 0.0))[0]
        taken.append((u + dx, v + dy, *LETTERS))
        found.append(Numbered(number, name, x, -y, dx, dy))
    return found


def _scaled(values: list[float], size: float) -> list[float]:
    low, high = min(values, default=0.0), max(values, default=0.0)
    return [size * (value - low) / ((high - low) or 1.0) for value in values]


def _around() -> Iterator[tuple[float, float]]:
    """To the right and above come first."""
    for ring in range(1, RINGS + 1):
        for k in range(DIRECTIONS):
            angle = 2 * pi * k / DIRECTIONS
            yield 1.2 * ring * STEP * cos(angle), ring * STEP * sin(angle)


def _covers(box: Box, taken: list[Box]) -> bool:
    u, v, wide, high = box
    return any(
        2 * abs(u - one[0]) < wide + one[2] and 2 * abs(v - one[1]) < high + one[3] for one in taken
    )
