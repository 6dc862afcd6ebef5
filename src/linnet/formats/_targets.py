"""Labels that are no classes: real numbers, as VW and svmlight hold them for regression."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from linnet.errors import DataError
from linnet.formats._writing import refuse

_TAKEN: ContextVar[bool] = ContextVar("targets", default=False)


@contextmanager
def taking_targets() -> Iterator[None]:
    """Within it real numbers are what is wanted."""
    token = _TAKEN.set(True)
    try:
        yield
    finally:
        _TAKEN.reset(token)


REAL = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def is_target(label: str) -> bool:
    """Whether a label is written as a number, but not as a whole one.

    >>> is_target("0.5"), is_target("1.0"), is_target("-1"), is_target("v0.5")
    (True, False, False, False)
    """
    if not REAL.fullmatch(label):
        return False
    value = float(label)
    return not math.isfinite(value) or not value.is_integer()


def refuse_targets(labels: Iterable[list[bytes]], error: Callable[[int, str], DataError]) -> None:
    """Complain of the first example whose label is to be regressed upon, unless that is wanted."""
    if _TAKEN.get():
        return
    known: set[bytes] = set()
    for i, row in enumerate(labels):
        for label in row:
            if label not in known and is_target(name := label.decode(errors="replace")):
                raise error(
                    i,
                    f"the label {name} is a real number, as for regression: learn numbers by --task "
                    "regress, or write a whole number (1 and -1, or 1, 2, 3) or a name in its place",
                )
            known.add(label)


def check_no_targets(number: int, format_: str, labels: list[str]) -> None:
    """What would be refused on reading is not written."""
    for label in filter(is_target, labels):
        raise refuse(number, format_, f"the label {label!r}, which it would take for a real number")
