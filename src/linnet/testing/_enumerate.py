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


def all_higher_chains(length: int, labels: int, order: int, ends: bool = False) -> Iterator[list[int]]:
    """The parts of `all_chains`, then windows of 3 labels, of 4, …, of order + 1, by their digits."""
    first = length * labels + labels * labels + (2 * labels if ends else 0)
    for chain in all_chains(length, labels, ends):
        tags = [part % labels for part in chain[:length]]
        parts, begin = list(chain), first
        for size in range(3, order + 2):
            windows = list(product(range(labels), repeat=size))
            seen = [tuple(tags[t : t + size]) for t in range(length - size + 1)]
            parts += [begin + windows.index(window) for window in seen]
            begin += len(windows)
        yield parts


def all_segmentations(length: int, types: int, lengths: int, longest: int = 0) -> Iterator[list[int]]:
    """A token has 3K + 1 parts: outside, first of type y, inside, last; lengths and moves follow.

    All lengths from ``lengths`` on are one part.
    """
    columns = 3 * types + 1
    by_length, moves = length * columns, length * columns + lengths * types

    def segment(begin: int, d: int, y: int) -> list[int]:
        inner = [t * columns + types + y for t in range(begin + 1, begin + d)]
        last = (begin + d - 1) * columns + 2 * types + y
        return [begin * columns + y, *inner, last, by_length + (min(d, lengths) - 1) * types + y - 1]

    def build(begin: int, before: int | None) -> Iterator[list[int]]:
        if begin == length:
            yield []
            return
        for d in range(1, min(longest or length, length - begin) + 1):
            for y in range(types + 1):
                if y == 0 and d > 1:
                    continue
                own = [begin * columns] if y == 0 else segment(begin, d, y)
                move = [] if before is None else [moves + before * (types + 1) + y]
                for rest in build(begin + d, y):
                    yield [*own, *move, *rest]

    yield from build(0, None)


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
