"""Every output of a small structure, as lists of parts numbered as in the core."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product


def all_labels(labels: int) -> Iterator[list[int]]:
    """One of `labels` labels."""
    for y in range(labels):
        yield [y]


def all_binary() -> Iterator[list[int]]:
    """Without the one part, or with it."""
    yield []
    yield [0]


def all_chains(
    length: int, labels: int, ends: bool = False, observed: bool = False
) -> Iterator[list[int]]:
    """Label y at token t is part t·L + y; the transition a→b is part T·L + a·L + b.

    After these come, with `ends`, the first and the last label, and with `observed` the
    transition of each pair of tokens.
    """
    tied = length * labels + labels * labels
    pairs = tied + 2 * labels if ends else tied
    for tags in product(range(labels), repeat=length):
        states = [t * labels + y for t, y in enumerate(tags)]
        moves = [length * labels + a * labels + b for a, b in pairwise(tags)]
        sides = [tied + tags[0], tied + labels + tags[-1]] if ends else []
        seen = [
            pairs + (t * labels + a) * labels + b for t, (a, b) in enumerate(pairwise(tags)) if observed
        ]
        yield states + moves + sides + seen


def all_second_order_chains(length: int, labels: int, ends: bool = False) -> Iterator[list[int]]:
    """The parts of `all_chains`, then the triple a b c as part a·L² + b·L + c."""
    first = length * labels + labels * labels + (2 * labels if ends else 0)
    for chain in all_chains(length, labels, ends):
        tags = [part % labels for part in chain[:length]]
        yield chain + [
            first + (a * labels + b) * labels + c
            for a, b, c in zip(tags, tags[1:], tags[2:], strict=False)
        ]


def all_segmentations(length: int, labels: int, longest: int) -> Iterator[list[int]]:
    """A segment of d tokens from i with label y is part (i·D + d - 1)·L + y; transitions follow."""
    first = length * longest * labels

    def build(begin: int, before: int | None) -> Iterator[list[int]]:
        if begin == length:
            yield []
            return
        for d in range(1, min(longest, length - begin) + 1):
            for y in range(labels):
                move = [] if before is None else [first + before * labels + y]
                for rest in build(begin + d, y):
                    yield [(begin * longest + d - 1) * labels + y, *move, *rest]

    yield from build(0, None)


def all_trees(words: int, single_root: bool = False) -> Iterator[list[int]]:
    """Projective trees over words 1..n-1 with root 0; "m has head h" is part m·n + h."""
    for choice in product(range(words), repeat=words - 1):
        heads = (0, *choice)
        if not _is_tree(heads) or not _is_projective(heads):
            continue
        if single_root and choice.count(0) != 1:
            continue
        yield [m * words + heads[m] for m in range(1, words)]


def all_derivations(
    length: int, symbols: int, start: int, rules: Sequence[tuple[int, int, int]]
) -> Iterator[list[int]]:
    """Binary trees: symbol a over token i is part i·N + a; rule r is part n·N + r."""

    def build(i: int, j: int, symbol: int) -> Iterator[list[int]]:
        if i == j:
            yield [i * symbols + symbol]
            return
        for r, (parent, left, right) in enumerate(rules):
            if parent != symbol:
                continue
            for k in range(i, j):
                for a in build(i, k, left):
                    for b in build(k + 1, j, right):
                        yield [length * symbols + r, *a, *b]

    yield from build(0, length - 1, start)


def _is_tree(heads: Sequence[int]) -> bool:
    for m in range(1, len(heads)):
        seen, h = set(), m
        while h != 0:
            if h in seen:
                return False
            seen.add(h)
            h = heads[h]
    return True


def _is_projective(heads: Sequence[int]) -> bool:
    """No arc covers a word that does not descend from its head."""
    for m in range(1, len(heads)):
        h = heads[m]
        for k in range(min(h, m) + 1, max(h, m)):
            ancestor = k
            while ancestor not in (0, h):
                ancestor = heads[ancestor]
            if ancestor != h:
                return False
    return True
