"""What files are called in messages, and what goes wrong with them: a DataError."""

from __future__ import annotations

import contextlib
import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from linnet.errors import DataError


@dataclass(frozen=True)
class Source:
    """The contents of a file, or some lines of it, and what to call it in messages."""

    name: str
    data: bytes
    first_line: int = 1

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
