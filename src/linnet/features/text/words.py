"""The words of a text, and to which of them an n-gram belongs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import flag, whole
from linnet.features.text.blocks import blocks_of, stop_words, token_rule

CHARACTERS = ("chars", "chars_wb")
Places = NDArray[np.uint32]


class Words:
    """Words are the tokens of a text, stop words and punctuation marks among them."""

    def __init__(self, settings: Any, text: str) -> None:
        self._kinds = [kind for kind, _, _ in blocks_of(settings)]
        rule = token_rule(settings)
        self.begins, self.ends = _tokens(text, rule)  # in bytes
        kept, _ = _tokens(
            text,
            rule,
            flag("lowercase", settings.lowercase),
            flag("punctuation", settings.punctuation),
            stop_words(settings.stop_words),
            whole("min_length", settings.min_length, 0),
        )
        self._kept = np.isin(self.begins, kept)  # (words,): are n-grams formed of it?

    def of_gram(self, block: int, begin: int, end: int) -> tuple[int, ...]:
        """The words an n-gram is made of; of characters, those that it covers in part."""
        first = int(np.searchsorted(self.ends, begin, side="right"))
        last = int(np.searchsorted(self.begins, end, side="left"))
        kind = self._kinds[block]
        if kind in CHARACTERS:
            return tuple(range(first, last))
        made_of = [word for word in range(first, last) if self._kept[word]]
        return (made_of[0], made_of[-1]) if kind == "skip" else tuple(made_of)


def _tokens(
    text: str,
    rule: str,
    lowercase: bool = False,
    punctuation: bool = True,
    without: list[str] | None = None,
    min_length: int = 1,
) -> tuple[Places, Places]:
    finder = _core.Analyzer(
        [("word", 1, 1)], lowercase, punctuation, rule, without or [], min_length, [0], False
    )
    _, begins, ends, _, _ = finder.grams(text)
    return begins, ends
