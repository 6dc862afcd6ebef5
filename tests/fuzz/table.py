"""The kinds of attack."""

from __future__ import annotations

from types import ModuleType

from .kinds import checkpoints, data, disk, fits, memory, models, signals, texts

KINDS: dict[str, ModuleType] = {
    "models": models,
    "checkpoints": checkpoints,
    "data": data,
    "texts": texts,
    "fits": fits,
    "signals": signals,
    "disk": disk,
    "memory": memory,
}


def available() -> dict[str, ModuleType]:
    """Those that can be tried here."""
    return {
        name: kind for name, kind in KINDS.items() if not getattr(kind, "unavailable", lambda: None)()
    }
