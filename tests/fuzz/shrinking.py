"""Findings made small: what can be left out without changing the verdict is left out."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from .cases import Case
from .running import judged, verdict

SECONDS = 60.0  # for one finding


def shrunk(kind: ModuleType, case: Case, what: str, seconds: float = SECONDS) -> Case:
    """The smallest case found in that time that goes wrong in the same way."""
    end = time.monotonic() + seconds
    wanted = verdict(what)
    again = True
    while again:
        again = False
        for data in _smaller(case.data):
            if time.monotonic() > end:
                return case
            less = Case(case.name, data)
            found = judged(kind, less, limit=20)
            if found is not None and verdict(found) == wanted:
                case, again = less, True
                break
    return case


def _smaller(data: bytes) -> Iterator[bytes]:
    """With pieces left out: of what JSON describes, or of bytes; large ones first."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):  # bytes of a file, perhaps of brackets alone
        yield from _without_bytes(data)
    else:
        yield from (json.dumps(less, indent=1).encode() for less in _without(value))


def _without_bytes(data: bytes) -> Iterator[bytes]:
    size = len(data) // 2
    while size:
        for at in range(0, len(data), size):
            yield data[:at] + data[at + size :]
        size //= 2


def _without(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key in value:
            yield {k: v for k, v in value.items() if k != key}
        for key, inner in value.items():
            yield from ({**value, key: less} for less in _without(inner))
    elif isinstance(value, list):
        size = (len(value) + 1) // 2
        while size:
            yield from (value[:at] + value[at + size :] for at in range(0, len(value), size))
            size //= 2
        for at, inner in enumerate(value):
            yield from ([*value[:at], less, *value[at + 1 :]] for less in _without(inner))
    elif isinstance(value, str) and value:
        yield from (value[: len(value) // 2], value[len(value) // 2 :])
