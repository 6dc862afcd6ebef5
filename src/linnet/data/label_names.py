"""Names of labels, tags, relations and categories, which become strings of NumPy."""

from __future__ import annotations

from collections.abc import Iterable

from linnet.errors import DataError

WRONG_END = "ends in a NUL character, which arrays of strings lose; take it out of the data"


def ends_wrong(name: str) -> bool:
    """Would NumPy shorten it?"""
    return name.endswith("\0")


def check_names(names: Iterable[str], what: str = "label") -> None:
    """Raise DataError for the first that would not come back as it is."""
    for name in names:
        if ends_wrong(name):
            raise DataError(f"the {what} {name!r:.80} {WRONG_END}")
