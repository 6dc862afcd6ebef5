"""Where results go: standard output or a file."""

from __future__ import annotations

import errno
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

import click

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def open_streams() -> None:
    """Standard streams that were closed read nothing and write to nowhere.

    Else the next file that is opened would be taken for one of them.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


@contextmanager
def missing_told(quiet: bool = False) -> Iterator[None]:
    """What was missing, of all batches together, and what was done about it."""
    from linnet._lacks import gathering

    with gathering() as lacks:
        try:
            yield
        finally:
            for lack in () if quiet else lacks.values():
                click.echo(f"note: {lack}", err=True)


def amount(size: int) -> str:
    """Bytes for people.

    >>> amount(687_488), amount(20_480)
    ('0.7 MB', '20.5 kB')
    """
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"


def to_json(value: Any, **settings: Any) -> str:
    """JSON that every reader takes: numbers that are not finite (the logarithm of 0) are strings.

    >>> to_json({"score": -float("inf"), "label": "é"})
    '{"score": "-inf", "label": "é"}'
    """
    import json

    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, **settings)
    except ValueError:
        return json.dumps(_finite(value), ensure_ascii=False, allow_nan=False, **settings)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value


@contextmanager
def written(path: str) -> Iterator[BinaryIO]:
    """Where results go: standard output for ``-``, or a file that appears when it is complete.

    A name that ends in .gz is packed.
    """
    from linnet._writing import packed, replacing

    if path == "-":
        yield sys.stdout.buffer
        return
    with replacing(path) as file:
        if path.endswith(".gz"):
            with packed(file) as pack:
                yield cast(BinaryIO, pack)
        else:
            yield file
