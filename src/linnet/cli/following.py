"""How far a long prediction is, on standard error: results go elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import click

FIRST, ON_A_TERMINAL, ELSEWHERE = 2.0, 0.5, 60.0  # seconds before a line, and between lines

_SILENT: ContextVar[bool] = ContextVar("silent", default=False)
Line = Callable[[int, str, float, float | None], str]  # (done, what, seconds, share) → what is shown


@contextmanager
def silently() -> Iterator[None]:
    """Within it nobody is told how far it is: somebody else knows it of the whole."""
    before = _SILENT.set(True)
    try:
        yield
    finally:
        _SILENT.reset(before)


class Tell:
    """Told of each batch, says how far it is: a line that is rewritten, or one a minute in a file."""

    def __init__(self, source: Any, what: str, clock: Callable[[], float], line: Line) -> None:
        self.source, self.what, self.clock, self.line = source, what, clock, line
        self.terminal = sys.stderr.isatty() and not _both_on_it()
        self.silent = _SILENT.get()
        self.begun, self.done, self.width = clock(), 0, 0
        self.due = self.begun + (FIRST if self.terminal else ELSEWHERE)

    def __call__(self, count: int) -> None:
        from linnet.cli.screen import rewrite

        self.done += count
        now = self.clock()
        if now < self.due or self.silent:
            return
        self.due = now + (ON_A_TERMINAL if self.terminal else ELSEWHERE)
        line = self.line(self.done, self.what, now - self.begun, _share(self.source, self.done))
        if self.terminal:
            rewrite(line.ljust(self.width))
            self.width = len(line)
        else:
            click.echo(line, err=True)

    def say(self, *lines: str) -> None:
        """Something else, in place of the line."""
        self.clear()
        for line in lines:
            click.echo(line, err=True)

    def clear(self) -> None:
        """Take the line away."""
        from linnet.cli.screen import rewrite

        if self.width:
            rewrite(" " * self.width + "\r")
        self.width = 0


@contextmanager
def following(
    source: Any, what: str, clock: Callable[[], float] = time.monotonic, line: Line | None = None
) -> Iterator[Tell]:
    """Tells how far it is, until the end.

    ``source`` is an `Arriving`, which knows how much of its file has been read, or the like of it.
    """
    tell = Tell(source, what, clock, line or _line)
    try:
        yield tell
    finally:
        tell.clear()


def _both_on_it() -> bool:
    """Results on the same terminal show how far it is."""
    return bool(sys.stdout.isatty())


def _share(source: Any, done: int) -> float | None:
    """Of the examples if their number is known, else of the bytes of the file."""
    if source.examples:
        return done / float(source.examples)
    return source.taken / float(source.size) if source.size else None


def _line(done: int, what: str, seconds: float, share: float | None) -> str:
    """How many, how fast, and how long it takes still.

    >>> _line(50_000, "texts", 10.0, 0.25)
    '50,000 texts, 25 %, 5,000 a second, 30 s left'
    """
    said = [f"{done:,} {what}"] + ([] if share is None else [f"{100 * share:.0f} %"])
    said.append(f"{done / max(seconds, 1e-9):,.0f} a second")
    if share:
        said.append(f"{lasting(seconds * (1 / share - 1))} left")
    return ", ".join(said)


def lasting(seconds: float) -> str:
    """For people.

    >>> lasting(90.2), lasting(1200)
    ('90 s', '20 min')
    """
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
