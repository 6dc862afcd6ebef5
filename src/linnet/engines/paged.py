"""Workers that are there only while they are asked: for shards that do not fit into memory together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from linnet.engines.base import Engine, Make


class Paged(Engine):
    """Shards in files, of which one at a time is in memory; it is made anew for each call."""

    name: ClassVar[str] = "paged"
    in_turn: ClassVar[bool] = True
    far: ClassVar[bool] = False

    def start(self, make: Make, parts: Sequence[tuple[Any, ...]], threads: int = 1) -> PagedWorkers:
        """Nothing is made yet."""
        return PagedWorkers(make, parts)


class PagedWorkers:
    """What workers are made of."""

    def __init__(self, make: Make, parts: Sequence[tuple[Any, ...]]) -> None:
        self.make, self.parts = make, list(parts)

    def each(
        self, method: str, *shared: Any, own: Sequence[tuple[Any, ...]] | None = None
    ) -> list[Any]:
        """One after the other; who has answered is let go."""
        told = own or [()] * len(self.parts)
        return [
            getattr(self.make(*part), method)(*shared, *each)
            for part, each in zip(self.parts, told, strict=True)
        ]

    def close(self) -> None:
        """Nobody is there."""
        self.parts = []
