"""A figure as SVG: one element, text escaped, no script, colours of the page around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from math import log10

from linnet.cli.reports.figures import Figure
from linnet.cli.reports.numbers import numbered

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 590, 320, 62, 180, 22, 44
STEP = 20  # from a name of the legend to the next
COLOURS = ("#b0404d", "#2f6fae", "#3f8f4f", "#a06a00", "#7a4fa3", "#008a8a", "#8a6d5a", "#666666")


def svg(figure: Figure) -> str:
    """Axes, lines or points, and their names; or bars."""
    if figure.bars:
        return _bars(figure)
    points = [p for line in figure.lines.values() for p in line]
    if not points:
        return ""
    xs = [log10(x) if figure.powers and x > 0 else x for x, _ in points]
    low, high, bottom, top = min(xs), max(xs), min(y for _, y in points), max(y for _, y in points)
    if figure.unit:
        low, high, bottom, top = 0.0, 1.0, 0.0, 1.0
    low, high = (low - 0.5, high + 0.5) if low == high else (low, high)
    bottom, top = (bottom - 0.5, top + 0.5) if bottom == top else (bottom, top)
    if figure.named:  # numbers stand around the points
        beside, above = 0.05 * (high - low), 0.05 * (top - bottom)
        low, high, bottom, top = low - beside, high + beside, bottom - above, top + above

    def at(x: float, y: float) -> tuple[float, float]:
        u = log10(x) if figure.powers and x > 0 else x
        return (
            LEFT + (u - low) / (high - low) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - (y - bottom) / (top - bottom) * (HEIGHT - TOP - BOTTOM),
        )

    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" '
        f'aria-label="{escape(figure.title, quote=True)}"><title>{escape(figure.title)}</title>',
        f'<path d="M{LEFT},{TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none" '
        f'stroke="currentColor"/>',
    ]
    for k in range(5):
        u, v = low + k * (high - low) / 4, bottom + k * (top - bottom) / 4
        x, y = LEFT + k * (WIDTH - LEFT - RIGHT) / 4, at(1.0, v)[1]
        shown = 10**u if figure.powers else u
        parts.append(_text(x, HEIGHT - BOTTOM + 17, f"{shown:.3g}", "middle"))
        parts.append(_text(LEFT - 6, y + 4, f"{v:.3g}", "end"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, figure.x, "middle"))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(_text(14, middle, figure.y, "middle", f' transform="rotate(-90 14 {middle:g})"'))
    if figure.diagonal:
        (x1, y1), (x2, y2) = (at(u, u) for u in (max(low, bottom), min(high, top)))
        parts.append(
            f'<path d="M{x1:.1f},{y1:.1f}L{x2:.1f},{y2:.1f}" stroke="currentColor" '
            f'stroke-dasharray="4 4" fill="none"/>'
        )
    if figure.named:
        return "".join([*parts, *_names(figure, at)]) + "</svg>"
    for k, (name, line) in enumerate(figure.lines.items()):
        colour = COLOURS[k % len(COLOURS)]
        placed = [at(x, y) for x, y in line]
        path = "L".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if len(placed) <= 30:
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in placed]
        y = TOP + 10 + STEP * k
        parts.append(
            f'<rect x="{WIDTH - RIGHT + 12}" y="{y - 9}" width="10" height="10" fill="{colour}"/>'
        )
        parts.append(_text(WIDTH - RIGHT + 27, y, _short(name), "start"))
    return "".join(parts) + "</svg>"


def _names(figure: Figure, at: Callable[[float, float], tuple[float, float]]) -> Iterator[str]:
    """Points with numbers, and the names of these."""
    rows = numbered(figure)
    step = min(STEP, (HEIGHT - TOP - 10) / max(1, len(rows)))
    for k, one in enumerate(rows):
        x, y = at(one.x, one.y)
        if one.far:
            line = f"M{x:.1f},{y:.1f}l{one.dx:.1f},{-one.dy:.1f}"
            yield f'<path d="{line}" stroke="currentColor" stroke-width=".5"/>'
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{COLOURS[0]}"/>'
        yield _text(x + one.dx, y - one.dy + 4, str(one.number), "middle")
        below = TOP + 8 + step * k
        yield _text(WIDTH - RIGHT + 30, below, str(one.number), "end")
        yield _text(WIDTH - RIGHT + 38, below, _short(one.name), "start")


def _short(name: str) -> str:
    return name if len(name) < 23 else f"{name[:21]}…"


def _bars(figure: Figure) -> str:
    """A row for each: its name, and a bar as long as its number."""
    step, left, wide = 20, 190, WIDTH - 190 - 80
    height = step * len(figure.bars) + 30
    longest = max(map(abs, figure.bars.values())) or 1.0
    title = escape(figure.title, quote=True)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img" aria-label="{title}">'
        f"<title>{title}</title>"
    ]
    for k, (name, value) in enumerate(figure.bars.items()):
        y, size = step * k + 4, abs(value) / longest * wide
        parts.append(_text(left - 8, y + 12, name if len(name) < 28 else f"{name[:26]}…", "end"))
        colour = COLOURS[2] if value > 0 else COLOURS[0]
        parts.append(f'<rect x="{left}" y="{y}" width="{size:.1f}" height="15" fill="{colour}"/>')
        parts.append(_text(left + size + 6, y + 12, f"{value:+.3f}", "start"))
    return "".join(parts) + "</svg>"


def _text(x: float, y: float, text: str, anchor: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{more}>{escape(text)}</text>'
