"""A terminal that tests look at: commands write to it, and what they wrote comes back as bytes."""

import os
import pty
import sys
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from linnet.cli import main


@contextmanager
def terminal() -> Iterator[tuple[int, list[bytes]]]:
    """The end that programs write to, and a list that holds what they wrote, once it is left."""
    seen: list[bytes] = []
    ours, theirs = pty.openpty()
    tty.setraw(theirs)  # \n is not made \r\n

    def listen() -> None:
        try:
            while data := os.read(ours, 1 << 16):
                seen.append(data)
        except OSError:  # the other end is closed
            pass

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        yield theirs, seen
    finally:
        os.close(theirs)
        listener.join()
        os.close(ours)


def on_terminal(patch: pytest.MonkeyPatch, *arguments: object) -> bytes:
    """What a command shows on a terminal of many columns and colours, errors included."""
    with patch.context() as changed, terminal() as (end, seen):
        changed.setenv("TERM", "xterm-256color")
        changed.setenv("COLUMNS", "200")
        for name in ("stdout", "stderr"):
            changed.setattr(sys, name, open(os.dup(end), "w", encoding="utf-8"))  # noqa: SIM115
        with pytest.raises(SystemExit):
            main([str(argument) for argument in arguments], prog_name="linnet")
        sys.stdout.close()
        sys.stderr.close()
    return b"".join(seen)
