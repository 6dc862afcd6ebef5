"""Projective trees of any trees: arcs that cross others are lifted (Nivre and Nilsson 2005)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.heads import nonprojective_arcs


def lifted(
    heads: NDArray[np.int32], offsets: NDArray[np.int64], one_root: bool = True
) -> NDArray[np.int32]:
    """The heads of projective trees that differ least: again and again, the shortest arc over words
    that do not descend from its head gets the head of its head.

    Heads that are missing (-1) stay so; an arc whose head has none becomes missing. Of a partial tree
    as many heads are kept as a projective tree can have.

    >>> lifted(np.array([3, 0, 2, 1], np.int32), np.array([0, 4])).tolist()
    [2, 0, 2, 2]
    """
    made = heads.copy()
    crossing = np.flatnonzero(nonprojective_arcs(made, offsets))
    for i in np.unique(np.searchsorted(offsets, crossing, side="right") - 1).tolist():
        begin, end = int(offsets[i]), int(offsets[i + 1])
        sentence, alone = made[begin:end], np.array([0, end - begin], offsets.dtype)
        while len(wrong := np.flatnonzero(nonprojective_arcs(sentence, alone))):
            word = wrong[np.argmin(np.abs(sentence[wrong] - wrong - 1))]
            sentence[word] = sentence[sentence[word] - 1]
    for i in np.unique(np.searchsorted(offsets, np.flatnonzero(made < 0), side="right") - 1).tolist():
        sentence = made[int(offsets[i]) : int(offsets[i + 1])]
        sentence[_projective(sentence, one_root) != sentence] = -1
    return made


def _projective(heads: NDArray[np.int32], one_root: bool) -> NDArray[np.int32]:
    """The projective tree that has most of the heads that are known."""
    n = len(heads)
    scores, known = np.zeros((n, n + 1)), heads >= 0
    scores[np.flatnonzero(known), heads[known]] = 1
    found: NDArray[np.int32]
    found, _ = _core.tree_decode(scores.reshape(-1), np.array([0, n]), single_root=one_root)
    return found
