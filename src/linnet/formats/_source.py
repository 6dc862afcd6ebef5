"""Bytes in and out: files, standard input and output, gzip. What goes wrong is a DataError."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from linnet._writing import packed, replacing
from linnet.errors import DataError, EmptyError

GZIP = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
PIECE = 1 << 20  # bytes asked for or written at a time; a pipe gives what it has
STEP = 1 << 14  # bytes unpacked at a time


@dataclass(frozen=True)
class Source:
    """The contents of a file, or some lines of it, and what to call it in messages."""

    name: str
    data: bytes
    first_line: int = 1

    def error(self, line: int, message: str) -> DataError:
        return DataError(f"{self.name}, line {line}: {message}")


def counted(number: int, what: str) -> str:
    """One of a thing, or several, in a message."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def name_of(path: str | os.PathLike[str]) -> str:
    return "standard input" if os.fspath(path) == "-" else os.fspath(path)


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether it can be read only once: standard input, a pipe."""
    return os.fspath(path) == "-" or Path(path).is_fifo()


@contextlib.contextmanager
def _told(name: str) -> Iterator[None]:
    try:
        yield
    except IsADirectoryError:
        raise DataError(f"{name} is a directory; a file is wanted") from None
    except FileNotFoundError:
        raise DataError(f"{name} does not exist") from None
    except PermissionError:
        raise DataError(f"{name} may not be accessed: permission denied") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{name} is damaged: it begins as gzip, but {error}") from None
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise DataError(f"{name} cannot be accessed: {error.strerror or error}") from None


def _check_ends(path: str | os.PathLike[str]) -> None:
    """A device such as /dev/zero never ends; a terminal does, and so does nothing."""
    kind = os.stat(path).st_mode
    if stat.S_ISBLK(kind) or stat.S_ISCHR(kind):
        with open(path, "rb", buffering=0) as file:
            if not file.isatty() and not os.path.samefile(path, os.devnull):
                raise DataError(f"{os.fspath(path)} is a device; a file or a pipe is wanted")


def load(path: str | os.PathLike[str]) -> Source:
    """The whole file, unpacked; a byte order mark is left to the readers."""
    name = name_of(path)
    with _told(name):
        if os.fspath(path) == "-":
            data = sys.stdin.buffer.read()
        else:
            _check_ends(path)
            data = Path(path).read_bytes()
        if data.startswith(GZIP):
            # Not gzip.decompress, which copies all that is left for each member of the file.
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read()
    if not data:
        raise EmptyError(f"{name} is empty")
    return Source(name, data)


def head(path: str | os.PathLike[str], size: int) -> Source:
    """The first ``size`` bytes, unpacked."""
    name = name_of(path)
    with _told(name), open(path, "rb") as file:
        data = file.read(size)
        if data.startswith(GZIP):
            data = zlib.decompressobj(wbits=31).decompress(data, size)
    if not data:
        raise EmptyError(f"{name} is empty")
    return Source(name, data)


def check_encoding(source: Source) -> int:
    """Where the text begins: after a byte order mark of UTF-8. UTF-16 is refused."""
    if source.first_line > 1:
        return 0
    if source.data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(
            f"{source.name} is UTF-16; UTF-8 is wanted: iconv -f UTF-16 -t UTF-8 {source.name}"
        )
    return len(BOM) if source.data.startswith(BOM) else 0


def pieces(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The bytes of a file as they come, unpacked: what a pipe has is handed on at once."""
    name = name_of(path)
    with _told(name), contextlib.ExitStack() as stack:
        if os.fspath(path) == "-":
            fd = sys.stdin.fileno()
        else:
            _check_ends(path)
            fd = stack.enter_context(open(path, "rb", buffering=0)).fileno()
        start = b""
        while len(start) < len(GZIP):  # enough to tell gzip
            piece = os.read(fd, PIECE)
            start += piece
            if not piece or b"\n" in piece:
                break
        unpack = _Unpacker() if start.startswith(GZIP) else None
        piece = start
        while piece:
            out = unpack(piece) if unpack else piece
            if out:
                yield out
            piece = os.read(fd, PIECE)
        if unpack and unpack.open:
            raise EOFError("it ends too early")


class Held:
    """Pieces that wait for more. They are joined once, so that reading a long line is linear."""

    def __init__(self, blanks: bytes | None = None) -> None:
        self.blanks = blanks  # bytes that say nothing; None: white space
        self.pieces: list[bytes] = []
        self.start = b""  # the first bytes that say something, as many as a byte order mark has

    def add(self, piece: bytes) -> None:
        self.start = self.begun(piece)
        self.pieces.append(piece)

    def begun(self, piece: bytes) -> bytes:
        """What ``start`` becomes with this piece; a blank in front of it if there was one: no mark."""
        if len(self.start) > len(BOM):
            return self.start
        said = piece.strip(self.blanks)[: len(BOM) + 1]
        late = said and not self.start and (self.pieces or not piece.startswith(said))
        return b" " + said if late else self.start + said

    def take(self, end: bytes = b"") -> bytes:
        """All of them and ``end``; nothing is held any more."""
        joined = b"".join([*self.pieces, end])
        self.pieces, self.start = [], b""
        return joined


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


def store(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Write a file, packed if its name ends in .gz; it appears when it is complete."""
    name = "standard output" if os.fspath(path) == "-" else os.fspath(path)
    with _told(name):
        if os.fspath(path) == "-":
            for part in parts:
                sys.stdout.buffer.write(part)
            sys.stdout.buffer.flush()
            return
        with replacing(path) as file:
            if os.fspath(path).endswith(".gz"):
                with packed(file) as pack:
                    pack.writelines(parts)
            else:
                file.writelines(parts)
