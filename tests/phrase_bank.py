"""Trees of phrases of a small grammar, for tests."""

from functools import cache
from typing import Any

import numpy as np

from linnet.data.brackets import Brackets

TEMPLATES = ["first.tag", "last.tag", "first.tag last.tag", "length", "first.tag[-1] last.tag[+1]"]
WORDS = {
    "DT": ["a", "the"],
    "NN": ["linnet", "wren", "hedge", "garden"],
    "NNS": ["finches", "hedges"],
    "VBZ": ["sings", "hides", "sleeps"],
    "IN": ["in", "near"],
    "CC": ["and"],
    ".": ["."],
}


def _word(rng: np.random.Generator, tag: str) -> tuple[str, str]:
    return tag, str(rng.choice(WORDS[tag]))


def _noun(rng: np.random.Generator, depth: int) -> tuple[Any, ...]:
    draw = rng.random()
    if draw < 0.2:
        return "NP", _word(rng, "NNS")
    if draw < 0.4 and depth < 2:
        where = ("PP", _word(rng, "IN"), _noun(rng, depth + 1))
        return "NP", ("NP", _word(rng, "DT"), _word(rng, "NN")), where
    return "NP", _word(rng, "DT"), _word(rng, "NN")


def _sentence(rng: np.random.Generator) -> tuple[Any, ...]:
    if rng.random() < 0.15:
        return "S", ("VP", _word(rng, "VBZ"), _word(rng, "."))  # two labels over the same words
    verb: tuple[Any, ...] = ("VP", _word(rng, "VBZ"))
    if rng.random() < 0.5:
        verb = (*verb, ("PP", _word(rng, "IN"), _noun(rng, 1)))
    return "S", _noun(rng, 0), verb, _word(rng, ".")


@cache
def trees(count: int = 60, seed: int = 0, longest: int = 9) -> Brackets:
    """So many trees, of sentences that are not too long."""
    rng = np.random.default_rng(seed)
    found: list[Any] = []
    while len(found) < count:
        made = Brackets.from_nested([_sentence(rng)])
        if made.tokens <= longest:
            found += made.nested()
    return Brackets.from_nested(found)
