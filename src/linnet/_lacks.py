"""What was missing in the data, and what was done about it: told once for each kind."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from linnet.errors import DataWarning, outside

OWN = "(missing)"  # the value that a missing category has


@dataclass(frozen=True)
class Lack:
    """So many of a kind were missing, the first at some place, and something was done."""

    kind: str
    done: str
    count: int
    of: int
    first: str  # where
    name: str = ""  # of a column

    def __str__(self) -> str:
        many = f"{self.count:,} of {self.of:,}"
        where = "" if self.count == self.of else f" (the first: {self.first})"
        are = "is" if self.count == 1 else "are"
        if self.kind == "label":
            have = "has" if self.count == 1 else "have"
            return f"{many} examples {have} no label{where}: left out"
        what = {"text": "texts", "number": "numbers", "category": "values"}[self.kind]
        column = f"column {self.name!r}: " if self.name else ""
        return f"{column}{many} {what} {are} missing{where}: {self._done()}"

    def _done(self) -> str:
        return {
            "empty": "read as empty texts",
            "skip": "these examples are left out",
            "mean": "the mean of training is taken",
            "zero": "0 is taken",
            "own": f"{OWN} is a value of its own",
        }[self.done]


_GATHERED: ContextVar[dict[tuple[str, str, str], Lack] | None] = ContextVar("gathered", default=None)


def tell(lacks: Iterable[Lack]) -> None:
    """Warn of each, or add it to what is being gathered."""
    gathered = _GATHERED.get()
    for lack in lacks:
        if gathered is None:
            warnings.warn(str(lack), DataWarning, stacklevel=outside())
            continue
        key = (lack.kind, lack.name, lack.done)
        before = gathered.get(key)
        gathered[key] = (
            lack
            if before is None
            else replace(before, count=before.count + lack.count, of=before.of + lack.of)
        )


@contextmanager
def gathering() -> Iterator[dict[tuple[str, str, str], Lack]]:
    """Within it nothing is warned of: the same lacks of many batches are summed."""
    gathered: dict[tuple[str, str, str], Lack] = {}
    before = _GATHERED.set(gathered)
    try:
        yield gathered
    finally:
        _GATHERED.reset(before)
