"""JSON that others wrote: whatever it is, it is parsed or a ValueError says what is wrong with it."""

from __future__ import annotations

import json
from typing import Any


def parse(text: str | bytes) -> Any:
    """The value; nesting and numbers beyond all bounds are a ValueError, as broken syntax is."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def shown(value: Any, most: int = 40) -> str:
    """A value that is not as it should be, in a message."""
    if isinstance(value, (dict, list)) and len(value) > most:
        value = value[:most] if isinstance(value, list) else dict(list(value.items())[:most])
    try:
        return json.dumps(value, ensure_ascii=False)[:most]
    except (RecursionError, TypeError, ValueError):  # deep, of thousands of digits, or bytes
        return f"a {type(value).__name__}"
