"""Where words and arcs of a dependency tree go: columns of one character each, and levels above them.

No two arcs end in the same column. At a word, arcs to the left end left of those to the right, and the
longer of two arcs on a side lies outside of the other: so arcs of a projective tree never cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len

GAP = 2  # columns between words


class Arc(NamedTuple):
    """From ``begin`` to ``end``, the columns of its left and right end."""

    begin: int
    end: int
    level: int  # from 1
    to_left: bool  # the modifier is the left end
    relation: str


@dataclass(frozen=True)
class Layout:
    starts: list[int]  # the first column of each word
    widths: list[int]
    arcs: list[Arc]
    roots: list[tuple[int, str]]  # columns of words that are roots, and their relation
    height: int  # the highest level
    width: int


def layout(words: Sequence[Sequence[str]], heads: Sequence[int], relations: Sequence[str]) -> Layout:
    """Place words, each of which is a few texts one below the other."""
    ends = _ends(heads)
    widths = [
        max(len(at), *(cell_len(text) for text in texts), 1)
        for at, texts in zip(ends, words, strict=True)
    ]
    offset = {
        (word, partner): (widths[word] - len(at)) // 2 + k
        for word, at in enumerate(ends)
        for k, partner in enumerate(at)
    }
    starts: list[int] = []
    for j in range(len(widths)):
        start = starts[-1] + widths[j - 1] + GAP if j else 0
        for i in range(j):
            label = _between(i, j, heads, relations)
            if label is not None:
                least = starts[i] + offset[i, j] + cell_len(label) + 3  # ┌─label─┐
                start = max(start, least - offset[j, i])
        starts.append(start)

    def column(word: int, partner: int) -> int:
        return starts[word] + offset[word, partner]

    arcs: list[Arc] = []
    pairs = [(min(m, h - 1), max(m, h - 1), m) for m, h in enumerate(heads) if h > 0]
    for i, j, modifier in sorted(pairs, key=lambda pair: (pair[1] - pair[0], pair[0])):
        begin, end = column(i, j), column(j, i)
        below = (arc.level for arc in arcs if arc.begin < end and begin < arc.end)
        arcs.append(Arc(begin, end, 1 + max(below, default=0), modifier == i, relations[modifier]))
    return Layout(
        starts,
        widths,
        arcs,
        [(column(m, m), relations[m]) for m, head in enumerate(heads) if head == 0],
        max((arc.level for arc in arcs), default=0),
        starts[-1] + widths[-1] if starts else 0,
    )


def _ends(heads: Sequence[int]) -> list[list[int]]:
    """Per word, the words at the other end of its arcs as these end there; a root's is itself."""
    partners: list[set[int]] = [set() for _ in heads]
    for m, head in enumerate(heads):
        if head >= 0:
            partners[m].add(head - 1 if head else m)
        if head > 0:
            partners[head - 1].add(m)
    return [
        [*sorted((p for p in own if p < word), reverse=True)]
        + [p for p in own if p == word]
        + sorted((p for p in own if p > word), reverse=True)
        for word, own in enumerate(partners)
    ]


def _between(i: int, j: int, heads: Sequence[int], relations: Sequence[str]) -> str | None:
    """The relation of the arc between two words; None: there is no arc."""
    if heads[i] == j + 1:
        return relations[i]
    return relations[j] if heads[j] == i + 1 else None
