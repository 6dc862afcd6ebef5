"""Workers in this process, on its threads."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

from linnet.engines.base import Engine, Make


class Local(Engine):
    """Shards in the memory of this process, on as many threads as training has."""

    name: ClassVar[str] = "local"
    far: ClassVar[bool] = False

    def start(self, make: Make, parts: Sequence[tuple[Any, ...]], threads: int = 1) -> LocalWorkers:
        """Objects side by side."""
        return LocalWorkers([make(*part) for part in parts], threads)


class LocalWorkers:
    """The workers themselves."""

    def __init__(self, workers: list[Any], threads: int) -> None:
        self.workers = workers
        self.threads = min(threads, len(workers))

    def each(
        self, method: str, *shared: Any, own: Sequence[tuple[Any, ...]] | None = None
    ) -> list[Any]:
        """Long calls of the core let go of the interpreter, so that threads are enough."""
        each = own or [()] * len(self.workers)
        calls = [
            (getattr(worker, method), part) for worker, part in zip(self.workers, each, strict=True)
        ]
        if self.threads == 1:
            return [call(*shared, *part) for call, part in calls]
        with ThreadPoolExecutor(self.threads) as pool:
            return [f.result() for f in [pool.submit(call, *shared, *part) for call, part in calls]]

    def close(self) -> None:
        """They go with their memory."""
        self.workers = []
