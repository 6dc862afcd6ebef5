"""Every dependency tree over a few words, as lists of parts numbered as in the core.

Words are 1..n, the artificial root is 0. With all arcs, "m has head h" is arc (m - 1)(n + 1) + h;
with candidates, arcs are numbered along their lists, to which the word before is always added.
Part (arc, relation) is arc·relations + relation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

Candidates = Sequence[Sequence[int]]


def all_heads(
    words: int,
    single_root: bool = True,
    projective: bool = True,
    candidates: Candidates | None = None,
) -> Iterator[tuple[int, ...]]:
    """The heads of words 1..n, tree by tree."""
    choices: Candidates = [range(words + 1)] * words
    if candidates is not None:
        choices = [sorted({*heads, m}) for m, heads in enumerate(candidates)]
    for heads in product(*choices):
        if single_root and heads.count(0) != 1:
            continue
        if _is_tree(heads) and (not projective or _is_projective(heads)):
            yield heads


def all_trees(
    words: int,
    relations: int = 1,
    single_root: bool = True,
    projective: bool = True,
    candidates: Candidates | None = None,
) -> Iterator[list[int]]:
    """The parts of every tree, with every choice of relations."""
    number = _numbers(words, candidates)
    for heads in all_heads(words, single_root, projective, candidates):
        arcs = [number[h, m] for m, h in enumerate(heads, 1)]
        for labels in product(range(relations), repeat=words):
            yield [a * relations + r for a, r in zip(arcs, labels, strict=True)]


def all_sibling_trees(
    words: int,
    relations: int = 1,
    single_root: bool = True,
    candidates: Candidates | None = None,
) -> Iterator[list[int]]:
    """Projective trees; after the parts of arcs come, arc by arc, those of siblings.

    For the arc h → m first "no modifier of h lies between", then the words between h and m that h
    may govern, ascending: the one of them that h governs and that is nearest to m.
    """
    number = _numbers(words, candidates)
    triples: dict[tuple[int, int, int], int] = {}
    for h, m in number:
        between = range(min(h, m) + 1, max(h, m))
        for s in [h, *(s for s in between if (h, s) in number)] if h != m else []:
            triples[h, m, s] = len(number) * relations + len(triples)
    for heads in all_heads(words, single_root, True, candidates):
        arcs = [number[h, m] for m, h in enumerate(heads, 1)]
        pairs = []
        for m, h in enumerate(heads, 1):
            siblings = [s for s in range(min(h, m) + 1, max(h, m)) if heads[s - 1] == h]
            nearest = h if not siblings else max(siblings) if h < m else min(siblings)
            pairs.append(triples[h, m, nearest])
        for labels in product(range(relations), repeat=words):
            yield [a * relations + r for a, r in zip(arcs, labels, strict=True)] + pairs


def all_grandparent_trees(
    words: int,
    relations: int = 1,
    single_root: bool = True,
    candidates: Candidates | None = None,
) -> Iterator[list[int]]:
    """Projective trees; after the parts of `all_sibling_trees` come those of grandparents.

    For each arc h → m from a word, in order, one for each arc g → h, in order.
    """
    number = _numbers(words, candidates)
    siblings = sum(
        1 + sum((h, s) in number for s in range(min(h, m) + 1, max(h, m))) for h, m in number if h != m
    )
    following = len(number) * relations + siblings
    grand: dict[tuple[int, int, int], int] = {}
    for h, m in number:
        for g, word in number if h not in (0, m) else ():
            if word == h:
                grand[g, h, m] = following + len(grand)
    arc_of = {n: arc for arc, n in number.items()}
    for parts in all_sibling_trees(words, relations, single_root, candidates):
        head = {m: h for h, m in (arc_of[p // relations] for p in parts[:words])}
        yield parts + [grand[head[h], h, m] for m, h in head.items() if h != 0]


def _numbers(words: int, candidates: Candidates | None) -> dict[tuple[int, int], int]:
    if candidates is None:
        arcs = [(h, m) for m in range(1, words + 1) for h in range(words + 1)]
    else:
        arcs = [(h, m + 1) for m, heads in enumerate(candidates) for h in sorted({*heads, m})]
    return {arc: number for number, arc in enumerate(arcs)}


def _is_tree(heads: Sequence[int]) -> bool:
    for m in range(1, len(heads) + 1):
        seen, h = set(), m
        while h != 0:
            if h in seen:
                return False
            seen.add(h)
            h = heads[h - 1]
    return True


def _is_projective(heads: Sequence[int]) -> bool:
    """No arc covers a word that does not descend from its head."""
    for m, h in enumerate(heads, 1):
        for k in range(min(h, m) + 1, max(h, m)):
            ancestor = k
            while ancestor not in (0, h):
                ancestor = heads[ancestor - 1]
            if ancestor != h:
                return False
    return True
