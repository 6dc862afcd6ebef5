"""Workers that stay from one training to the next, and keep what their shards are made of.

Several trainings may see the same instances: labels one against the rest, one after the other. What it
takes long to make, such as the rows of a shard of files, is made once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, ClassVar

from linnet.engines.base import Engine, Make, Shared, Workers

_HELD: ContextVar[dict[str, Any] | None] = ContextVar("held", default=None)


def kept(name: str, make: Callable[[], Any]) -> Any:
    """What ``make`` makes: now, or what it made in this worker before."""
    held = _HELD.get()
    if held is None:
        return make()
    if name not in held:
        held[name] = make()
    return held[name]


class Keeper:
    """A worker that becomes another with each training."""

    def __init__(self) -> None:
        self.held: dict[str, Any] = {}
        self.number = 0  # of the training
        self.worker: Any = None

    def ask(self, number: int, method: str, shared: int, *told: Any) -> Any:
        """Call a method of the worker of a training with what is told to all, so many things; then
        comes what the worker is made of, and what only it is told.
        """
        part = told[shared]
        if self.number != number:
            self.worker = None  # before there are two
            before = _HELD.set(self.held)
            try:
                make, made_of = part.get()
                self.worker = make(*made_of)
            finally:
                _HELD.reset(before)
            self.number = number
        return getattr(self.worker, method)(*told[:shared], *told[shared + 1 :])


class Keeping(Engine):
    """Another engine, whose workers stay until this one is closed."""

    name: ClassVar[str] = "keeping"

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.shards)
        self.engine, self.far = engine, engine.far  # type: ignore[misc]
        self.workers: Workers | None = None
        self.count = self.number = 0

    @property
    def worker_threads(self) -> int:
        """Of the other."""
        return self.engine.worker_threads

    def start(self, make: Make, parts: Sequence[tuple[Any, ...]], threads: int = 1) -> KeptWorkers:
        """The same workers as before, if there were as many."""
        if self.workers is None or self.count != len(parts):
            self.close()
            self.workers, self.count = self.engine.start(Keeper, [()] * len(parts), threads), len(parts)
        self.number += 1
        made_of = [self.engine.shared((make, part)) for part in parts]
        return KeptWorkers(self.workers, self.number, made_of)

    def tasks(self, call: Make, items: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """Of the other; they need the room that workers take."""
        self.close()
        return self.engine.tasks(call, items)

    def in_order(self, call: Make, items: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """The same."""
        self.close()
        return self.engine.in_order(call, items)

    def shared(self, value: Any) -> Shared:
        """By the other."""
        return self.engine.shared(value)

    def close(self) -> None:
        """Let the workers go."""
        if self.workers is not None:
            self.workers.close()
        self.workers = None


class KeptWorkers:
    """The workers of one training."""

    def __init__(self, workers: Workers, number: int, parts: Sequence[Shared]) -> None:
        self.workers, self.number, self.parts = workers, number, parts

    def each(
        self, method: str, *shared: Any, own: Sequence[tuple[Any, ...]] | None = None
    ) -> list[Any]:
        """As of those that are kept."""
        told = own or [()] * len(self.parts)
        each = [(part, *one) for part, one in zip(self.parts, told, strict=True)]
        return self.workers.each("ask", self.number, method, len(shared), *shared, own=each)

    def close(self) -> None:
        """They stay."""
        self.parts = []
