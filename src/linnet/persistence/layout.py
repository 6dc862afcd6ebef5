"""The layout of a model file, which is that of safetensors.

    8 bytes     N, the length of the header, little-endian
    N bytes     the header, JSON in UTF-8, padded with spaces
    the rest    the tensors, little-endian, row-major, one after the other

The header maps the name of each tensor to its type, shape and place among the data, and
``__metadata__`` to strings. Ours has one, ``linnet``: JSON again, {"format", "library", "spec"}.

safetensors allows no gap between tensors. Ours all start at a multiple of 64 bytes, a cache line, so
between them lie tensors of padding, which readers of model files do not show.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet.persistence.errors import DamageError

FORMAT = 2  # raised when a reader of the format before could not read the file
ALIGNMENT = 64
HEADER_LIMIT = 16 << 20  # bytes; what is long belongs into tensors
PADDING = "_padding."

# Booleans are not among them: a byte that is neither 0 nor 1 would be a boolean that is neither.
DTYPES: dict[str, np.dtype[Any]] = {
    "F16": np.dtype("<f2"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
    "I8": np.dtype("<i1"),
    "I16": np.dtype("<i2"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
    "U8": np.dtype("<u1"),
    "U16": np.dtype("<u2"),
    "U32": np.dtype("<u4"),
    "U64": np.dtype("<u8"),
}
CODES = {dtype: code for code, dtype in DTYPES.items()}
_MOST_DIMENSIONS = 8
_MOST_BYTES = 2**62


@dataclass(frozen=True)
class Place:
    """Where a tensor lies among the data."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


def parse_json(text: str, what: str) -> Any:
    """JSON as the standard has it: no NaN, no key twice; nothing too deep."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except RecursionError:
        raise DamageError(f"{what} is nested too deeply") from None
    except ValueError as e:
        raise DamageError(f"{what} is not valid JSON: {e}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key comes twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


def places(header: dict[str, Any], size: int) -> dict[str, Place]:
    """The tensors of a header, ``size`` bytes of data behind it; anything wrong raises DamageError."""
    found = {name: _place(name, entry) for name, entry in header.items() if name != "__metadata__"}
    at = 0
    for name, place in sorted(found.items(), key=lambda item: (item[1].begin, item[1].end)):
        if place.begin != at:
            how = "overlaps the one before it" if place.begin < at else "leaves a gap before it"
            raise DamageError(f"tensor {name!r} {how}")
        at = place.end
    if at != size:
        raise DamageError(
            f"the tensors take {at} bytes, but there are {size}; it was cut off or added to"
        )
    shown = {name: place for name, place in found.items() if not name.startswith(PADDING)}
    for name, place in shown.items():
        if place.begin % ALIGNMENT and place.begin < place.end:
            raise DamageError(f"tensor {name!r} does not start at a multiple of {ALIGNMENT} bytes")
    return shown


def _place(name: str, entry: Any) -> Place:
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise DamageError(f"tensor {name!r} must have dtype, shape and data_offsets and nothing else")
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    dtype = DTYPES.get(code) if isinstance(code, str) else None
    if dtype is None:
        raise DamageError(f"tensor {name!r} has the unknown type {code!r:.40}")
    if not _sizes(shape) or len(shape) > _MOST_DIMENSIONS:
        raise DamageError(f"tensor {name!r} has a shape that is no list of up to 8 sizes of 0 or more")
    if not _sizes(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise DamageError(f"tensor {name!r} has data_offsets that are not a begin and an end")
    if math.prod(max(1, n) for n in shape) * dtype.itemsize > _MOST_BYTES:
        raise DamageError(f"tensor {name!r} has a shape larger than any file")
    begin, end = offsets
    if math.prod(shape) * dtype.itemsize != end - begin:
        raise DamageError(f"tensor {name!r} has {end - begin} bytes, which is not what its shape needs")
    return Place(dtype, tuple(shape), begin, end)


def _sizes(values: Any) -> bool:
    return isinstance(values, list) and all(type(n) is int and 0 <= n <= _MOST_BYTES for n in values)
