"""What Linnet raises and warns of. Every message names the culprit and says what to do."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType
from typing import Any

ANY = object()  # a setting of whatever value


def _in_python(name: str, value: Any) -> str:
    return f"{name}=…" if value is ANY else f"{name}={value!r}"


_WRITTEN: ContextVar[Callable[[str, Any], str]] = ContextVar("written", default=_in_python)


def setting(name: str, value: Any = ANY) -> str:
    """A setting as whoever reads the message would write it.

    >>> setting("text"), setting("header", False)
    ('text=…', 'header=False')
    """
    return _WRITTEN.get()(name, value)


@contextmanager
def settings_written(how: Callable[[str, Any], str]) -> Iterator[None]:
    """Within it messages speak to other readers, such as those who type commands."""
    before = _WRITTEN.set(how)
    try:
        yield
    finally:
        _WRITTEN.reset(before)


class RefusedError(ValueError):
    """A combination of structure, loss, learner and penalty that makes no sense."""


class DataError(ValueError):
    """Something in the user's data cannot be used."""


class EmptyError(DataError):
    """There is nothing in the data, which may be fine."""


class MissingColumnError(DataError):
    """A column that was asked for is not there."""

    def __init__(self, message: str, column: str) -> None:
        super().__init__(message)
        self.column = column


class UnnamedTagsError(DataError):
    """Tags are integers, and nothing says what they stand for."""


class ColumnNamesError(DataError):
    """There are more or fewer columns than names for them."""


class NoTagsError(DataError):
    """Words have no tags, or lack other columns that a parser looks at."""

    def __init__(
        self, where: str, columns: list[str], model: str = "parser", advice: str | None = None
    ) -> None:
        names = columns[0] if len(columns) == 1 else f"{', '.join(columns[:-1])} and {columns[-1]}"
        super().__init__(
            f"{where}the words have no {names}, which the {model} looks at and does not predict; give "
            f"words that have them, or train a {model} that begins with words alone: "
            f"{advice or setting('tagger', 'auto')}"
        )
        self.columns = columns


class NotSeparableError(ValueError):
    """A hard margin was asked for on data that no hyperplane separates."""


class BusyError(RuntimeError):
    """An estimator that is learning already is asked to learn in a second thread."""


class EngineError(RuntimeError):
    """The machines that were to do the work do not."""


class CheckpointError(DataError):
    """A checkpoint is in the way, damaged, or of another training."""


class DivergedError(ValueError):
    """The weights have left the range of numbers."""


class DataWarning(UserWarning):
    """Something in the user's data can be used, but is hardly what was meant."""


class TrainingWarning(UserWarning):
    """Training ended otherwise than one would wish: not converged, interrupted, separable."""


def warn_of_training(message: str) -> None:
    """Say so, at the line outside of Linnet that asked for it."""
    warnings.warn(message, TrainingWarning, stacklevel=outside())


def warn_of_data(message: str) -> None:
    """The same of data."""
    warnings.warn(message, DataWarning, stacklevel=outside())


def outside() -> int:
    """The ``stacklevel`` of a warning, for the first line outside of Linnet."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "linnet":
        frame, level = frame.f_back, level + 1
    return level
