"""Settings and records as JSON that gives back the same values, types included.

JSON has no inf and NaN, no tuples, and only strings as keys; these are written as objects with one key
that begins with ``$``. Arrays of numbers become tensors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.persistence.errors import DamageError

_KEYS = (str, int, float, type(None))
_FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def pack(value: Any, name: str, tensors: dict[str, NDArray[Any]]) -> Any:
    """JSON for a value; ``name`` is for messages, and for the arrays that are added to ``tensors``."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiu" and value.ndim > 0:
        tensors[name] = value
        return {"$tensor": name}
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": str(value)}
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, (list, tuple)):
        packed = [pack(v, f"{name}.{i}", tensors) for i, v in enumerate(value)]
        return packed if isinstance(value, list) else {"$tuple": packed}
    if isinstance(value, Mapping):
        if all(type(k) is str and not k.startswith("$") for k in value):
            return {k: pack(v, f"{name}.{k}", tensors) for k, v in value.items()}
        items = enumerate(value.items())
        return {"$pairs": [pack(list(item), f"{name}.{i}", tensors) for i, item in items]}
    raise TypeError(
        f"{name} is {value!r:.60}, a {type(value).__name__}, which a model file cannot hold: it never "
        f"runs code; use a plain value before saving"
    )


def unpack(value: Any, tensors: Mapping[str, NDArray[Any]]) -> Any:
    """The value that `pack` was given; raises DamageError if none can have been."""
    if isinstance(value, list):
        return [unpack(v, tensors) for v in value]
    if not isinstance(value, dict):
        return value
    tag = next(iter(value), "")
    if not tag.startswith("$"):
        return {k: unpack(v, tensors) for k, v in value.items()}
    inner = value[tag]
    if len(value) == 1:
        if tag == "$float" and isinstance(inner, str) and inner in _FLOATS:
            return _FLOATS[inner]
        if tag == "$tensor" and isinstance(inner, str) and inner in tensors:
            return tensors[inner]
        if tag == "$tuple" and isinstance(inner, list):
            return tuple(unpack(v, tensors) for v in inner)
        if tag == "$pairs" and isinstance(inner, list):
            return dict(_pair(unpack(v, tensors)) for v in inner)
    raise DamageError(f"there is no value {value!r:.60}")


def _pair(value: Any) -> tuple[Any, Any]:
    if not isinstance(value, list) or len(value) != 2 or not _is_key(value[0]):
        raise DamageError("a mapping has something that is not a key and a value")
    return value[0], value[1]


def _is_key(value: Any) -> bool:
    """A plain value, or a tuple of such."""
    return isinstance(value, _KEYS) or (isinstance(value, tuple) and all(map(_is_key, value)))
