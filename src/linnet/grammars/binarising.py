"""Trees whose phrases have two children at most, and back.

A phrase X with more is cut into a chain of phrases ``@X…``, each named by X and by siblings that were
split off before (at most ``horizontal`` of them: a Markov chain of that order). ``vertical`` - 1 labels
of phrases above stand after ``^``. Johnson (1998); Klein and Manning (2003).
"""

from __future__ import annotations

from collections.abc import Iterator

from linnet._params import is_whole
from linnet.data.bracket_tree import BracketTree, Constituent
from linnet.data.brackets import Brackets
from linnet.errors import DataError
from linnet.grammars.heads import COLLINS_HEADS, HeadRules

MADE, ABOVE = "@", "^"
DIRECTIONS = ("right", "left", "head")
Child = tuple[int, int, str]  # words of a child, and its label or tag


def binarise(
    trees: Brackets,
    direction: str = "right",
    *,
    horizontal: int | None = None,
    vertical: int = 1,
    tags: bool = False,
    heads: HeadRules = COLLINS_HEADS,
) -> Brackets:
    """The same trees with at most two children to a phrase; `debinarise` is the inverse.

    ``right`` splits off children from the left one by one, so that what is left stands to the right;
    ``left`` the other way; ``head`` keeps the head innermost, siblings to its right around it, and then
    those to its left. ``tags``: ``vertical`` is for tags of words, too.
    """
    if direction not in DIRECTIONS:
        raise ValueError(f"binarise must be 'right', 'left' or 'head'; it is {direction!r}")
    if horizontal is not None and not is_whole(horizontal, 0):
        raise ValueError(f"horizontal must be a whole number or None; it is {horizontal!r}")
    if not is_whole(vertical, 1):
        raise ValueError(f"vertical must be 1 or more; it is {vertical!r}")
    odd = [name for name in trees.labels.names if name.startswith(MADE) or ABOVE in name]
    if tags:
        odd += [name for name in trees.sequences.columns["pos"].codes()[1] if ABOVE in name]
    if odd:
        raise DataError(f"the label {odd[0]!r} has a sign in it that marks those of binary trees")
    how = _Way(direction, horizontal, vertical, tags, heads)
    return Brackets.from_trees(how.tree(tree) for tree in trees)


def debinarise(trees: Brackets, *, tags: bool = False) -> Brackets:
    """Without phrases that `binarise` made, and what it added to labels; ``tags`` as it was given."""
    return Brackets.from_trees(
        BracketTree(
            tree.words,
            [_plain(tag) for tag in tree.tags] if tags else tree.tags,
            [
                Constituent(begin, end, _plain(label))
                for begin, end, label in tree.spans()
                if not label.startswith(MADE)
            ],
            tree.top,
        )
        for tree in trees
    )


def _plain(label: str) -> str:
    return label.partition(ABOVE)[0]


class _Way:
    """The settings, and what they make of a tree."""

    def __init__(
        self, direction: str, horizontal: int | None, vertical: int, tags: bool, heads: HeadRules
    ) -> None:
        self.direction, self.vertical, self.tags, self.heads = direction, vertical, tags, heads
        self.most = horizontal

    def tree(self, tree: BracketTree) -> BracketTree:
        children, parents, word_parents = family(tree)
        spans = tree.spans()
        above = [self._above(spans, parents, k) for k in (*parents, *word_parents)]
        names = [ABOVE.join([span.label, *above[k]]) for k, span in enumerate(spans)]
        found = [Constituent(*span[:2], names[k]) for k, span in enumerate(spans)]
        for k, own in enumerate(children):
            if len(own) > 2:
                found += self._chain(names[k], spans[k].label, own)
        # Made phrases have words that no other phrase has, so that spans tell their order.
        found.sort(key=lambda span: (span[0], -span[1]))
        tags = list(tree.tags)
        if self.tags:
            tags = [ABOVE.join([tag, *above[len(spans) + t]]) for t, tag in enumerate(tags)]
        return BracketTree(tree.words, tags, found, tree.top)

    def _above(self, spans: list[Constituent], parents: list[int], parent: int) -> list[str]:
        """Labels of the phrase above, of that above it, …"""
        found: list[str] = []
        while parent >= 0 and len(found) < self.vertical - 1:
            found.append(spans[parent].label)
            parent = parents[parent]
        return found

    def _chain(self, name: str, label: str, own: list[Child]) -> Iterator[Constituent]:
        """The phrases between one with many children and these."""
        count = len(own)
        if self.direction == "right":
            for k in range(1, count - 1):
                yield self._made(name, ">", own[k:], self._last(own[:k]))
        elif self.direction == "left":
            for k in range(count - 1, 1, -1):
                yield self._made(name, "<", own[:k], self._first(own[k:]))
        else:
            head = self.heads.head(label, [child[2] for child in own])
            name = f"{name}:{own[head][2]}"
            for k in range(head + 2, count + 1):
                if k - head < count:
                    yield self._made(name, ">", own[head:k], self._last(own[head + 1 : k]))
            for k in range(head - 1, 0, -1):
                yield self._made(name, "<", own[k:], self._first(own[k:head]))

    def _made(self, name: str, mark: str, own: list[Child], seen: list[Child]) -> Constituent:
        label = f"{MADE}{name}{mark}" + "_".join(child[2] for child in seen)
        return Constituent(own[0][0], own[-1][1], label)

    def _last(self, own: list[Child]) -> list[Child]:
        return own if self.most is None else own[max(len(own) - self.most, 0) :]

    def _first(self, own: list[Child]) -> list[Child]:
        return own if self.most is None else own[: self.most]


def family(tree: BracketTree) -> tuple[list[list[Child]], list[int], list[int]]:
    """Children of each phrase, and the phrase above each phrase and above each word; -1: none."""
    spans = tree.spans()
    children: list[list[Child]] = [[] for _ in spans]
    parents, word_parents = [-1] * len(spans), [-1] * len(tree.words)
    open_: list[int] = []
    at = 0
    for t, tag in enumerate(tree.tags):
        while open_ and spans[open_[-1]].end <= t:
            open_.pop()
        while at < len(spans) and spans[at].begin == t:
            if open_:
                parents[at] = open_[-1]
                children[open_[-1]].append(spans[at])
            open_.append(at)
            at += 1
        if open_:
            word_parents[t] = open_[-1]
            children[open_[-1]].append((t, t + 1, tag))
    return children, parents, word_parents
