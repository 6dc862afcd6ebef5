"""Parts of a description that grow with the data: values of a column, labels, a dictionary, passes.

A header is read whole and has a limit, so long parts lie among the tensors instead, each as the bytes
of its JSON; the description has ``{"$json": name}`` in their place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.persistence.errors import DamageError
from linnet.persistence.layout import parse_json

LONG = 1 << 16  # bytes
PREFIX = "description."
MARK = "$json"

Tensors = Mapping[str, NDArray[Any]]


def set_aside(
    spec: Mapping[str, Any], tensors: Tensors
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """A description whose parts are all short, and the tensors with what was long."""
    found = dict(tensors)

    def short(value: Any) -> Any:
        if not isinstance(value, (dict, list)) or len(text := _json(value)) <= LONG:
            return value
        if isinstance(value, dict):
            value = {key: short(inner) for key, inner in value.items()}
            if len(text := _json(value)) <= LONG:
                return value
        name = f"{PREFIX}{sum(key.startswith(PREFIX) for key in found)}"
        found[name] = np.frombuffer(text, np.uint8)
        return {MARK: name}

    return {key: short(value) for key, value in spec.items()}, found


def put_back(spec: dict[str, Any], tensors: Tensors) -> tuple[dict[str, Any], Tensors]:
    """The inverse; raises DamageError for parts that are not there or are no JSON."""
    left = {name: array for name, array in tensors.items() if name.startswith(PREFIX)}
    if not left:
        return spec, tensors
    rest = {name: array for name, array in tensors.items() if name not in left}

    def whole(value: Any) -> Any:
        if isinstance(value, list):
            return [whole(inner) if isinstance(inner, (dict, list)) else inner for inner in value]
        if not isinstance(value, dict):
            return value
        if value.keys() == {MARK}:
            return whole(_part(value[MARK], left))
        return {key: whole(inner) for key, inner in value.items()}

    return whole(spec), rest


def _part(name: Any, left: dict[str, NDArray[Any]]) -> Any:
    """Each serves once: none can hold itself, or blow up."""
    array = left.pop(name, None) if isinstance(name, str) else None
    if array is None or array.dtype != np.uint8 or array.ndim != 1:
        raise DamageError(f"the part {name!r:.40} of its description is missing")
    try:
        return parse_json(array.tobytes().decode("ascii"), f"the part {name!r}")
    except UnicodeDecodeError:
        raise DamageError(f"the part {name!r} of its description is not ASCII") from None


def _json(value: Any) -> bytes:
    return json.dumps(value, allow_nan=False, sort_keys=True, separators=(",", ":")).encode("ascii")
