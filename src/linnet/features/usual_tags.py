"""The usual tag of a word, counted in training: what a word's neighbours may know of it."""

from __future__ import annotations

import numpy as np

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
    codes, tokens = words.codes()
    of_token, names = _core.Texts.from_list([token.lower() for token in tokens]).codes()
    known = tags.codes >= 0
    pairs = of_token[codes[known]].astype(np.int64) * max(len(tags.names), 1) + tags.codes[known]
    found, count = np.unique(pairs, return_counts=True)
    word, tag = np.divmod(found, max(len(tags.names), 1))
    total = np.bincount(word, count, minlength=len(names))[word]
    usual = (total >= SEEN) & (2 * count > total)
    return Lexicon({names[w]: tags.names[t] for w, t in zip(word[usual], tag[usual], strict=True)})
