"""Where the labels and words of a tree of phrases go: columns of one character each, and rows.

Words stand in one row, tags above them, and a phrase one row above the highest of its children; so of
two phrases in a row none is part of the other, and they never overlap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from linnet.data.bracket_tree import BracketTree, Leaf, Opened

GAP = 2  # columns between words


@dataclass
class Node:
    """A phrase, or a word with its tag."""

    label: str
    word: str | None
    children: list[int]
    parent: int | None
    height: int = 0  # 0: a tag above its word
    begin: int = 0  # columns that it may fill
    end: int = 0
    centre: int = 0


@dataclass(frozen=True)
class BracketLayout:
    """Nodes in the order in which their brackets open."""

    nodes: list[Node]
    width: int
    height: int  # of the highest


def nodes_of(tree: BracketTree, shown: Sequence[str] | None = None) -> list[Node]:
    """All of them, each with its children; a bracket around all without a label is left out.

    ``shown``: the texts of labels, tags and words, in this order, as they are to be drawn.
    """
    nodes: list[Node] = []
    open_: list[int | None] = []
    texts = iter(shown or ())
    for event in tree.events():
        if event is None:
            open_.pop()
            continue
        parent = open_[-1] if open_ else None
        if isinstance(event, Opened) and not event.label and not open_:
            open_.append(None)
            continue
        if parent is not None:
            nodes[parent].children.append(len(nodes))
        if isinstance(event, Opened):
            open_.append(len(nodes))
            nodes.append(Node(next(texts, event.label), None, [], parent))
        else:
            assert isinstance(event, Leaf)
            nodes.append(Node(next(texts, event.tag), next(texts, event.word), [], parent))
    return nodes


def bracket_layout(nodes: list[Node]) -> BracketLayout:
    """Places for all of them."""
    for node in reversed(nodes):  # children before parents
        node.height = 1 + max((nodes[k].height for k in node.children), default=-1)
    leaves = [node for node in nodes if node.word is not None]
    spans = _spans(nodes)
    widths = [max(cell_len(leaf.label), cell_len(leaf.word or ""), 1) for leaf in leaves]
    # The last word of a phrase is given room for a label that is wider than all of them.
    for k in reversed(range(len(nodes))):
        first, last = spans[k]
        room = sum(widths[first:last]) + GAP * (last - first - 1)
        widths[last - 1] += max(0, cell_len(nodes[k].label) - room)
    starts = [0]
    for width in widths:
        starts.append(starts[-1] + width + GAP)
    for k in reversed(range(len(nodes))):
        node, (first, last) = nodes[k], spans[k]
        node.begin, node.end = starts[first], starts[last] - GAP
        if node.children:
            ends = nodes[node.children[0]].centre, nodes[node.children[-1]].centre
            node.centre = (ends[0] + ends[1]) // 2
        else:
            node.centre = node.begin + (widths[first] - 1) // 2
    height = max((node.height for node in nodes), default=0)
    return BracketLayout(nodes, max(starts[-1] - GAP, 0), height)


def _spans(nodes: list[Node]) -> list[tuple[int, int]]:
    """Per node its first word and the one after the last."""
    spans: list[tuple[int, int]] = []
    words = 0
    for node in nodes:
        spans.append((words, words))
        words += node.word is not None
    for k in reversed(range(len(nodes))):
        first, last = spans[k]
        inner = nodes[k].children
        spans[k] = first, spans[inner[-1]][1] if inner else last + 1
    return spans


def label_start(node: Node, text: str) -> int:
    """The column in which a label begins: around the centre, within the columns of the node."""
    size = cell_len(text)
    return max(node.begin, min(node.centre - (size - 1) // 2, node.end - size))
