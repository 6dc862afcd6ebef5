"""The families of n-grams that settings describe: which there are, what they see, what they weigh."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import linnet._core as _core
from linnet._params import flag, number, whole
from linnet.features.text.stop_words import ENGLISH


def analyzer(settings: Any) -> _core.Analyzer:
    """What cuts texts into n-grams."""
    blocks = blocks_of(settings)
    chars = whole("chars_first", settings.chars_first, 0)
    # How many tokens or characters a block looks at; 0 for all.
    first = {"lead": whole("lead", settings.lead, 0), "chars": chars, "chars_wb": chars}
    return _core.Analyzer(
        blocks,
        flag("lowercase", settings.lowercase),
        flag("punctuation", settings.punctuation),
        token_rule(settings),
        stop_words(settings.stop_words),
        whole("min_length", settings.min_length, 0),
        [first.get(kind, 0) for kind, _, _ in blocks],
        settings.mix is not None,
    )


def token_rule(settings: Any) -> str:
    """What divides tokens; those of a tokenizer come with blanks between them."""
    return "whitespace" if settings.tokenizer is not None else str(settings.tokens)


def part_weights(settings: Any) -> list[float]:
    """The weight of each block, if they are normalised apart."""
    if settings.mix is None:
        return []
    if not isinstance(settings.mix, Mapping):
        raise ValueError(f"mix must be a dictionary of weights by block, not {settings.mix!r:.60}")
    kinds = [kind for kind, _, _ in blocks_of(settings)]
    unknown = sorted(set(settings.mix) - set(kinds))
    if unknown:
        raise ValueError(f"mix names {unknown[0]!r}, but the blocks of features are {kinds}")
    weights = [number(settings.mix.get(kind, 1.0)) for kind in kinds]
    if not all(0 < weight < float("inf") for weight in weights):
        raise ValueError(f"mix must hold positive weights, not {dict(settings.mix)}")
    return weights


def blocks_of(settings: Any) -> list[tuple[str, int, int]]:
    """(kind, shortest, longest) of each block, in the order of the analyzer."""
    blocks = []
    for kind in ("word", "chars", "chars_wb"):
        lengths = getattr(settings, kind)
        if lengths is None:
            continue
        if not isinstance(lengths, (tuple, list)) or len(lengths) != 2:
            raise ValueError(f"{kind} must be (shortest, longest) or None, not {lengths!r}")
        shortest, longest = (whole(f"{kind}[{k}]", length) for k, length in enumerate(lengths))
        blocks.append((kind, shortest, longest))
    if whole("skip", settings.skip, 0):
        blocks.append(("skip", 1, whole("skip", settings.skip)))
    if flag("shape", settings.shape):
        blocks.append(("shape", 1, 1))
    if whole("lead", settings.lead, 0):
        blocks.append(("lead", 1, 2))
    return blocks


def stop_words(given: Any) -> list[str]:
    """Those of the setting."""
    if given is None:
        return []
    if isinstance(given, str):
        if given != "english":
            raise ValueError(f"stop_words must be a list or 'english', not {given!r}")
        return ENGLISH
    words = list(given) if isinstance(given, Iterable) else [given]
    if not all(isinstance(word, str) for word in words):
        raise ValueError(f"stop_words must be a list of strings or 'english', not {given!r:.60}")
    return words
