"""Where shards of the data are kept and worked on: in this process, or on the machines of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from linnet.engines.base import Engine, Shared, Workers
from linnet.engines.keeping import Keeping, kept
from linnet.engines.local import Local
from linnet.engines.paged import Paged
from linnet.engines.ray import Ray
from linnet.engines.slices import Slice, slices

_IN_USE: ContextVar[Engine | None] = ContextVar("engine", default=None)

__all__ = [
    "Engine",
    "Keeping",
    "Local",
    "Paged",
    "Ray",
    "Shared",
    "Slice",
    "Workers",
    "engine",
    "in_use",
    "keeping",
    "kept",
    "resolve",
    "slices",
]


def resolve(engine: Any, **settings: Any) -> Engine:
    """An engine by its name ('local', 'ray', 'ray://host:port') and settings, or itself."""
    if isinstance(engine, Engine) and not settings:
        return engine
    if engine == "local":
        return Local(**settings)
    if engine == "ray":
        return Ray(**settings)
    if isinstance(engine, str) and engine.startswith("ray://"):
        return Ray(address=engine, **settings)
    raise ValueError(f"engine must be 'local', 'ray', 'ray://host:port' or an Engine, not {engine!r}")


@contextmanager
def engine(engine: Any, **settings: Any) -> Iterator[Engine]:
    """Let everything that is trained within work on shards: ``with linnet.engine("ray", shards=8): …``.

    Where a model was trained is no part of it, and so is no setting of estimators.
    """
    with _using(resolve(engine, **settings)) as found:
        yield found


@contextmanager
def _using(engine: Engine) -> Iterator[Engine]:
    token = _IN_USE.set(engine)
    try:
        yield engine
    finally:
        _IN_USE.reset(token)


@contextmanager
def keeping(engine: Engine) -> Iterator[Keeping]:
    """Within it the workers of an engine stay from one training to the next."""
    found = Keeping(engine)
    try:
        with _using(found):
            yield found
    finally:
        found.close()


def in_use() -> Engine | None:
    """The engine that training works with; None: all data are one shard."""
    return _IN_USE.get()
