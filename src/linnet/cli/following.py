"""How far a long prediction is, on standard error: results go elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

FIRST, ON_A_TERMINAL, ELSEWHERE = 2.0, 0.5, 60.0  # seconds before a line, and between lines


@contextmanager
def following(
    source: Any, what: str, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[int], None]]:
    """Told of each batch, says how far it is: a line that is rewritten, or one a minute in a file.

    ``source`` is an `Arriving`, which knows how much of its file has been read.
    """
    from linnet.cli.screen import rewrite

    terminal = sys.stderr.isatty() and not _both_on_it()
    begun, done, width = clock(), 0, 0
    due = begun + (FIRST if terminal else ELSEWHERE)

    def tell(count: int) -> None:
        nonlocal done, due, width
        done += count
        now = clock()
        if now < due:
            return
        due = now + (ON_A_TERMINAL if terminal else ELSEWHERE)
        line = _line(done, what, now - begun, _share(source, done))
        if terminal:
            rewrite(line.ljust(width))
            width = len(line)
        else:
            click.echo(line, err=True)

    try:
        yield tell
    finally:
        if width:
            rewrite(" " * width + "\r")


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
        said.append(f"{_lasting(seconds * (1 / share - 1))} left")
    return ", ".join(said)


def _lasting(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
