"""Missing values: what is done about them, and how many there were.

A text, a label, a number or a category may be missing: None, NaN, null, an empty cell. What happens
then is a `Policy`; what was done is told, once for each kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet._lacks import OWN, Lack, gathering, tell

__all__ = ["OWN", "Lack", "Policy", "gathering", "is_missing", "tell", "where_missing"]

# What may be done about each kind, the default first.
KINDS: dict[str, tuple[str, ...]] = {
    "text": ("empty", "skip", "error"),
    "label": ("skip", "error"),
    "number": ("mean", "zero", "skip", "error"),
    "category": ("own", "skip", "error"),
}


@dataclass(frozen=True)
class Policy:
    """What is done about each kind."""

    text: str = "empty"
    label: str = "skip"
    number: str = "mean"
    category: str = "own"

    @classmethod
    def of(cls, given: Any) -> Policy:
        """From 'auto', one word for all kinds that have it, or words by kind.

        >>> Policy.of("skip").number, Policy.of({"text": "skip"}).number, Policy.of("zero").text
        ('skip', 'mean', 'empty')
        """
        if isinstance(given, Policy):
            return given
        if given is None or (isinstance(given, str) and given == "auto"):
            return cls()
        if isinstance(given, str):
            fits = {kind: given for kind, words in KINDS.items() if given in words}
        elif isinstance(given, Mapping):
            fits = {str(kind): word for kind, word in given.items()}
        else:
            fits = {}
        if not fits or any(word not in KINDS.get(kind, ()) for kind, word in fits.items()):
            known = "; ".join(f"{kind}: {', '.join(words)}" for kind, words in KINDS.items())
            raise ValueError(
                f"missing must be 'auto', or what to do about missing values, by kind or in one word "
                f"({known}), not {given!r:.80}"
            )
        return replace(cls(), **fits)


def is_missing(value: Any) -> bool:
    """None, NaN, or what pandas has for nothing."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    return type(value).__name__ in ("NAType", "NaTType")


def where_missing(values: Iterable[Any]) -> NDArray[np.bool_]:
    """Which of these are missing."""
    return np.fromiter(map(is_missing, values), dtype=bool)
