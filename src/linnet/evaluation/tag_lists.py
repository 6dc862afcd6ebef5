"""Lists of tags told from sets of labels, whose order does not matter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linnet.errors import DataError

Column = Sequence[Any]  # an item for each example


def several(item: Any) -> bool:
    """Is it a list, tuple or set of labels?"""
    return isinstance(item, (list, tuple, set, frozenset, np.ndarray))


def are_sequences(*columns: Column) -> bool:
    """Are these gold and guessed tags of sentences, and no sets of labels?

    Tags repeat, and there are as many guessed as gold ones; sets have no label twice. Python's sets,
    and tuples, which classifiers answer with, are sets. Lists that may be either, and do not agree,
    are a `DataError`.
    """
    if isinstance(columns[0][0], str) or not all(several(item) for one in columns for item in one):
        return False
    if any(isinstance(item, (set, frozenset)) for one in columns for item in one):
        return False
    pairs = [
        (i, gold, guess)
        for one in columns[1:]
        for i, (gold, guess) in enumerate(zip(columns[0], one, strict=True))
    ]
    uneven = next((i for i, gold, guess in pairs if len(gold) != len(guess)), None)
    twice = next((i for i, *items in pairs if any(map(_repeats, items))), None)
    if twice is not None and uneven is not None:
        raise DataError(
            f"example {twice + 1} has a label twice, as tags of a sentence do and sets of labels do "
            f"not; but example {uneven + 1} has other numbers of gold and guessed ones, as sets do and "
            f"tags do not. Say sequences=True or sequences=False"
        )
    if twice is not None:
        return True
    if uneven is not None or any(isinstance(item, tuple) for one in columns for item in one):
        return False
    other = next((i for i, gold, guess in pairs if list(gold) != list(guess)), None)
    if other is not None:
        raise DataError(
            f"example {other + 1}: are these tags of a sentence, where the order matters, or sets of "
            f"labels? Say sequences=True or sequences=False"
        )
    return False


def _repeats(item: Any) -> bool:
    return len({*map(str, item)}) < len(item)


def in_a_row(gold: Column, *guesses: Column) -> list[list[Any]]:
    """The tags of all sentences, those left out whose gold tag is missing."""
    for guess in guesses:
        for i, (tags, guessed) in enumerate(zip(gold, guess, strict=True)):
            if not several(tags) or not several(guessed) or len(tags) != len(guessed):
                raise DataError(
                    f"sentence {i + 1}: {_size(tags)} gold tags, but {_size(guessed)} guessed ones"
                )
    rows = zip(gold, *guesses, strict=True)
    tokens = [token for row in rows for token in zip(*row, strict=True) if token[0] is not None]
    if not tokens:
        raise DataError("there are no tags to evaluate on")
    return [list(column) for column in zip(*tokens, strict=True)]


def _size(tags: Any) -> int:
    return len(tags) if several(tags) else 0
