"""Files that options name: those that are read, and those that are written, which are others."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import click


class Reads(click.ParamType):  # type: ignore[type-arg]
    """A file that is read, or ``-``; what is no file (the name of a recipe) is left to the command.

    ``replaced``: it may be written as well, since it is read before, and a file is replaced as a whole.
    """

    name = "file"

    def __init__(self, replaced: bool = False) -> None:
        self.replaced = replaced

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The name."""
        if value == "":
            self.fail("a file is wanted, and nothing is said.", param, ctx)
        return value


class Writes(click.ParamType):  # type: ignore[type-arg]
    """A file that is written, or ``-`` for standard output; refused at once if it cannot be."""

    name = "file"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The name."""
        if value != "-":
            check_place(_called(param), value)
        return value


class WritesModel(Writes):
    """A model is a file: it is mapped."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The name."""
        check_model(_called(param), value)
        return super().convert(value, param, ctx)


def check_place(option: str, path: str) -> None:
    """A file may be written there: nothing is begun whose result could not be saved."""
    from linnet._writing import check_writable

    try:
        check_writable(path)
    except OSError as error:
        raise click.UsageError(
            f"{option} {path}: no file can be written there: {error.strerror}"
        ) from None


def check_model(option: str, path: str) -> None:
    """Not a stream."""
    from linnet._writing import is_file

    if path == "-" or not (is_file(path) or os.path.isdir(path)):
        raise click.UsageError(f"{option} {path}: a model is a file; give the name of one")


def check_apart(ctx: click.Context) -> None:
    """What is read is not written: it would be lost."""
    for option, output, _ in _files(ctx, Writes):
        if not os.path.isfile(output):  # pipes and devices have nothing to lose
            continue
        target = os.stat(output)
        for _, path, kind in _files(ctx, Reads):
            there = _stat(path)
            if there is None or kind.replaced or not os.path.samestat(target, there):
                continue
            raise click.UsageError(
                f"{option} {output}: the same file is read, and would be lost; give another name"
            )


def _files(ctx: click.Context, kind: type[Any]) -> Iterator[tuple[str, str, Any]]:
    """Options (or arguments) of that type that were given, what they name, and their types."""
    for param in ctx.command.params:
        found = getattr(param.type, "one", param.type)  # of each of several values
        if isinstance(found, kind):
            given = ctx.params.get(param.name or "")
            for value in given if isinstance(given, (list, tuple)) else [given]:
                if isinstance(value, str):
                    yield _called(param), value, found


def _called(param: click.Parameter) -> str:
    return param.opts[0] if isinstance(param, click.Option) else (param.metavar or param.name or "")


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.fstat(sys.stdin.fileno()) if path == "-" else os.stat(path)
    except (OSError, ValueError):  # no file, no descriptor
        return None
