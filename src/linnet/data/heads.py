"""Arrays of heads: whether they are trees, which arcs are non-projective, relations without subtypes.

All functions take the heads of many sentences in a row; those of sentence i are
``heads[offsets[i]:offsets[i + 1]]``, counted from 1 within it, 0 for the root and -1 if missing.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.data.examples import LabelColumn
from linnet.data.sequences import MISSING, Places
from linnet.errors import DataError, setting

Heads = NDArray[np.int32]


def as_heads(given: NDArray[np.generic]) -> Heads:
    """Heads of all tokens as the core reads them; what is out of range stays so."""
    heads = np.asarray(given)
    if heads.size and heads.dtype.kind not in "iu":
        raise DataError(f"heads are whole numbers; these are of type {heads.dtype}")
    if heads.ndim != 1:
        raise DataError(f"heads are one row of numbers, for all tokens; these have {heads.ndim} axes")
    bounds = np.iinfo(np.int32)
    return np.ascontiguousarray(np.clip(heads, bounds.min, bounds.max), np.int32)


def numbers_and_lengths(offsets: Places) -> tuple[Places, Places]:
    """Per token: its number in its sentence, from 1, and the length of the sentence."""
    lengths = np.diff(offsets)
    numbers = np.arange(offsets[-1]) + 1 - np.repeat(offsets[:-1], lengths)
    return numbers, np.repeat(lengths, lengths)


def head_places(heads: Heads, offsets: Places) -> Places:
    """Per token, the token that is its head; roots and missing heads point past the last token."""
    starts = np.repeat(offsets[:-1], np.diff(offsets))
    return np.where(heads > 0, heads - 1 + starts, len(heads))


def head_lengths(heads: Heads, offsets: Places) -> Places:
    """Per token, how many words away its head is; 0 for roots and missing heads."""
    numbers, _ = numbers_and_lengths(offsets)
    return np.where(heads > 0, np.abs(heads - numbers), 0)


def first_problem(heads: Heads, offsets: Places, *, one_root: bool) -> tuple[int, str] | None:
    """The first token at which the heads are no tree, and what is wrong; None: all are trees.

    Missing heads are no problem: what is known must be part of a tree.
    """
    numbers, lengths = numbers_and_lengths(offsets)
    outside = np.flatnonzero((heads < MISSING) | (heads > lengths))
    if len(outside):
        t = int(outside[0])
        return (
            t,
            f"the head of word {numbers[t]} is {heads[t]}, but the sentence has {lengths[t]} words",
        )
    found = [_no_root(heads, offsets), _cycle(heads, offsets, numbers)]
    if one_root:
        found.append(_second_root(heads, offsets, numbers))
    return min((problem for problem in found if problem is not None), default=None)


def _second_root(heads: Heads, offsets: Places, numbers: Places) -> tuple[int, str] | None:
    roots = np.flatnonzero(heads == 0)
    sentences = np.searchsorted(offsets, roots, side="right")
    again = np.flatnonzero(sentences[1:] == sentences[:-1])
    if not len(again):
        return None
    first, second = roots[again[0]], roots[again[0] + 1]
    return int(second), (
        f"word {numbers[second]} is a second root beside word {numbers[first]}; "
        f"one is wanted unless {setting('roots', 'many')} is said"
    )


def _no_root(heads: Heads, offsets: Places) -> tuple[int, str] | None:
    """Sentences all of whose heads are known and none is 0."""
    possible = np.concatenate([np.zeros(1, np.int64), np.cumsum(heads <= 0)])
    without = np.flatnonzero((possible[offsets[1:]] == possible[offsets[:-1]]) & (np.diff(offsets) > 0))
    return (int(offsets[without[0]]), "no word of the sentence is its root") if len(without) else None


def _cycle(heads: Heads, offsets: Places, numbers: Places) -> tuple[int, str] | None:
    """Every token's ancestor 1, 2, 4, … steps up; who is not at the end then is below a cycle."""
    end = len(heads)
    parents = np.append(head_places(heads, offsets), end)
    above, steps = parents, 1
    while steps < int(np.diff(offsets).max(initial=0)):
        above, steps = above[above], 2 * steps
    astray = np.flatnonzero(above != end)
    if not len(astray):
        return None
    start = int(above[astray[0]])  # so many steps up, it is on the cycle itself
    cycle = [start]
    while (at := int(parents[cycle[-1]])) != start:
        cycle.append(at)
    first = cycle.index(min(cycle))
    cycle = cycle[first:] + cycle[: first + 1]
    if len(cycle) == 2:
        return cycle[0], f"word {numbers[cycle[0]]} is its own head"
    return cycle[0], "the heads make a cycle: " + " → ".join(str(numbers[t]) for t in cycle)


def nonprojective_arcs(heads: Heads, offsets: Places) -> NDArray[np.bool_]:
    """Per token m with head h, whether a token between the two does not descend from h.

    If some token between does not, then the first step on its way up that leaves the arc's span
    leaves it to beyond h and m. So only arcs with such a head inside are looked at more closely.
    Arcs from the root are projective; where heads are missing, nothing is held against an arc.
    """
    numbers, _ = numbers_and_lengths(offsets)
    at = np.flatnonzero(heads > 0)
    low, high = np.minimum(heads[at], numbers[at]), np.maximum(heads[at], numbers[at])
    first = at - numbers[at] + low  # the token at the left end
    suspects: list[NDArray[np.int64]] = []
    step = 1
    while len(at := at[keep := high - low > step]):
        low, high, first = low[keep], high[keep], first[keep]
        inner = heads[first + step]
        out = (inner >= 0) & ((inner < low) | (inner > high))
        suspects.append(at[out])
        step += 1
    flags = np.zeros(len(heads), np.bool_)
    up, longest = head_places(heads, offsets).tolist(), int(np.diff(offsets).max(initial=0))
    is_root = (heads == 0).tolist()
    for m in np.unique(np.concatenate([np.zeros(0, np.int64), *suspects])).tolist():
        h = up[m]
        between = range(min(h, m) + 1, max(h, m))
        flags[m] = any(_reaches_root(up, is_root, k, h, longest) for k in between)
    return flags


def _reaches_root(up: list[int], is_root: list[bool], token: int, barred: int, steps: int) -> bool:
    """Whether the way up from a token ends at the root without passing ``barred``."""
    for _ in range(steps):  # guesses may hold cycles
        if token in (barred, len(up)):
            return False
        if is_root[token]:
            return True
        token = up[token]
    return False


def short_relations(relations: LabelColumn) -> LabelColumn:
    """Relations cut at the colon: ``nsubj:pass`` becomes ``nsubj``."""
    short = [name.split(":", 1)[0] or name for name in relations.names]
    names = sorted(set(short))
    code = {name: k for k, name in enumerate(names)}
    table = np.array([*(code[name] for name in short), MISSING], np.int32)
    return LabelColumn(names, table[relations.codes])
