"""Bytes in and out: files, standard input and output, gzip. What goes wrong is a DataError."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from linnet._writing import packed, replacing
from linnet.errors import DataError, EmptyError, warn_of_data
from linnet.formats._access import Source, check_ends, name_of, told
from linnet.formats._arriving import GZIP, Arriving
from linnet.formats._ranges import Range, part_of

BOM = b"\xef\xbb\xbf"


def counted(number: int, what: str) -> str:
    """One of a thing, or several, in a message."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether it can be read only once: standard input, a pipe, unless what is looked at is kept."""
    if isinstance(path, Arriving):
        return False
    return os.fspath(path) == "-" or Path(path).is_fifo()


def is_plain(path: str | os.PathLike[str]) -> bool:
    """Whether it is a file that is there as a whole, and not packed."""
    if os.fspath(path) == "-" or not os.path.isfile(path):
        return False
    with told(name_of(path)), open(path, "rb") as file:
        return not file.read(len(GZIP)).startswith(GZIP)


def load(path: str | os.PathLike[str]) -> Source:
    """The whole file, unpacked; a byte order mark is left to the readers."""
    name = name_of(path)
    if part_of(path) is not None:
        raise ValueError(f"a range of {name} is read in batches, as a part of the file")
    with told(name):
        if isinstance(path, (Arriving, Range)):
            data = b"".join(pieces(path))
        elif os.fspath(path) == "-":
            data = sys.stdin.buffer.read()
        else:
            check_ends(path)
            data = Path(path).read_bytes()
        if data.startswith(GZIP) and not isinstance(path, (Arriving, Range)):
            # Not gzip.decompress, which copies all that is left for each member of the file.
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read()
    if not data:
        raise EmptyError(f"{name} is empty")
    return Source(name, data)


def head(path: str | os.PathLike[str], size: int) -> Source:
    """The first ``size`` bytes, unpacked; of a pipe the lines that have arrived."""
    if isinstance(path, Arriving):
        return path.head(size)
    name = name_of(path)
    with told(name), open(path, "rb") as file:
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


def start_of_sentences(source: Source) -> int:
    """The same; bytes that are not UTF-8, which are taken for U+FFFD in words, do not pass unsaid."""
    if not source.data.isascii():
        try:
            source.data.decode()
        except UnicodeDecodeError as first:
            line = source.first_line + source.data.count(b"\n", 0, first.start)
            replaced = source.data.decode(errors="replace").count("\ufffd")
            number = replaced - source.data.count("\ufffd".encode())
            rest = "is not UTF-8" if number == 1 else "are not UTF-8, the first of them here"
            what = f"{counted(number, 'sequence')} of bytes that {rest}; taken for U+FFFD"
            warn_of_data(f"{source.name}, line {line}: {what}")
    return check_encoding(source)


def pieces(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """The bytes of a file as they come, unpacked: what a pipe has is handed on at once."""
    return (path if isinstance(path, Arriving) else Arriving(path)).pieces()


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


def whole_lines(incoming: Iterator[bytes], *, keep_blank: bool) -> Iterator[bytes]:
    """The bytes cut after ends of lines. Blank lines at the end are held back: they may be the last."""
    blanks = b"" if keep_blank else b"\r\n"
    held, mark = Held(blanks), BOM  # nothing but a mark at the very beginning is nothing
    for piece in incoming:
        cut = piece.rfind(b"\n") + 1
        if cut and not keep_blank:
            filled = len(piece[:cut].rstrip(blanks))
            cut = piece.find(b"\n", filled) + 1 if filled or held.start else 0
        if cut:
            yield held.take(piece[:cut])
            mark = b""
        held.add(piece[cut:])
    rest = held.take()
    if rest.removeprefix(mark).strip(blanks):
        yield rest


def store(path: str | os.PathLike[str], parts: Iterable[bytes]) -> None:
    """Write a file, packed if its name ends in .gz; it appears when it is complete."""
    name = "standard output" if os.fspath(path) == "-" else os.fspath(path)
    with told(name):
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
