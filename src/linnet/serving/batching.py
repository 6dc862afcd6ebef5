"""Requests that wait at the same time share one call of the core.

Short ones are answered by the thread that listens, between two looks at its connections: to hand them
to another thread and back takes longer than the answer. All others have a thread of their own, so that
a call which takes long stops nobody from asking.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

MOST_TOGETHER = 256  # items of one call
QUICK = 0.001  # seconds for which one call may keep the thread that listens
CALL = 0.0001  # seconds of a call, whatever it is asked
LONGEST = 2000  # characters; the time of parsers grows faster than their texts do
KEYS = 1000  # of which paces are kept: whoever asks may make up new ones


@dataclass
class Waiting:
    """A request: its items, and where their answers are to go."""

    key: Hashable  # requests of one key may be answered together
    items: Sequence[Any]
    future: asyncio.Future[list[Any]]


class Paces:
    """Seconds that a character has taken of late, for each key."""

    def __init__(self) -> None:
        self._paces: dict[Hashable, float] = {}

    def expected(self, key: Hashable, characters: int) -> float:
        """Seconds of a call; infinitely many as long as nothing is known."""
        if characters > LONGEST or key not in self._paces:
            return float("inf")
        return CALL + self._paces[key] * characters

    def learn(self, key: Hashable, characters: int, seconds: float) -> None:
        """One call more; a single slow one does not count for long."""
        seen = max(0.0, seconds - CALL) / max(1, characters)
        self._paces[key] = seen + 0.75 * (self._paces.pop(key, seen) - seen)
        if len(self._paces) > KEYS:
            del self._paces[next(iter(self._paces))]  # not asked about for the longest time


class Batcher:
    """Takes all that waits, and calls ``answer(key, items)`` once for each key.

    An item that is refused spoils nothing for the others: their requests are then answered one by one.
    Only one thread at a time calls ``answer``.
    """

    def __init__(self, answer: Callable[[Any, Sequence[Any]], list[Any]]) -> None:
        self._answer = answer
        self._paces = Paces()
        self._short: deque[Waiting] = deque()  # for the thread that listens
        self._waiting: deque[Waiting] = deque()  # for the thread that answers
        self._busy = False  # set before the latter takes anything, cleared when nothing is left
        self._wake = threading.Event()
        self._stopped = False
        self.calls = 0
        self._thread = threading.Thread(target=self._run, name="linnet-answers", daemon=True)
        self._thread.start()

    def submit(self, key: Hashable, items: Sequence[Any]) -> asyncio.Future[list[Any]]:
        """The answers, once they are there; from the thread of an event loop."""
        loop = asyncio.get_running_loop()
        one = Waiting(key, items, loop.create_future())
        if self._paces.expected(key, _characters(items)) <= QUICK:
            self._short.append(one)
            if len(self._short) == 1:  # once all connections were looked at
                loop.call_soon(self._answer_short)
        else:
            self._hand_over([one])
        return one.future

    def stop(self) -> None:
        """When what waits is answered."""
        self._answer_short()
        self._stopped = True
        self._wake.set()
        self._thread.join()

    def _hand_over(self, requests: Sequence[Waiting]) -> None:
        self._waiting.extend(requests)
        self._wake.set()

    def _answer_short(self) -> None:
        """What came since the last look at the connections, as far as it is still a short call."""
        while self._short:
            taken = _taken(self._short)
            characters = sum(_characters(one.items) for one in taken)
            if self._busy or self._waiting or self._paces.expected(taken[0].key, characters) > QUICK:
                self._hand_over(taken)
            else:
                _settle(*self._together(taken))

    def _run(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            self._busy = True
            while self._waiting:
                taken, outcomes = self._together(_taken(self._waiting))
                if not taken:
                    continue
                try:
                    taken[0].future.get_loop().call_soon_threadsafe(_settle, taken, outcomes)
                except RuntimeError:  # the loop was closed: nobody listens any more
                    continue
            self._busy = False
            if self._stopped:
                return

    def _together(self, taken: list[Waiting]) -> tuple[list[Waiting], list[Any]]:
        """Those that still wait, and what each of them gets: a list of answers, or an error."""
        taken = [one for one in taken if not one.future.cancelled()]  # who waited too long has left
        if not taken:
            return [], []
        self.calls += 1
        items = [item for one in taken for item in one.items]
        began = time.perf_counter()
        try:
            found = self._answer(taken[0].key, items)
        except Exception as error:
            if len(taken) == 1:
                return taken, [error]
            alone = [self._together([one]) for one in taken]
            return [one for still, _ in alone for one in still], [it for _, its in alone for it in its]
        self._paces.learn(taken[0].key, _characters(items), time.perf_counter() - began)
        outcomes, at = [], 0
        for one in taken:
            outcomes.append(found[at : at + len(one.items)])
            at += len(one.items)
        return taken, outcomes


def _taken(queue: deque[Waiting]) -> list[Waiting]:
    """The first that waits, and those of the same key that follow it."""
    taken = [queue.popleft()]
    size = len(taken[0].items)
    while queue and queue[0].key == taken[0].key:
        size += len(queue[0].items)
        if size > MOST_TOGETHER:
            break
        taken.append(queue.popleft())
    return taken


def _characters(items: Sequence[Any]) -> int:
    """Of texts, or of the words of sentences."""
    return sum(len(item) if isinstance(item, str) else sum(map(len, item)) for item in items)


def _settle(taken: list[Waiting], outcomes: list[Any]) -> None:
    for one, outcome in zip(taken, outcomes, strict=True):
        if one.future.done():
            continue
        if isinstance(outcome, Exception):
            one.future.set_exception(outcome)
        else:
            one.future.set_result(outcome)
