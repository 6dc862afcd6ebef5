"""Arrays of constituents: whether they are trees, and how deep each of them lies.

Constituents of sentence i are ``starts[i]:starts[i + 1]``, in the order in which their brackets open.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from linnet.data.examples import LabelColumn
from linnet.data.sequences import Places


def label_table(labels: Sequence[str]) -> LabelColumn:
    """One label per constituent."""
    return LabelColumn.from_values(list(labels))


def check_nested(
    begins: Places, ends: Places, starts: Places, lengths: Places
) -> tuple[int, str] | None:
    """The first sentence whose constituents are no tree, and why; None: all are."""
    if not len(begins):
        return None
    sentences = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    outside = (begins < 0) | (begins >= ends) | (ends > lengths[sentences])
    same = sentences[1:] == sentences[:-1]
    early = (begins[1:] < begins[:-1]) | ((begins[1:] == begins[:-1]) & (ends[1:] > ends[:-1]))
    disorder = np.concatenate([[False], same & early])
    wrong = np.flatnonzero(outside | disorder)
    if len(wrong):
        k = int(wrong[0])
        span, words = f"the constituent [{begins[k]}, {ends[k]}]", lengths[sentences[k]]
        if outside[k]:
            return int(sentences[k]), f"{span} holds no words of a sentence of {words}"
        return int(sentences[k]), f"{span} stands after one that begins or ends inside of it"
    crossing = np.flatnonzero(_crosses(begins, ends, sentences, lengths))
    if not len(crossing):
        return None
    k = int(crossing[0])
    return int(sentences[k]), f"the constituent [{begins[k]}, {ends[k]}] crosses another one"


def depths(begins: Places, ends: Places, starts: Places, lengths: Places) -> Places:
    """Per constituent, how many brackets are open around it.

    As many as were opened before it, without those that were closed.
    """
    sentences = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    places = _bases(lengths)[sentences]
    closed = np.searchsorted(np.sort(ends + places), begins + places, side="right")
    return np.arange(len(begins)) - closed


def _bases(lengths: Places) -> Places:
    """Sentences one after the other, with a gap, so that an end is never a begin of the next."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths + 1)])[:-1]


def _crosses(begins: Places, ends: Places, sentences: Places, lengths: Places) -> NDArray[np.bool_]:
    """Constituents after which as many brackets are open as there were before them are trees.

    Where two cross, the first that crosses any is left with more: nothing before it crosses it.
    """
    places = _bases(lengths)[sentences]
    begun, ended = begins + places, ends + places
    order = np.lexsort((np.arange(len(ended)), ended))  # by end, then as they open
    rank = np.empty(len(ended), np.int64)
    rank[order] = np.arange(len(ended))  # closed before it, if of equal ends the later one closes first
    by_end = ended[order]
    before = np.searchsorted(by_end, ended, side="left")  # closed at earlier places
    here = np.searchsorted(by_end, ended, side="right") - rank  # of equal end: itself, and those inside
    opened = np.searchsorted(begun, ended, side="left")  # begun is in order
    left = opened - before - here
    inside = np.arange(len(begun)) - np.searchsorted(by_end, begun, side="right")
    return np.asarray(left != inside)
