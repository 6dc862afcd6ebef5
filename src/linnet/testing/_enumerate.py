"""Every output of a small structure, as lists of parts numbered as in the core."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product


def all_labels(labels: int) -> Iterator[list[int]]:
    """One of `labels` labels."""
    for y in range(labels):
        yield [y]


def all_binary() -> Iterator[list[int]]:
    """Without the one part, or with it."""
    yield []
    yield [0]


def all_chains(length: int, labels: int) -> Iterator[list[int]]:
    """Label y at token t is part t·L + y; the transition a→b is part T·L + a·L + b."""
    for tags in product(range(labels), repeat=length):
        states = [t * labels + y for t, y in enumerate(tags)]
        moves = [length * labels + a * labels + b for a, b in zip(tags, tags[1:], strict=False)]
        yield states + moves


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
