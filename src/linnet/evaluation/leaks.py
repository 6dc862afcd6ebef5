"""Texts that occur in both training and test data, which make a score look better than it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any


@dataclass(frozen=True)
class Leak:
    """A test text that was trained on (positions count from 0)."""

    test: int
    train: int  # its first occurrence
    text: str
    same_label: bool | None  # None: labels were not given


def fingerprint(text: str) -> bytes:
    r"""Equal for texts that differ in case and spacing only.

    >>> fingerprint("A  goldfinch!") == fingerprint("a goldfinch!\n")
    True
    """
    normal = " ".join(text.casefold().split())
    return blake2b(normal.encode("utf-8", "replace"), digest_size=16).digest()


def leaks(
    train: Iterable[str],
    test: Iterable[str],
    train_labels: Sequence[Any] | None = None,
    test_labels: Sequence[Any] | None = None,
) -> list[Leak]:
    """Test texts that occur in the training data, in the order of the test data."""
    first: dict[bytes, int] = {}
    for i, text in enumerate(train):
        first.setdefault(fingerprint(text), i)
    found = []
    for i, text in enumerate(test):
        at = first.get(fingerprint(text))
        if at is None:
            continue
        same = None
        if train_labels is not None and test_labels is not None:
            same = train_labels[at] == test_labels[i]
        found.append(Leak(i, at, text, same))
    return found


def repeats(texts: Iterable[str]) -> int:
    """How many texts have occurred before in the same data."""
    seen: set[bytes] = set()
    count = 0
    for text in texts:
        mark = fingerprint(text)
        count += mark in seen
        seen.add(mark)
    return count
