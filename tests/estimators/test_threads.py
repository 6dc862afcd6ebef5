"""One estimator in several threads: readers see a model of before or after a batch, none between."""

from __future__ import annotations

import copy
import os
import pickle
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import linnet
from linnet.errors import BusyError
from linnet.estimators.guard import PLACE, guard_of

from ..birds import ALL_BIRDS, ALL_TEXTS

ROWS = np.abs(np.random.default_rng(0).normal(size=(40, 5)))
SENTENCES = [text.split() for text in ALL_TEXTS[:60]]
TAGS = [[f"T{len(word) % 5}" for word in words] for words in SENTENCES]
NAMED = [{f"f{k}": 1.0, f"g{k % 7}": 2.0} for k in range(200)]

Batches = list[tuple[Any, Any]]


def batches(X: Any, y: Any, size: int) -> Batches:
    return [(X[k : k + size], y[k : k + size]) for k in range(0, len(X), size)]


STREAMS: dict[str, tuple[Callable[[], Any], Batches]] = {
    "texts": (linnet.TextClassifier, batches(ALL_TEXTS[:600], ALL_BIRDS[:600], 10)),
    "named": (linnet.AROW, batches(NAMED, [f"label {k % 9}" for k in range(200)], 4)),
    "rows": (
        lambda: linnet.Perceptron(grow=True),
        batches(ROWS.tolist() * 8, [f"label {k % 9}" for k in range(320)], 4),
    ),
    "tags": (linnet.StructuredPerceptron, batches(SENTENCES, TAGS, 2)),
}


@pytest.mark.parametrize("name", STREAMS)
def test_predictions_while_it_learns(name: str) -> None:
    make, stream = STREAMS[name]
    model = make().partial_fit(*stream[0])
    asked = [X for X, _ in stream[:6]]
    done = threading.Event()

    def ask() -> int:
        times = 0
        while not done.is_set() or times < 3:
            for X in asked:
                assert len(model.predict(X)) == len(X)
            if hasattr(model, "decision_function"):
                assert len(model.decision_function(asked[0])) == len(asked[0])
            assert len(pickle.loads(pickle.dumps(model)).predict(asked[0])) == len(asked[0])
            assert len(copy.copy(model).predict(asked[0])) == len(asked[0])
            times += 1
        return times

    with ThreadPoolExecutor(3) as pool:
        asking = [pool.submit(ask) for _ in range(3)]
        try:
            for X, y in stream[1:]:
                model.partial_fit(X, y)
        finally:
            done.set()
        assert all(one.result() > 0 for one in asking)
    alone = make()
    for X, y in stream:
        alone.partial_fit(X, y)
    assert [list(model.predict(X)) for X in asked] == [list(alone.predict(X)) for X in asked]


FITTED: dict[str, Callable[[], Any]] = {
    "texts": lambda: linnet.TextClassifier().fit(ALL_TEXTS[:40], ALL_BIRDS[:40]),
    "rows": lambda: linnet.LogisticRegression().fit(ROWS, ["a", "b"] * 20),
    "tags": lambda: linnet.StructuredPerceptron(max_iter=1).fit(SENTENCES[:9], TAGS[:9]),
    "trees": lambda: linnet.DependencyParser(max_iter=1).fit(
        [[("a", "N"), ("b", "V")]] * 6, [([2, 0], ["r", "root"])] * 6
    ),
}
ASK: dict[str, Any] = {
    "texts": ALL_TEXTS[:2],
    "rows": ROWS[:2],
    "tags": SENTENCES[:2],
    "trees": [[("a", "N"), ("b", "V")]],
}


@pytest.mark.parametrize("name", FITTED)
def test_who_waits_and_who_is_refused(name: str) -> None:
    model = FITTED[name]()
    guard = guard_of(model)
    with ThreadPoolExecutor(2) as pool:
        assert guard.begin_learning("model")  # here, as a `fit` would
        waiting = pool.submit(model.predict, ASK[name])
        second = pool.submit(model.fit, ASK[name], None)
        with pytest.raises(
            BusyError, match=f"this {type(model).__name__} is learning in another thread"
        ):
            second.result(20)
        model.predict(ASK[name])  # whoever learns may look
        time.sleep(0.05)
        assert not waiting.done()
        guard.end_learning()
        assert len(waiting.result(20)) == len(ASK[name])


def test_learning_waits_for_readers() -> None:
    model = FITTED["texts"]()
    guard, inside, go = guard_of(model), threading.Event(), threading.Event()

    class Slow(list):
        def __iter__(self) -> Any:
            inside.set()
            assert go.wait(20)
            return super().__iter__()

    with ThreadPoolExecutor(3) as pool:
        reading = pool.submit(model.predict, Slow(ALL_TEXTS[:2]))
        assert inside.wait(20)
        learning = pool.submit(model.partial_fit, ["a robin"], ["robin"])
        while guard.learner is None:
            time.sleep(0.001)
        later = pool.submit(model.predict, ["a robin"])
        time.sleep(0.05)
        assert not learning.done()
        assert not later.done()
        go.set()
        assert len(reading.result(20)) == 2
        assert learning.result(20) is model
        assert later.result(20).tolist() == ["robin"]
    assert (guard.readers, guard.learner) == ({}, None)


def test_a_failure_leaves_nobody_in() -> None:
    model = FITTED["rows"]()
    for call in (lambda: model.predict("text"), lambda: model.fit(ROWS, [1])):
        with pytest.raises(ValueError, match=r"."):
            call()
    assert (guard_of(model).readers, guard_of(model).learner) == ({}, None)


COUNTED = lambda: linnet.NaiveBayes().partial_fit(ROWS, [0, 1] * 20, [0, 1])  # noqa: E731


@pytest.mark.parametrize("make", [FITTED["rows"], COUNTED], ids=["weights", "a stream of counts"])
def test_it_is_neither_copied_nor_saved(make: Callable[[], Any]) -> None:
    model = make()
    model.predict(ROWS)
    assert PLACE in vars(model)
    for other in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert PLACE not in vars(other)
        assert other.predict(ROWS).tolist() == model.predict(ROWS).tolist()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_begins_anew() -> None:
    model = FITTED["rows"]()
    guard_of(model).begin_learning("model")  # another thread of the parent, which the child has not
    guard_of(model).learner = -1
    child = os.fork()
    if child == 0:
        os._exit(0 if len(model.predict(ROWS)) == len(ROWS) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    guard_of(model).end_learning()


def test_warnings_point_at_whoever_asked() -> None:
    for fit in (
        lambda: linnet.LogisticRegression(max_iter=1).fit(ROWS, [0, 1, 2, 1] * 10),
        lambda: linnet.CRF(max_iter=1).fit(SENTENCES[:9], TAGS[:9]),
    ):
        with pytest.warns(linnet.errors.TrainingWarning) as said:
            fit()
        assert [warning.filename for warning in said] == [__file__]
