"""Terminals as streams: they are shown what is visible; pipes and files get the bytes as they are."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from linnet._visible import visible


class _Stream:
    """A stream in front of another one, which answers everything that is not said here."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, data: Any) -> int:
        raise NotImplementedError

    def writelines(self, lines: Iterable[Any]) -> None:
        for line in lines:
            self.write(line)


class Screen(_Stream):
    """A terminal as a stream of text; by its ``buffer``, also of bytes, which are UTF-8.

    rich looks for ``rich_proxied_file`` and writes there, so that its own colours are obeyed: what
    it is given must be visible already, which `linnet.cli.tables.Output` sees to.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self.rich_proxied_file = stream
        self.buffer = _Bytes(stream)

    def write(self, data: str) -> int:
        self._stream.write(visible(data))
        return len(data)


class _Bytes(_Stream):
    """Bytes for a terminal: a character may come in two parts, and what is none is escaped."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="backslashreplace")

    def write(self, data: bytes, last: bool = False) -> int:
        self._stream.write(visible(self._decoder.decode(data, last)))
        return len(data)


@contextmanager
def screens() -> Iterator[None]:
    """Standard streams that are terminals show what is visible alone."""
    before = sys.stdout, sys.stderr
    made = [Screen(stream) if stream.isatty() else stream for stream in before]
    sys.stdout, sys.stderr = (cast(TextIO, stream) for stream in made)
    try:
        yield
    finally:
        for screen in made:
            if isinstance(screen, Screen):
                screen.buffer.write(b"", last=True)
        sys.stdout, sys.stderr = before


def rewrite(line: str) -> None:
    """A line of progress in place of the one before it, on a terminal."""
    stream = getattr(sys.stderr, "rich_proxied_file", sys.stderr)
    stream.write(f"\r{visible(line)}")
    stream.flush()
