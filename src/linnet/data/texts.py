"""Columns of text for the core, read in place where that is possible."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import linnet._core as _core
from linnet.errors import DataError


def as_texts(source: Any, name: str = "X") -> _core.Texts:
    """Texts of a list, tuple, iterator, NumPy array, pandas or polars series or Arrow array.

    Strings of Python and of Arrow are read where they lie and kept alive. Lone surrogates in a
    ``str`` and malformed UTF-8 in ``bytes`` read as U+FFFD.
    """
    if isinstance(source, _core.Texts):
        return source
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
