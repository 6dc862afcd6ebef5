"""Requests that wait at the same time share one call of the core, in a thread of their own."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

MOST_TOGETHER = 256  # items of one call


@dataclass
class Waiting:
    """A request: its items, and where their answers are to go."""

    key: Hashable  # requests of one key may be answered together
    items: Sequence[Any]
    future: asyncio.Future[list[Any]]


class Batcher:
    """A thread that takes all that waits, and calls ``answer(key, items)`` once for each key.

    An item that is refused spoils nothing for the others: their requests are then answered one by one.
    """

    def __init__(self, answer: Callable[[Any, Sequence[Any]], list[Any]]) -> None:
        self._answer = answer
        self._waiting: deque[Waiting] = deque()
        self._wake = threading.Event()
        self._stopped = False
        self.calls = 0
        self._thread = threading.Thread(target=self._run, name="linnet-answers", daemon=True)
        self._thread.start()

    def submit(self, key: Hashable, items: Sequence[Any]) -> asyncio.Future[list[Any]]:
        """The answers, once they are there; from the thread of an event loop."""
        future: asyncio.Future[list[Any]] = asyncio.get_running_loop().create_future()
        self._waiting.append(Waiting(key, items, future))
        self._wake.set()
        return future

    def stop(self) -> None:
        """When what waits is answered."""
        self._stopped = True
        self._wake.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            while self._waiting:
                self._together(self._taken())
            if self._stopped:
                return

    def _taken(self) -> list[Waiting]:
        """The first that waits, and those of the same key that follow it."""
        taken = [self._waiting.popleft()]
        size = len(taken[0].items)
        while self._waiting and self._waiting[0].key == taken[0].key:
            size += len(self._waiting[0].items)
            if size > MOST_TOGETHER:
                break
            taken.append(self._waiting.popleft())
        return taken

    def _together(self, taken: list[Waiting]) -> None:
        taken = [one for one in taken if not one.future.cancelled()]  # who waited too long has left
        if not taken:
            return
        self.calls += 1
        try:
            found = self._answer(taken[0].key, [item for one in taken for item in one.items])
        except Exception as error:
            if len(taken) > 1:
                for one in taken:
                    self._together([one])
                return
            outcomes: list[Any] = [error]
        else:
            outcomes, at = [], 0
            for one in taken:
                outcomes.append(found[at : at + len(one.items)])
                at += len(one.items)
        loop = taken[0].future.get_loop()
        try:
            loop.call_soon_threadsafe(_settle, taken, outcomes)
        except RuntimeError:  # the loop was closed: nobody listens any more
            return


def _settle(taken: list[Waiting], outcomes: list[Any]) -> None:
    for one, outcome in zip(taken, outcomes, strict=True):
        if one.future.done():
            continue
        if isinstance(outcome, Exception):
            one.future.set_exception(outcome)
        else:
            one.future.set_result(outcome)
