"""Dependency trees as text: arcs above the words, or words indented below their heads."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from linnet.explain.tree_layout import Layout, layout


def arcs_text(words: Sequence[Sequence[str]], heads: Sequence[int], relations: Sequence[str]) -> str:
    """Arcs above the words; an arrow points at the modifier."""
    placed = layout(words, heads, relations)
    lines = [row for row in _arc_rows(placed) if any(cell.strip() for cell in row)]
    for k in range(len(words[0]) if words else 0):
        row = _row(placed)
        for texts, start, width in zip(words, placed.starts, placed.widths, strict=True):
            _put(row, start + (width - cell_len(texts[k])) // 2, texts[k])
        lines.append(row)
    return "\n".join("".join(row).rstrip() for row in lines)


def _row(placed: Layout) -> list[str]:
    longest = max((cell_len(name) for _, name in placed.roots), default=0)
    return [" "] * (placed.width + longest)


def _put(row: list[str], column: int, text: str) -> None:
    """One character per column; a wide one takes two, a combining one joins the one before."""
    for character in text:
        width = cell_len(character)
        if width == 0 and column > 0:
            row[column - 1] += character
            continue
        row[column : column + width] = [character] + [""] * (width - 1)
        column += width


def _arc_rows(placed: Layout) -> list[list[str]]:
    """From the top: the roots' relations, the levels, the arrows."""
    top = placed.height + 1
    rows = [_row(placed) for _ in range(top + 1)]  # rows[level]; level 0 is that of the arrows
    for arc in placed.arcs:
        row = rows[arc.level]
        row[arc.begin : arc.end + 1] = ["┌", *"─" * (arc.end - arc.begin - 1), "┐"]
    for arc in placed.arcs:
        for column in (arc.begin, arc.end):
            _stem(rows, column, arc.level)
        rows[0][arc.begin if arc.to_left else arc.end] = "▼"
    for column, name in placed.roots:
        _stem(rows, column, top)
        rows[0][column] = "▼"
        _put(rows[top], column, name)
    for arc in placed.arcs:
        row = rows[arc.level]
        _put(row, _label_column(row, arc.begin, arc.end, cell_len(arc.relation)), arc.relation)
    return rows[::-1]


def _stem(rows: list[list[str]], column: int, level: int) -> None:
    for row in rows[:level]:
        row[column] = "│" if row[column] == " " else "┼"


def _label_column(row: list[str], begin: int, end: int, width: int) -> int:
    """The place nearest to the middle where no other arc crosses."""
    middle = begin + (end - begin + 1 - width) // 2
    places = sorted(range(begin + 1, end - width + 1), key=lambda at: abs(at - middle))
    return next((at for at in places if "┼" not in row[at : at + width]), middle)


def outline(words: Sequence[Sequence[str]], heads: Sequence[int], relations: Sequence[str]) -> str:
    """A word per line, below its head and further right; words without a head stand at the margin."""
    below: list[list[int]] = [[] for _ in range(len(words) + 1)]
    for m, head in enumerate(heads):
        below[max(head, 0)].append(m)
    margin = len(str(len(words)))
    rows: list[list[str]] = []
    waiting = [(m, "", "") for m in reversed(below[0])]
    while waiting:
        m, indent, branch = waiting.pop()
        rows.append([f"{m + 1:>{margin}}  {indent}{branch}{words[m][0]}", *words[m][1:], relations[m]])
        further = indent + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
        last = len(below[m + 1]) - 1
        waiting += [
            (child, further, "└─ " if k == last else "├─ ")
            for k, child in reversed([*enumerate(below[m + 1])])
        ]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(_padded, row, widths)).rstrip() for row in rows)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))
