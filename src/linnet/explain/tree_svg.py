"""Dependency trees as SVG: one element, styles inside, text escaped, no script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from linnet.explain.tree_layout import Layout, layout

COLUMN, LEVEL, LINE = 9, 26, 20  # pixels of a character, between arcs, between lines of text
BEND, ARROW, EDGE = 7, 4, 12
STYLE = "font:15px ui-monospace,monospace;fill:currentColor"


def arcs_svg(words: Sequence[Sequence[str]], heads: Sequence[int], relations: Sequence[str]) -> str:
    """Arcs above the words; an arrow points at the modifier."""
    placed = layout(words, heads, relations)
    rows = len(words[0]) if words else 0
    longest = max((column + len(name) for column, name in placed.roots), default=0)
    width = max(placed.width, longest) * COLUMN + 2 * EDGE
    base = (placed.height + 1) * LEVEL + EDGE  # the y of the arrows' tips
    height = base + rows * LINE + EDGE
    title = escape(" ".join(texts[0] for texts in words))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" style="{STYLE}"><title>{title}</title>',
        *_arcs(placed, base),
    ]
    for texts, start, size in zip(words, placed.starts, placed.widths, strict=True):
        middle = EDGE + (start + size / 2) * COLUMN
        for k, text in enumerate(texts):
            faint = ' opacity="0.6" font-size="12"' if k else ""
            parts.append(_text(middle, base + (k + 1) * LINE - 3, text, faint))
    return "".join([*parts, "</svg>"])


def _arcs(placed: Layout, base: int) -> list[str]:
    parts = []
    for arc in placed.arcs:
        left, right, top = _x(arc.begin), _x(arc.end), base - arc.level * LEVEL
        parts.append(
            _path(
                f"M{left:g},{base}V{top + BEND}Q{left:g},{top} {left + BEND:g},{top}"
                f"H{right - BEND:g}Q{right:g},{top} {right:g},{top + BEND}V{base}"
            )
        )
        parts.append(_arrow(left if arc.to_left else right, base))
        parts.append(_text((left + right) / 2, top - 4, arc.relation, ' font-size="12"'))
    for column, name in placed.roots:
        parts += [_path(f"M{_x(column):g},{base}V{EDGE}"), _arrow(_x(column), base)]
        anchor = ' font-size="12" style="text-anchor:start"'
        parts.append(_text(_x(column) + ARROW, EDGE + 6, name, anchor))
    return parts


def _x(column: int) -> float:
    return EDGE + (column + 0.5) * COLUMN


def _path(steps: str) -> str:
    return f'<path d="{steps}" fill="none" stroke="currentColor" stroke-opacity="0.7"/>'


def _arrow(x: float, tip: int) -> str:
    return f'<path d="M{x:g},{tip}l{-ARROW},{-2 * ARROW}h{2 * ARROW}z" stroke="none"/>'


def _text(x: float, y: float, text: str, attributes: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle"{attributes}>{escape(text)}</text>'
