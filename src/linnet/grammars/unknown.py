"""Classes of words that were seen too seldom: what can be told of a word from how it is written."""

from __future__ import annotations

UNKNOWN = "UNK"
SUFFIXES = (
    "ing", "ion", "ity", "est", "ous", "ive", "ful", "ess", "ers", "ed", "er", "ly", "al", "es",
    "s", "y",
)  # fmt: skip
SHORTEST = 4  # letters of a word whose suffix is looked at


def word_class(word: str, first: bool = False) -> str:
    """The class of a word, general things first, so that a shorter class is a wider one.

    ``first``: it begins a sentence, where a capital says little.

    >>> word_class("Linnets"), word_class("1,234"), word_class("red-headed"), word_class("NATO")
    ('UNK-Cap-s', 'UNK-digits', 'UNK-low-hyphen-ed', 'UNK-CAPS')
    """
    parts = [UNKNOWN]
    if any(letter.isdigit() for letter in word):
        letters = any(letter.isalpha() for letter in word)
        parts.append("mixed" if letters else "digits")
    elif not any(letter.isalpha() for letter in word):
        parts.append("signs")
    elif word.isupper() and len(word) > 1:
        parts.append("CAPS")
    elif word[:1].isupper():
        parts.append("First" if first else "Cap")
    else:
        parts.append("low")
    if "-" in word[1:-1]:
        parts.append("hyphen")
    if parts[1] in ("First", "Cap", "low") and len(word) >= SHORTEST:
        parts += [ending for ending in SUFFIXES if word.lower().endswith(ending)][:1]
    return "-".join(parts)


def wider(name: str) -> str | None:
    """The class without the last thing that is told; None: there is no wider one."""
    return name.rpartition("-")[0] or None
