"""What an engine is: it keeps a worker for each shard of the data, and asks all of them the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from linnet._params import Params, whole

Make = Callable[..., Any]


class Workers(Protocol):
    """One worker for each shard; what they answer comes in the order of shards."""

    def each(
        self, method: str, *shared: Any, own: Sequence[tuple[Any, ...]] | None = None
    ) -> list[Any]:
        """Call a method of every worker with what all are told, and with what only it is told.

        Workers may be lost and made anew between two calls, and a call may be made again: a method
        must depend on its arguments and on the shard alone.
        """

    def close(self) -> None:
        """Let them go."""


class Shared(Protocol):
    """Something large that all workers may ask for, wherever they are."""

    def get(self) -> Any:
        """The thing itself; it is not to be changed."""


@dataclass(frozen=True)
class Held:
    """It is here, and so are the workers."""

    value: Any

    def get(self) -> Any:
        """As it is."""
        return self.value


class Engine(Params):
    """Where shards are kept and worked on.

    Parameters
    ----------
    shards : into how many parts the data are cut. The result depends on it, and on nothing else of the
        engine: not on threads, nor on machines, nor on workers that were lost on the way
    """

    name: ClassVar[str]
    in_turn: ClassVar[bool] = False  # one shard after the other: learners may hand on what they know
    far: ClassVar[bool] = True  # workers have a memory of their own, and read files by themselves

    def __init__(self, shards: int = 4) -> None:
        self.shards = shards

    def cut(self, size: int) -> list[tuple[int, int]]:
        """Where each shard of so many instances begins and ends; none is empty."""
        count = max(1, min(whole("shards", self.shards), size))
        return [(size * s // count, size * (s + 1) // count) for s in range(count)]

    @property
    def worker_threads(self) -> int:
        """Of each worker, where it is; they change no bit."""
        return 1

    def start(self, make: Make, parts: Sequence[tuple[Any, ...]], threads: int = 1) -> Workers:
        """A worker ``make(*part)`` for each part; ``threads`` are those of this machine."""
        raise NotImplementedError

    def tasks(self, call: Make, items: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """``call(*item)`` for each, with its place, as they are done; items are taken as it goes on."""
        for place, item in enumerate(items):
            yield place, call(*item)

    def in_order(self, call: Make, items: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """The same, each when its turn has come."""
        for item in items:
            yield call(*item)

    def shared(self, value: Any) -> Shared:
        """For workers, who are told where to get it; the engine keeps it while somebody may ask."""
        return Held(value)
