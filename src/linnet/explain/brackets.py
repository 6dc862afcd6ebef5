"""Trees of phrases to look at: in the terminal, in a notebook, in a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from linnet.data.bracket_tree import BracketTree, Leaf
from linnet.data.brackets import Brackets
from linnet.explain.bracket_layout import Node, bracket_layout, label_start, nodes_of
from linnet.explain.tree_svg import COLUMN, EDGE, LINE, STYLE, _text
from linnet.explain.tree_text import _put
from linnet.explain.trees import WIDTH, _shown

LEVEL = 44  # pixels between a label and those below it
MARGIN = 120  # columns to which lines of an outline are indented at most


@dataclass(frozen=True)
class BracketDrawing:
    """One tree of phrases.

    >>> nested = ("S", ("NP", ("DT", "A"), ("NN", "linnet")), ("VP", ("VBZ", "sings")))
    >>> print(BracketDrawing(BracketTree.from_nested(nested)))
            S
       ┌────┴─────┐
       NP         VP
    ┌──┴──┐       │
    DT    NN     VBZ
    A   linnet  sings
    """

    tree: BracketTree

    @classmethod
    def of(cls, trees: Brackets, sentence: int = 0) -> BracketDrawing:
        """One of many trees."""
        return cls(trees[sentence])

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = WIDTH) -> str:
        """Lines from labels down to words, or an outline if that is too wide."""
        placed = bracket_layout(self._nodes())
        return self.branches() if placed.width <= width else self.outline()

    def branches(self) -> str:
        """Lines from labels down to words, however wide."""
        placed = bracket_layout(self._nodes())
        if not placed.nodes:
            return ""
        # From the top: of each height a row of labels, and one of lines; tags and words at the end.
        rows = [[" "] * placed.width for _ in range(2 * placed.height + 2)]

        def row(height: int) -> int:
            return 2 * (placed.height - height)

        for node in placed.nodes:
            _put(rows[row(node.height)], label_start(node, node.label), node.label)
            if node.word is not None:
                _put(rows[-1], label_start(node, node.word), node.word)
                continue
            children = [placed.nodes[k] for k in node.children]
            _fork(rows[row(node.height) + 1], node.centre, [child.centre for child in children])
            for child in children:
                for between in range(row(node.height) + 2, row(child.height)):
                    rows[between][child.centre] = "│"
        return "\n".join("".join(cells).rstrip() for cells in rows)

    def outline(self) -> str:
        """A line for each phrase and word, indented below the phrase that it is part of."""
        nodes = self._nodes()
        lines: list[str] = []
        waiting = [(k, "", "") for k in reversed(range(len(nodes))) if nodes[k].parent is None]
        while waiting:
            k, indent, branch = waiting.pop()
            node = nodes[k]
            lines.append(indent + branch + " ".join(filter(None, (node.label, node.word))))
            further = (indent + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch])[-MARGIN:]
            last = node.children[-1] if node.children else -1
            waiting += [
                (child, further, "└─ " if child == last else "├─ ") for child in node.children[::-1]
            ]
        return "\n".join(lines)

    def svg(self) -> str:
        """An element of its own; its colour is that of the text around it."""
        placed = bracket_layout(self._nodes())
        width = placed.width * COLUMN + 2 * EDGE
        height = placed.height * LEVEL + 2 * LINE + 2 * EDGE
        title = escape(" ".join(node.word for node in placed.nodes if node.word is not None))

        def place(node: Node) -> tuple[float, int]:
            x = EDGE + (node.centre + 0.5) * COLUMN
            return x, EDGE + LINE - 5 + (placed.height - node.height) * LEVEL

        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img" style="{STYLE}"><title>{title}</title>'
        ]
        for node in placed.nodes:
            x, y = place(node)
            parts.append(_text(x, y, node.label, ' font-size="13"'))
            if node.word is not None:
                parts.append(_text(x, y + LINE, node.word))
            for child in (placed.nodes[k] for k in node.children):
                below, lower = place(child)
                parts.append(
                    f'<line x1="{x:g}" y1="{y + 4}" x2="{below:g}" y2="{lower - 14}" '
                    f'stroke="currentColor" stroke-opacity="0.7"/>'
                )
        return "".join([*parts, "</svg>"])

    _repr_svg_ = svg

    def _nodes(self) -> list[Node]:
        return nodes_of(self.tree, list(_texts(self.tree)))


def _texts(tree: BracketTree) -> Iterator[str]:
    """Labels, tags and words without characters that a terminal would obey."""
    outer = True
    for event in tree.events():
        if event is not None and not (outer and event[0] == ""):
            yield _shown(event[0])
            if isinstance(event, Leaf):
                yield _shown(event.word)
        outer = False


def _fork(row: list[str], centre: int, children: list[int]) -> None:
    """The line below a label, down to its children."""
    if len(children) == 1:
        row[centre] = "│"
        return
    first, last = children[0], children[-1]
    row[first : last + 1] = "─" * (last - first + 1)
    for child in children:
        row[child] = "┌" if child == first else "┐" if child == last else "┬"
    row[centre] = {"─": "┴", "┬": "┼"}.get(row[centre], row[centre])
