"""Where the command ``linnet`` begins: before anything else is imported, Ctrl-C ends it quietly.

Until a command runs, and can say what it was at, there is nothing to tell and nothing to save.
"""

from __future__ import annotations

import os
import signal
from typing import Any

INTERRUPTED = 130  # 128 + SIGINT, as shells have it


def _leave(*_: Any) -> None:
    os._exit(INTERRUPTED)


def hush() -> None:
    """Leave without a word on Ctrl-C, unless it is ignored, as in the background, or someone's own."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def listen() -> bool:
    """From now on Ctrl-C is a KeyboardInterrupt, as usual; was it hushed before?"""
    hushed = signal.getsignal(signal.SIGINT) is _leave
    if hushed:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return hushed


def main() -> None:
    """The command."""
    hush()
    from linnet.cli import main as command

    command(prog_name="linnet")
