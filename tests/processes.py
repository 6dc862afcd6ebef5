"""Processes that tests start: none outlives its time, and Ctrl-C reaches all of them.

A shell starts what runs in the background with SIGINT ignored, and children inherit that.
"""

import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

LIMIT = 240.0  # seconds: far more than any of them needs on a busy machine


@contextmanager
def _default_signals() -> Iterator[None]:
    """Of children; a handler of the parent's is not inherited."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Process(subprocess.Popen):  # type: ignore[type-arg]
    """A process that is killed when its time is over."""

    def __init__(self, command: Sequence[str], *, limit: float = LIMIT, **settings: Any) -> None:
        with _default_signals():
            super().__init__(command, **settings)
        watch = threading.Timer(limit, self.kill)
        watch.daemon = True
        watch.start()


def run(
    command: Sequence[str], *, limit: float = LIMIT, check: bool = False, **settings: Any
) -> subprocess.CompletedProcess[Any]:
    """As `subprocess.run`; fails when the time is over."""
    with _default_signals():
        return subprocess.run(command, timeout=limit, check=check, **settings)
