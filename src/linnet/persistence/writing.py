"""Writing a model file: all of it or nothing, and the same bytes for the same model."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet._writing import is_file, replacing
from linnet.persistence.errors import ModelFileError
from linnet.persistence.layout import ALIGNMENT, CODES, FORMAT, HEADER_LIMIT, PADDING
from linnet.persistence.long_parts import set_aside


def write(
    path: str | os.PathLike[str], spec: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]
) -> None:
    """Write a description (JSON, with its ``kind``) and named arrays; types are kept as they are.

    The file appears under its name when it is complete and on the disk; until then, and if anything
    goes wrong, whatever was there stays. Equal arguments give equal files.
    """
    header, arrays = _laid_out(spec, tensors)
    if not is_file(path):  # it could not be mapped
        raise ModelFileError(f"{os.fspath(path)} is not a file; give the name of a file to write")
    with replacing(path) as file:
        for part in (header, *_data(arrays)):
            file.write(part)


def size(spec: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> int:
    """The bytes of the file that `write` would make of the same arguments."""
    header, arrays = _laid_out(spec, tensors)
    return len(header) + sum(array.nbytes + -array.nbytes % ALIGNMENT for array in arrays.values())


def _laid_out(
    spec: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]
) -> tuple[bytes, dict[str, NDArray[Any]]]:
    """The header, and the arrays that follow it in their order."""
    spec, tensors = set_aside(spec, tensors)
    arrays = {name: _stored(name, value) for name, value in sorted(tensors.items())}
    return _header(spec, arrays), arrays


def _stored(name: str, value: NDArray[Any]) -> NDArray[Any]:
    """Row-major and little-endian."""
    if not isinstance(name, str) or name == "__metadata__" or name.startswith(PADDING):
        raise ValueError(f"a tensor cannot have the name {name!r}")
    array = np.asarray(value)
    dtype = array.dtype.newbyteorder("<")
    if dtype not in CODES:
        raise TypeError(f"tensor {name!r} is of type {array.dtype}, which a model file cannot hold")
    return array.astype(dtype, order="C", copy=False)


def _header(spec: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    from linnet import __version__

    if not isinstance(spec.get("kind"), str):
        raise ValueError("spec must say its kind, a string")
    about = {"format": FORMAT, "library": __version__, "spec": dict(spec)}
    # Escapes keep the description ASCII, so that it can hold any string of Python.
    header: dict[str, Any] = {"__metadata__": {"linnet": _json(about, ascii_only=True)}}
    at = 0
    for name, array in arrays.items():
        header[name] = _entry(CODES[array.dtype], list(array.shape), at, array.nbytes)
        at += array.nbytes
        if gap := -at % ALIGNMENT:
            header[f"{PADDING}{name}"] = _entry("U8", [gap], at, gap)
            at += gap
    try:
        text = _json(header, ascii_only=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("the name of a tensor has a lone surrogate; use valid Unicode") from None
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    if len(text) > HEADER_LIMIT:
        raise ValueError(
            f"the description takes {len(text)} bytes, more than the {HEADER_LIMIT} of a header; put "
            f"long lists into tensors"
        )
    return len(text).to_bytes(8, "little") + text


def _json(value: Any, ascii_only: bool) -> str:
    return json.dumps(
        value, ensure_ascii=ascii_only, allow_nan=False, sort_keys=True, separators=(",", ":")
    )


def _entry(dtype: str, shape: list[int], begin: int, size: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, begin + size]}


def _data(arrays: Mapping[str, NDArray[Any]]) -> Iterator[Any]:
    for array in arrays.values():
        yield array.reshape(-1).view(np.uint8).data
        yield bytes(-array.nbytes % ALIGNMENT)
