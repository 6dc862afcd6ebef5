"""The usual tag of a word, counted in training: what a word's neighbours may know of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.examples import LabelColumn
from linnet.features.lexicons import Lexicon

NAME = "usual"
SEEN = 3  # a rarer word has none, so that in training there are words without, as later there will be


def usual_tags(words: _core.Texts, tags: LabelColumn) -> Lexicon:
    """The tag of more than half of a word's tokens, in lower case, for words of some frequency.

    >>> from linnet.data import as_texts
    >>> words = as_texts("The a the A the rare".split())
    >>> found = usual_tags(words, LabelColumn.from_values("D D D D X X".split()))
    >>> [(found.keys[k], found.values[k]) for k in range(len(found))]
    [('the', 'D')]
    """
    counted = UsualTags()
    counted.add(words, tags)
    return counted.lexicon()


class UsualTags:
    """Counts of words with tags that come in parts; all parts name the same tags."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}  # in lower case, numbered as they come
        self.tags: list[str] = []
        self._pairs, self._counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._new: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []

    def add(self, words: _core.Texts, tags: LabelColumn) -> None:
        """The next tokens."""
        self.tags = self.tags or tags.names
        codes, tokens = words.codes()
        lowered = (token.lower() for token in tokens)
        numbers = self.words
        of_token = np.fromiter((numbers.setdefault(w, len(numbers)) for w in lowered), np.int64)
        known = tags.codes >= 0
        pairs = of_token[codes[known]] * max(len(self.tags), 1) + tags.codes[known]
        self._new.append(np.unique(pairs, return_counts=True))
        if sum(len(pairs) for pairs, _ in self._new) > len(self._pairs):  # so that it is linear
            self._join()

    def found(self) -> tuple[list[str], NDArray[np.int64], NDArray[np.int64]]:
        """Words, and counts of pairs of a word and a tag, to be merged with others."""
        self._join()
        return list(self.words), self._pairs, self._counts

    def merge(self, tags: list[str], words: list[str], pairs: Any, counts: Any) -> None:
        """What another one has found in later tokens."""
        self.tags, numbers, labels = self.tags or tags, self.words, max(len(tags), 1)
        place = np.fromiter((numbers.setdefault(w, len(numbers)) for w in words), np.int64, len(words))
        word, tag = np.divmod(pairs, labels)
        self._new.append((place[word] * labels + tag, counts))

    def _join(self) -> None:
        pairs = np.concatenate([self._pairs, *(pairs for pairs, _ in self._new)])
        counts = np.concatenate([self._counts, *(counts for _, counts in self._new)])
        self._pairs, places = np.unique(pairs, return_inverse=True)
        self._counts = np.bincount(places, counts, len(self._pairs)).astype(np.int64)
        self._new = []

    def lexicon(self) -> Lexicon:
        """Of those that are usual."""
        self._join()
        names = list(self.words)
        word, tag = np.divmod(self._pairs, max(len(self.tags), 1))
        total = np.bincount(word, self._counts, minlength=len(names))[word]
        usual = (total >= SEEN) & (2 * self._counts > total)
        found = {names[w]: self.tags[t] for w, t in zip(word[usual], tag[usual], strict=True)}
        return Lexicon(dict(sorted(found.items())))
