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
    length: int,
    start: int,
    tagged: Sequence[int],
    binary: Sequence[tuple[int, int, int]],
    unary: Sequence[tuple[int, int]] = (),
    *,
    chains: int = 0,
    labels: Sequence[int] = (),
    known: Sequence[tuple[int, int, int]] = (),
) -> Iterator[list[int]]:
    """Trees of a grammar with at most ``chains`` unary rules in a row.

    Parts: tag k (of the symbol ``tagged[k]``) of word t; label l of a span if ``labels`` of symbols are
    given, spans by their ends and then by their begins; one for each known phrase that is missed;
    binary rules; unary rules. Of several phrases known of the same words the first stands for all.
    """
    tags, count = len(tagged), max(labels, default=0) + 1
    spans = length * tags
    missed = spans + (length * (length + 1) // 2 * count if labels else 0)
    rule = missed + len(known)

    def span(i: int, j: int, symbol: int) -> list[int]:
        at = (j - 1) * j // 2 + i
        return [spans + at * count + labels[symbol]] if labels else []

    def base(i: int, j: int, symbol: int) -> Iterator[tuple[list[int], list[int]]]:
        """Parts, and symbols of phrases over these very words."""
        if j == i + 1:
            for k, other in enumerate(tagged):
                if other == symbol:
                    yield [i * tags + k], []
            return
        for r, (parent, left, right) in enumerate(binary):
            if parent != symbol:
                continue
            for k in range(i + 1, j):
                for a in build(i, k, left):
                    for b in build(k, j, right):
                        yield [rule + r, *span(i, j, symbol), *a, *b], [symbol]

    def chain(i: int, j: int, symbol: int, most: int) -> Iterator[tuple[list[int], list[int]]]:
        yield from base(i, j, symbol)
        for r, (parent, child) in enumerate(unary):
            if parent == symbol and most > 0:
                for parts, seen in chain(i, j, child, most - 1):
                    own = [rule + len(binary) + r, *span(i, j, symbol)]
                    yield own + parts, [symbol, *seen]

    def build(i: int, j: int, symbol: int) -> Iterator[list[int]]:
        here = [(k, label) for k, (b, e, label) in enumerate(known) if (b, e) == (i, j)]
        for parts, seen in chain(i, j, symbol, chains):
            found = {labels[a] for a in seen} if labels else set()
            miss = here and any(label not in found for _, label in here)
            yield [*parts, missed + here[0][0]] if miss else parts

    yield from build(0, length, start)
