"""Workers on the machines of a Ray cluster (the extra `ray`).

Plain actors, one for each shard. Ray makes an actor anew whose process or machine was lost, from the
same arguments, and asks it again what was not answered; since workers keep nothing that matters between
two calls, the answer is the same. What all are told is put into Ray's store once.
"""

from __future__ import annotations

import logging
import socket
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np

from linnet.engines.base import Engine, Make
from linnet.errors import EngineError

AHEAD = 2  # tasks for each core that are handed out before their answers are wanted
LARGE = 100_000  # bytes: what is larger goes into the store once, and not into every message


class Ray(Engine):
    """Shards on the machines of a cluster.

    Parameters
    ----------
    shards : as of every engine
    address : of a cluster, 'auto' or 'ray://host:port'; None: one that is known to this process, else
        one of this machine alone
    cpus : of each worker, as Ray counts them, and as many threads; None: one, or less where there
        are more shards than cores
    """

    name: ClassVar[str] = "ray"

    def __init__(self, shards: int = 4, address: str | None = None, cpus: float | None = None) -> None:
        super().__init__(shards)
        self.address = address
        self.cpus = cpus

    @property
    def worker_threads(self) -> int:
        """As many as it has cores."""
        return 1 if self.cpus is None else max(1, int(self.cpus))

    def start(self, make: Make, parts: Sequence[tuple[Any, ...]], threads: int = 1) -> RayWorkers:
        """An actor for each part, wherever there is room."""
        ray = self.connected()
        return RayWorkers(ray, make, parts, self._share(ray, len(parts)))

    def _share(self, ray: Any, workers: int) -> float:
        """What a worker may ask for so that all of them find room."""
        if self.cpus is not None:
            return self.cpus
        there = float(ray.cluster_resources().get("CPU", 1))
        return 1.0 if workers <= there else int(1000 * there / workers) / 1000

    def tasks(self, call: Make, items: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
        """On all machines; what was lost with one of them is done by another."""
        ray = self.connected()
        remote = self._task(ray)
        waiting = {remote.remote(call, item): place for place, item in enumerate(items)}
        while waiting:
            (done, *_), _ = ray.wait(list(waiting))
            with _lost(ray):
                yield waiting.pop(done), ray.get(done)

    def in_order(self, call: Make, items: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """A few are under way at a time, so that answers do not pile up while others are waited for."""
        ray = self.connected()
        remote = self._task(ray)
        ahead = max(2, int(AHEAD * ray.cluster_resources().get("CPU", 1)))
        left = iter(items)
        waiting = deque(remote.remote(call, item) for item in islice(left, ahead))
        while waiting:
            with _lost(ray):
                answer = ray.get(waiting.popleft())
            waiting.extend(remote.remote(call, item) for item in islice(left, 1))
            yield answer

    def _task(self, ray: Any) -> Any:
        cpus = 1.0 if self.cpus is None else self.cpus
        return ray.remote(num_cpus=cpus, max_retries=-1)(call_one)

    def shared(self, value: Any) -> Stored:
        """In Ray's store."""
        return Stored(self.connected().put(value))

    def connected(self) -> Any:
        """Ray, with a cluster."""
        try:
            import ray
        except ImportError:
            raise EngineError("engine 'ray' needs Ray; pip install 'linnet[ray]'") from None
        if not ray.is_initialized():
            _knock(self.address)
            try:
                ray.init(
                    address=self.address,
                    include_dashboard=False if self.address is None else None,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                )
            except (ConnectionError, ValueError, RuntimeError) as error:
                raise EngineError(
                    f"no Ray cluster at {self.address or 'this machine'}: {error}"
                ) from None
        return ray


@dataclass(frozen=True)
class Stored:
    """Where it is in the store."""

    place: Any

    def get(self) -> Any:
        """From there: workers of a machine share its memory."""
        import ray

        return ray.get(self.place)


class RayWorkers:
    """Handles of actors."""

    def __init__(self, ray: Any, make: Make, parts: Sequence[tuple[Any, ...]], cpus: float) -> None:
        self.ray = ray
        actor = ray.remote(num_cpus=cpus, max_restarts=-1, max_task_retries=-1)(_Worker)
        # The store keeps what workers are made of, so that they can be made again. They are told where
        # it is by every call, and not when they are started, or Ray would warn of things in its store.
        self.parts = [Stored(ray.put((make, part))) for part in parts]
        self.actors = [actor.remote() for _ in parts]
        self._end = weakref.finalize(self, _let_go, ray, self.actors)

    def each(
        self, method: str, *shared: Any, own: Sequence[tuple[Any, ...]] | None = None
    ) -> list[Any]:
        """In the order of shards, whoever is done first."""
        told = [self._stored(value) for value in shared]
        each = own or [()] * len(self.actors)
        calls = [
            actor.call.remote(part, method, *told, *own_part)
            for actor, part, own_part in zip(self.actors, self.parts, each, strict=True)
        ]
        with _lost(self.ray):
            return list(self.ray.get(calls))

    def _stored(self, value: Any) -> Any:
        large = isinstance(value, np.ndarray) and value.nbytes > LARGE
        return self.ray.put(value) if large else value

    def close(self) -> None:
        """End the actors."""
        self._end()


class _Worker:
    """What runs in an actor; it is made when it is asked for the first time, or anew."""

    def __init__(self) -> None:
        self.worker: Any = None

    def call(self, part: Stored, method: str, *arguments: Any) -> Any:
        if self.worker is None:
            make, made_of = part.get()
            self.worker = make(*made_of)
        return getattr(self.worker, method)(*arguments)


def _knock(address: str | None) -> None:
    """Is anybody there? Ray itself would wait for minutes."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        raise EngineError(f"no Ray cluster at {address}: {error}") from None


def call_one(call: Make, item: tuple[Any, ...]) -> Any:
    """What runs as a task."""
    return call(*item)


@contextmanager
def _lost(ray: Any) -> Iterator[None]:
    """What went wrong there goes wrong here."""
    try:
        yield
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        raise EngineError(f"Ray lost a worker, and could not make it anew: {error}") from None


def _let_go(ray: Any, actors: list[Any]) -> None:
    if ray.is_initialized():
        for actor in actors:
            ray.kill(actor)
