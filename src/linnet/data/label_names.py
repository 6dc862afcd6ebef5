"""Names of labels, tags, relations and categories, which become strings of NumPy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

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


def check_label_types(y: Any) -> None:
    """Strings beside numbers are almost always a slip; NumPy would silently make them all strings."""
    if hasattr(y, "dtype") and y.dtype == object:  # of NumPy, or a column of a data frame
        y = np.asarray(y)
    elif not isinstance(y, (list, tuple)):
        return
    first = y[0] if len(y) else None
    for i, label in enumerate(y):
        if label is None:
            raise DataError(f"y[{i}] is None; every row needs a label")
        if isinstance(label, str) != isinstance(first, str):
            raise DataError(
                f"labels of mixed type: y[0] is {first!r} but y[{i}] is {label!r}; "
                f"use strings or numbers, not both"
            )
    check_names({label for label in y if isinstance(label, str)})
