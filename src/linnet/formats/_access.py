"""What files are called in messages, and what goes wrong with them: a DataError."""

from __future__ import annotations

import contextlib
import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from linnet.errors import DataError


@dataclass(frozen=True)
class Source:
    """The contents of a file, or some lines of it, and what to call it in messages."""

    name: str
    data: bytes
    first_line: int = 1
    head: bytes = b""  # the first line of the file, where it decides and these are others

    def error(self, line: int, message: str) -> DataError:
        return DataError(f"{self.name}, line {line}: {message}")


def name_of(path: str | os.PathLike[str]) -> str:
    return "standard input" if os.fspath(path) == "-" else os.fspath(path)


@contextlib.contextmanager
def told(name: str) -> Iterator[None]:
    """What the system says, with the name of the file."""
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


def check_ends(path: str | os.PathLike[str]) -> None:
    """A device such as /dev/zero never ends; a terminal does, and so does nothing."""
    kind = os.stat(path).st_mode
    if stat.S_ISBLK(kind) or stat.S_ISCHR(kind):
        with open(path, "rb", buffering=0) as file:
            if not file.isatty() and not os.path.samefile(path, os.devnull):
                raise DataError(f"{os.fspath(path)} is a device; a file or a pipe is wanted")


@dataclass(frozen=True)
class Stamp:
    """By what a file is known to be the same: its place, size and time, and a hash of its bytes."""

    path: str
    size: int
    mtime: int  # in nanoseconds
    hash: str = ""  # "": it has not been read yet

    @classmethod
    def of(cls, path: str) -> Stamp:
        """As the file is now."""
        with told(name_of(path)):
            there = os.stat(path)
        return cls(os.path.abspath(path), there.st_size, there.st_mtime_ns)

    def key(self) -> list[Any]:
        """What can be known without reading."""
        return [self.path, self.size, self.mtime]
