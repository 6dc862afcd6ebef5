"""Running text where lists of tokens are expected: what is answered to it is answered text by text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data import Sequences, Trees
from linnet.data.trees import with_text
from linnet.errors import DataError

Places = NDArray[np.int64]


def are_texts(X: Any) -> bool:
    """Is it a list of strings, each a text? Words of one sentence are a mistake."""
    if not isinstance(X, (Sequence, np.ndarray)) or isinstance(X, (str, bytes)) or len(X) == 0:
        return False
    if not all(isinstance(text, str) for text in X):
        return False
    if len(X) > 1 and not any(len(text.split()) > 1 for text in X):
        raise DataError(
            f"X is a list of words: {X[0]!r}, {X[1]!r}, …; a sentence is a list of words within a list "
            f"of sentences, [X], and a text is a string of several words"
        )
    return True


def first_sentences(data: Sequences) -> Places:
    """Of each text the number of its first sentence, and the number of all sentences after the last."""
    assert data.documents is not None
    assert data.texts is not None
    return np.searchsorted(data.documents, np.arange(len(data.texts) + 1))


def by_text(data: Sequences, values: Sequence[Any]) -> list[Any]:
    """One value for each token, cut at the ends of texts."""
    return [values[b:e] for b, e in pairwise(data.offsets[first_sentences(data)].tolist())]


def check_single(data: Sequences, what: str) -> None:
    """What is of sentences is of texts that are one."""
    counts = np.diff(first_sentences(data))
    several = np.flatnonzero(counts != 1)
    if len(several):
        at = int(several[0])
        raise DataError(
            f"{what}: text {at + 1} holds {counts[at]} sentences; Sequences.from_texts(X) gives them "
            f"one by one"
        )


def one_to_a_text(trees: Trees) -> Trees:
    """Texts that are a sentence each: those that rules found in one are joined, without their heads."""
    data = trees.sequences
    assert data.texts is not None
    firsts = first_sentences(data)
    offsets = data.offsets[firsts]
    full = np.flatnonzero(np.diff(offsets) > 0)
    joined = replace(
        data, offsets=np.append(offsets[full], offsets[-1]), documents=full, aside=None, weights=None
    )
    return replace(trees, sequences=with_text(joined))


def counted_through(data: Sequences, heads: NDArray[np.int32]) -> NDArray[np.int32]:
    """Heads that count the words of their sentence, as heads that count those of their text."""
    first = data.offsets[first_sentences(data)][:-1]
    before = data.offsets[:-1] - first[data.documents]
    return np.where(heads > 0, heads + np.repeat(before, data.lengths), heads).astype(np.int32)
