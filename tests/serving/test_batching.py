"""Who answers a request, and that each gets its own answer whoever does."""

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from linnet.serving.batching import CALL, KEYS, LONGEST, QUICK, Batcher, Paces


class Model:
    """Answers with what it was asked and the thread it was asked in."""

    clock = 0.0  # seconds that calls have taken, however busy the computer is

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds, self.together, self.most = seconds, 0, 0
        self.calls: list[tuple[Any, int]] = []

    def __call__(self, key: Any, items: Sequence[str]) -> list[tuple[Any, str, str]]:
        self.together += 1
        self.most = max(self.most, self.together)
        self.calls.append((key, len(items)))
        time.sleep(self.seconds)
        Model.clock += self.seconds
        self.together -= 1
        if "bad" in items:
            raise ValueError("bad")
        return [(key, item, threading.current_thread().name) for item in items]


@pytest.fixture(autouse=True)
def paces_of_models_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "linnet.serving.batching.time", SimpleNamespace(perf_counter=lambda: Model.clock)
    )


def run(model: Model, ask: Callable[[Batcher], Any]) -> Any:
    async def asked() -> Any:
        batcher = Batcher(model)
        try:
            return await ask(batcher)
        finally:
            batcher.stop()

    return asyncio.run(asked())


def threads(answers: list[Any]) -> list[str]:
    return [name for _, _, name in answers]


def test_short_requests_are_answered_by_the_thread_that_listens() -> None:
    async def ask(batcher: Batcher) -> list[Any]:
        return [(await batcher.submit("a", ["text"]))[0] for _ in range(3)]

    first, *others = threads(run(Model(), ask))
    assert first == "linnet-answers"  # nothing is known of its pace
    assert set(others) == {threading.current_thread().name}


def test_slow_and_long_requests_have_a_thread_of_their_own() -> None:
    async def ask(batcher: Batcher) -> list[Any]:
        return [(await batcher.submit("a", ["text"]))[0] for _ in range(3)]

    assert set(threads(run(Model(5 * QUICK), ask))) == {"linnet-answers"}

    async def ask_long(batcher: Batcher) -> list[Any]:
        await batcher.submit("a", ["text"])
        return [(await batcher.submit("a", ["x" * (LONGEST + 1)]))[0]]

    assert threads(run(Model(), ask_long)) == ["linnet-answers"]


def test_requests_of_one_moment_share_a_call_and_keep_their_answers() -> None:
    model = Model()

    async def ask(batcher: Batcher) -> list[Any]:
        await asyncio.gather(batcher.submit("a", ["t"]), batcher.submit("b", ["t"]))
        model.calls.clear()
        requests = [("a", ["1", "2"]), ("a", ["3"]), ("b", ["4"]), ("a", [])]
        return await asyncio.gather(*(batcher.submit(key, items) for key, items in requests))

    found = run(model, ask)
    assert model.calls == [("a", 3), ("b", 1), ("a", 0)]
    assert [[(key, item) for key, item, _ in one] for one in found] == [
        [("a", "1"), ("a", "2")],
        [("a", "3")],
        [("b", "4")],
        [],
    ]


@pytest.mark.parametrize("seconds", [0.0, 5 * QUICK])
def test_a_refused_item_spoils_nothing_for_others(seconds: float) -> None:
    async def ask(batcher: Batcher) -> list[Any]:
        await batcher.submit("a", ["t"])
        requests = [["good"], ["bad"], ["fine"]]
        waiting = [batcher.submit("a", items) for items in requests]
        return await asyncio.gather(*waiting, return_exceptions=True)

    good, bad, fine = run(Model(seconds), ask)
    assert [good[0][1], fine[0][1]] == ["good", "fine"]
    assert isinstance(bad, ValueError)


def test_a_model_is_asked_by_one_thread_at_a_time() -> None:
    model = Model(0.002)

    async def ask(batcher: Batcher) -> list[Any]:
        waiting = []
        for i in range(40):
            batcher._paces.learn("quick", 1, 0.0)  # so that both threads have something to do
            waiting.append(batcher.submit("quick" if i % 3 else "slow", [str(i)]))
            await asyncio.sleep(0.0005)
        return await asyncio.gather(*waiting)

    found = run(model, ask)
    assert [answers[0][1] for answers in found] == [str(i) for i in range(40)]
    assert model.most == 1


def test_who_has_left_is_not_answered() -> None:
    model = Model()

    async def ask(batcher: Batcher) -> list[Any]:
        await batcher.submit("a", ["t"])
        gone, still = batcher.submit("a", ["gone"]), batcher.submit("a", ["still"])
        gone.cancel()
        return await still

    assert run(model, ask)[0][1] == "still"
    assert model.calls[-1] == ("a", 1)


def test_what_waits_is_answered_before_the_stop() -> None:
    async def ask(batcher: Batcher) -> asyncio.Future[list[Any]]:
        await batcher.submit("a", ["t"])
        return batcher.submit("a", ["last"])

    assert run(Model(), ask).result()[0][1] == "last"


def test_paces_follow_what_is_measured() -> None:
    paces = Paces()
    assert paces.expected("a", 1) == float("inf")
    paces.learn("a", 100, CALL + 0.1)
    assert paces.expected("a", 200) == pytest.approx(CALL + 0.2)
    for _ in range(60):
        paces.learn("a", 100, CALL / 2)
    assert paces.expected("a", LONGEST) == pytest.approx(CALL, rel=0.01)
    assert paces.expected("a", LONGEST + 1) == float("inf")
    for number in range(KEYS):
        paces.learn(number, 1, 0.0)
    assert paces.expected("a", 1) == float("inf")
