"""Multiword tokens: which words stand behind a token of the text, by what a treebank shows.

A split is how the first word is made of the token (an edit script that keeps its case) and the other
words as they are: *don't* is without its last three letters, and *n't*; *zum* is *zu* and *dem*. A
token that was never split before is split as most tokens that end like it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from linnet.data.edit_scripts import apply_script, edit_script, lower, upper
from linnet.errors import DataError

Split = tuple[str, ...]  # a script, and words in lower case
LONGEST = 8  # characters of an ending


class MultiwordSplits:
    """Tokens in lower case and their splits, each with how often it was seen."""

    def __init__(self, seen: Mapping[str, tuple[Split, int]]) -> None:
        self._seen = dict(seen)
        endings: dict[str, Counter[Split]] = {}
        for token, (split, _) in self._seen.items():
            for size in range(min(LONGEST, len(token) - 1) + 1):
                endings.setdefault(token[len(token) - size :], Counter())[split] += 1
        self._endings = {ending: _first(counts) for ending, counts in endings.items()}

    def __len__(self) -> int:
        """How many tokens are known."""
        return len(self._seen)

    @classmethod
    def learnt(cls, tokens: Iterable[tuple[str, Sequence[str]]]) -> MultiwordSplits:
        """Of tokens and their words, as often as they occur."""
        counts: dict[str, Counter[Split]] = {}
        for token, words in tokens:
            counts.setdefault(lower(token), Counter())[_split(token, words)] += 1
        found = {token: _first(splits) for token, splits in counts.items()}
        return cls({token: (split, counts[token][split]) for token, split in found.items()})

    def words(self, token: str) -> list[str] | None:
        """The words of a token; None if nothing like it was ever split.

        >>> splits = MultiwordSplits.learnt([("don't", ["do", "n't"]), ("zum", ["zu", "dem"])])
        >>> splits.words("Can't"), splits.words("ZUM")
        (['Ca', "n't"], ['ZU', 'DEM'])
        """
        low = lower(token)
        if low in self._seen:
            known = _made(self._seen[low][0], token)
            return None if known is None or "" in known else known
        for size in range(min(LONGEST, len(low) - 1), -1, -1):
            split = self._endings.get(low[len(low) - size :])
            made = None if split is None else _made(split, token)
            if made is not None and "" not in made:
                return made
        return None

    def spec(self) -> list[list[Any]]:
        """As JSON."""
        return [[token, count, *split] for token, (split, count) in self._seen.items()]

    @classmethod
    def from_spec(cls, spec: Any) -> MultiwordSplits:
        """The inverse."""
        seen = {}
        for row in spec if isinstance(spec, list) else [None]:
            if not isinstance(row, list) or len(row) < 3 or type(row[1]) is not int:
                raise DataError("its multiword tokens are no rows of token, count and words")
            token, count, *split = row
            if not all(isinstance(cell, str) for cell in (token, *split)):
                raise DataError("its multiword tokens are no strings")
            seen[token] = (tuple(split), count)
        return cls(seen)


def _first(counts: Counter[Split]) -> Split:
    """The most frequent one; of equals, the first in the order of the alphabet."""
    return min(counts, key=lambda split: (-counts[split], split))


def _split(token: str, words: Sequence[str]) -> Split:
    script = edit_script(lower(token), lower(words[0]))
    return ("k" + script[1:] if script[0] == "l" else script, *map(lower, words[1:]))


def _made(split: Split, token: str) -> list[str] | None:
    """The words, in the case of the token where it has them, too."""
    first = apply_script(split[0], token)
    if first is None:
        return None
    rest, joined = list(split[1:]), "".join(split[1:])
    if lower(token).endswith(joined):
        at = len(token) - len(joined)
        for k, word in enumerate(rest):
            rest[k] = token[at : at + len(word)]
            at += len(word)
    elif len(token) > 1 and token == upper(token) != lower(token):
        first, rest = upper(first), [upper(word) for word in rest]
    return [first, *rest]
