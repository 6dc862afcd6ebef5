"""A pipe, or a file, whose first lines are looked at before it is read."""

from __future__ import annotations

import contextlib
import io
import os
import select
import stat
import sys
import zlib
from collections.abc import Callable, Iterator

from linnet.errors import EmptyError
from linnet.formats._access import Source, check_ends, name_of, told
from linnet.formats._ranges import PIECE, Range, part_of

GZIP = b"\x1f\x8b"
STEP = 1 << 14  # bytes unpacked at a time


class Arriving(os.PathLike[str]):
    """Bytes as they come, unpacked. What was looked at is kept for whoever reads.

    Of a pipe only those lines are looked at that have arrived, so that nobody waits for the next one,
    unless it is to be read whole anyway (``whole``): then as many bytes as are asked for.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        whole: bool = False,
        seen: Callable[[bytes], None] | None = None,
    ) -> None:
        self.path, self.name = os.fspath(path), name_of(path)
        self.range = path if isinstance(path, Range) else None
        self.whole, self.seen = whole, seen  # who looks at the bytes as they lie in the file
        self.taken = 0  # bytes read so far, as they lie in the file
        self.examples: int | None = None  # how many there are, if that is known before they are read
        self._kept: list[bytes] = []
        self._ended = False
        self._ready: Callable[[], bool] = lambda: False
        self._incoming = self._unpacked()

    def __fspath__(self) -> str:
        return self.path

    def __str__(self) -> str:
        return self.name

    @property
    def size(self) -> int | None:
        """The bytes of a file, or of the range that is read; those of a pipe are not known."""
        if self.range is not None:
            return self.range.size
        if self.path == "-":
            return None
        with contextlib.suppress(OSError):
            found = os.stat(self.path)
            return found.st_size if stat.S_ISREG(found.st_mode) else None
        return None

    def head(self, size: int) -> Source:
        """The first lines: at most so many bytes, without a line that has not ended yet.

        They are those of the file, whichever range is read.
        """
        if part_of(self) is not None:
            return Arriving(self.path).head(size)
        arrived = sum(map(len, self._kept))
        patient = self.whole or self.size is not None
        while not self._ended and arrived < size:
            lines = any(b"\n" in piece for piece in self._kept)
            if lines and not patient and not self._ready():
                break
            piece = next(self._incoming, b"")
            self._ended = not piece
            self._kept.append(piece)
            arrived += len(piece)
        data = b"".join(self._kept)
        self._kept = [data]
        if not data:
            raise EmptyError(f"{self.name} is empty")
        whole = data.rfind(b"\n") + 1
        return Source(self.name, (data if self._ended or not whole else data[:whole])[:size])

    def pieces(self) -> Iterator[bytes]:
        """All bytes; what was looked at comes first. They can be had once."""
        kept, self._kept = self._kept, []
        yield from filter(None, kept)
        yield from self._incoming

    def _unpacked(self) -> Iterator[bytes]:
        with told(self.name), contextlib.ExitStack() as stack:
            read = self._opened(stack)
            start = b""
            while len(start) < len(GZIP):  # enough to tell gzip
                piece = read()
                start += piece
                if not piece or b"\n" in piece:
                    break
            packed = start.startswith(GZIP) and part_of(self) is None
            unpack = _Unpacker() if packed else None
            piece = start
            while piece:
                out = unpack(piece) if unpack else piece
                if out:
                    yield out
                piece = read()
            if unpack and unpack.open:
                raise EOFError("it ends too early")

    def _opened(self, stack: contextlib.ExitStack) -> Callable[[], bytes]:
        """What gives the next bytes as they lie in the file; none at its end."""
        if self.path != "-":
            check_ends(self.path)
            file = open(self.path, "rb", buffering=0)  # noqa: SIM115
            fd = stack.enter_context(file).fileno()
            if self.range is not None:
                return self._counted(_Stretch(self.range, fd))
        else:
            try:
                fd = sys.stdin.fileno()
            except (io.UnsupportedOperation, AttributeError):  # a stream without a descriptor
                return self._counted(lambda: sys.stdin.buffer.read(PIECE))
        self._ready = lambda: _is_ready(fd)
        return self._counted(lambda: _next_piece(fd))

    def _counted(self, read: Callable[[], bytes]) -> Callable[[], bytes]:
        def counted() -> bytes:
            piece = read()
            self.taken += len(piece)
            if self.seen is not None:
                self.seen(piece)
            return piece

        return counted


class _Stretch:
    """Gives the next bytes of a range: of its header, and then its own."""

    def __init__(self, part: Range, fd: int) -> None:
        part.check()
        self.part, self.fd = part, fd
        self.left = [(0, part.head), (part.begin, part.end)]

    def __call__(self) -> bytes:
        while self.left:
            begin, end = self.left[0]
            if begin < end:
                os.lseek(self.fd, begin, os.SEEK_SET)
                piece = os.read(self.fd, min(PIECE, end - begin))
                self.left[0] = begin + len(piece), end
                if not piece:
                    raise self.part.changed()
                return piece
            del self.left[0]
        self.part.check()
        return b""


def _next_piece(fd: int) -> bytes:
    """Waits in short turns: a signal that came just before a long one would not be heard."""
    with contextlib.suppress(OSError, ValueError):  # what cannot be asked is read at once
        while not select.select([fd], [], [], 1.0)[0]:
            pass
    return os.read(fd, PIECE)


def _is_ready(fd: int) -> bool:
    """Whether there is something to read, or the end, without waiting."""
    try:
        return bool(select.select([fd], [], [], 0)[0])
    except (OSError, ValueError):  # nothing that can be asked
        return False


class _Unpacker:
    """Gzip as it comes; a file may consist of several members."""

    def __init__(self) -> None:
        self.member = zlib.decompressobj(wbits=31)
        self.open = True

    def __call__(self, piece: bytes) -> bytes:
        out = []
        for begin in range(0, len(piece), STEP):  # what a member leaves over is copied
            some = piece[begin : begin + STEP]
            while some:
                if not self.open:
                    some = some.lstrip(b"\0")  # padding, as gzip has it
                    if not some:
                        break
                    self.member, self.open = zlib.decompressobj(wbits=31), True
                out.append(self.member.decompress(some))
                some = self.member.unused_data
                self.open = not self.member.eof
        return b"".join(out)
