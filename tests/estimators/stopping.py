"""Being asked whether to stop, without signals and clocks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import linnet._core as _core


class Asked:
    """Counts how often the core asks; the ``last`` time the answer is yes."""

    def __init__(self, last: int | None) -> None:
        self.times, self.last = 0, last

    def __call__(self) -> bool:
        self.times += 1
        return self.times == self.last


@contextmanager
def asked(last: int | None = None) -> Iterator[Asked]:
    question = Asked(last)
    _core.ask_to_stop(question)
    try:
        yield question
    finally:
        _core.ask_to_stop(None)
