"""Columns of text for the core, read in place where that is possible."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import DataError


@dataclass(frozen=True)
class CodedTexts:
    """A column of few different texts: these, and which of them each one is, in 4 bytes.

    >>> column = CodedTexts(as_texts(["I", "B"]), np.array([1, 0, 0], np.int32))
    >>> len(column), column[0], list(column.take(np.array([2, 0])).texts())
    (3, 'B', ['I', 'B'])
    """

    values: _core.Texts
    numbers: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, i: int) -> str:
        return self.values[int(self.numbers[i])]

    def take(self, places: NDArray[np.int64]) -> CodedTexts:
        """The texts at these places, in this order."""
        return CodedTexts(self.values, self.numbers[places])

    def texts(self) -> _core.Texts:
        """One by one."""
        return self.values.take(self.numbers.astype(np.int64))


def as_texts(source: Any, name: str = "X") -> _core.Texts:
    """Texts of a list, tuple, iterator, NumPy array, pandas or polars series or Arrow array.

    Strings of Python and of Arrow are read where they lie and kept alive. Lone surrogates in a
    ``str`` and malformed UTF-8 in ``bytes`` read as U+FFFD.
    """
    if isinstance(source, _core.Texts):
        return source
    if isinstance(source, CodedTexts):
        return source.texts()
    if isinstance(source, (str, bytes)):
        raise DataError(f"{name} is a single text; pass a list of texts, [{name}]")
    if _speaks_arrow(source):
        try:
            return _core.Texts.from_arrow(source)
        except ValueError as error:
            raise DataError(f"{name}: {error}") from None
    try:
        return _core.Texts.from_list(_listed(source, name))
    except TypeError as error:
        raise DataError(f"{name}: {error}; every text must be a str (or bytes of UTF-8)") from None


def _speaks_arrow(source: Any) -> bool:
    if hasattr(source, "iloc"):  # pandas exports anything, at the price of a conversion
        dtype = getattr(source, "dtype", None)
        return hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow"
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")


def _listed(source: Any, name: str) -> list[Any] | tuple[Any, ...]:
    if isinstance(source, (list, tuple)):
        return source
    dimensions = getattr(source, "ndim", 1)
    if dimensions != 1:
        raise DataError(f"{name} has {dimensions} dimensions; pass one column of texts")
    if hasattr(source, "tolist"):  # NumPy and pandas
        items: list[Any] = source.tolist()
        return items
    if isinstance(source, Iterable):
        return list(source)
    raise DataError(f"{name} must be a list of texts, not {type(source).__name__}")
