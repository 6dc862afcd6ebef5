"""Where results go: standard output, or a file that is not among those that are read."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def open_streams() -> None:
    """Standard streams that were closed read nothing and write to nowhere.

    Else the next file that is opened would be taken for one of them.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def check_place(path: str) -> None:
    """A file may be written there."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        raise click.UsageError(f"-o {path}: no file can be written there")


def check_apart(option: str, output: str, *inputs: str | None) -> None:
    """To open a file for writing empties it: not one that is read, nor a model, which is mapped."""
    if not os.path.isfile(output):  # pipes and devices have nothing to lose
        return
    target = os.stat(output)
    for path in inputs:
        if path is not None and (there := _stat(path)) and os.path.samestat(target, there):
            raise click.UsageError(
                f"{option} {output}: the same file is read, and would be lost; give another name"
            )


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.fstat(sys.stdin.fileno()) if path == "-" else os.stat(path)
    except (OSError, ValueError):  # no file, no descriptor
        return None


def amount(size: int) -> str:
    """Bytes for people.

    >>> amount(687_488), amount(20_480)
    ('0.7 MB', '20.5 kB')
    """
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"


@contextmanager
def written(path: str, mode: str = "wb") -> Iterator[IO[Any]]:
    """A file to write, or standard output for ``-``; if there is no room for it, the error names it."""
    try:
        with click.open_file(path, mode, encoding=None if "b" in mode else "utf-8") as file:
            yield file
    except OSError as error:
        if error.errno in FULL and error.filename is None and path != "-":
            error.filename = path
        raise
