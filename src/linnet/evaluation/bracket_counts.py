"""Brackets of two trees compared, as arrays: rows (begin, end, label) over all words of a file."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core

Array = NDArray[np.int64]


def per_sentence(places: Array, offsets: Array) -> Array:
    """How many of these words stand in each sentence."""
    sentences = np.searchsorted(offsets, places, side="right") - 1
    return np.bincount(sentences, minlength=len(offsets) - 1).astype(np.int64)


def common_codes(first: _core.Texts, second: _core.Texts) -> tuple[Array, Array]:
    """Numbers that are the same where texts are."""
    codes, _ = _core.Texts.joined([first, second]).codes()
    return codes[: len(first)].astype(np.int64), codes[len(first) :].astype(np.int64)


def matches(gold: Array, guess: Array) -> Array:
    """Rows that are in both: one that is there several times matches as many."""
    if not len(gold) or not len(guess):
        return gold[:0]
    rows, inverse = np.unique(np.concatenate([gold, guess]), axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    counts = [np.bincount(part, minlength=len(rows)) for part in np.split(inverse, [len(gold)])]
    return np.asarray(np.repeat(rows, np.minimum(*counts), axis=0))


def crossings(gold: Array, guess: Array, offsets: Array) -> NDArray[np.bool_]:
    """Per guessed bracket (b, e), whether a gold one (g, h) crosses it: g < b < h < e or b < g < e < h.

    So either the smallest g of those that end within (b, e) is left of b, or the largest h of those
    that begin within it is right of e.
    """
    if not len(gold) or not len(guess):
        return np.zeros(len(guess), np.bool_)

    def apart(rows: Array) -> tuple[Array, Array]:  # an end is never the begin of the next sentence
        sentences = np.searchsorted(offsets, rows[:, 0], side="right") - 1
        return rows[:, 0] + sentences, rows[:, 1] + sentences

    (g, h), (b, e) = apart(gold), apart(guess)
    size = int(offsets[-1]) + len(offsets)
    leftmost = np.full(size, size, np.int64)  # by the place where brackets end
    np.minimum.at(leftmost, h, g)
    rightmost = np.full(size, -1, np.int64)  # by the place where they begin
    np.maximum.at(rightmost, g, h)
    return np.asarray(
        (_smallest(leftmost, b + 1, e, size) < b) | (-_smallest(-rightmost, b + 1, e, 1) > e)
    )


def _smallest(values: Array, begins: Array, ends: Array, nothing: int) -> Array:
    """Of ``values[begin:end]`` for many ranges, by tables of ranges of 1, 2, 4, … values."""
    lengths = ends - begins
    out = np.full(len(begins), nothing, np.int64)
    table, width = values, 1
    while (lengths >= width).any():
        here = np.flatnonzero((lengths >= width) & (lengths < 2 * width))
        out[here] = np.minimum(table[begins[here]], table[ends[here] - width])
        table = np.minimum(table[: max(len(table) - width, 0)], table[width:])
        width *= 2
    return out
