"""The pool: the same sums at any thread count, exceptions, nesting, forks."""

import os
import signal
import sys
import threading

import pytest

from linnet import _core

from .. import processes


def test_any_number_of_threads_gives_the_same_sum():
    expected = _core.testing_parallel_sum(1000, 1)
    for threads in (2, 3, 8):
        for _ in range(20):
            assert _core.testing_parallel_sum(1000, threads) == expected


@pytest.mark.parametrize("tasks", [0, 1, 2])
def test_few_tasks(tasks):
    assert _core.testing_parallel_sum(tasks, 3) == _core.testing_parallel_sum(tasks, 1)


def test_nested_calls():
    expected = _core.testing_parallel_sum(20, 1, nested=True)
    assert _core.testing_parallel_sum(20, 3, nested=True) == expected


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_first_exception_is_rethrown(threads):
    for _ in range(50):
        with pytest.raises(RuntimeError, match="task 7 failed"):
            _core.testing_parallel_sum(100, threads, failing=7)
    assert _core.testing_parallel_sum(10, threads) == _core.testing_parallel_sum(10, 1)


def test_callers_from_several_threads():
    expected = _core.testing_parallel_sum(500, 1)
    got = []

    def work():
        got.extend(_core.testing_parallel_sum(500, 2) for _ in range(20))

    callers = [threading.Thread(target=work) for _ in range(4)]
    for c in callers:
        c.start()
    for c in callers:
        c.join()
    assert got == [expected] * 80


def test_one_thread_creates_none():
    code = (
        "from linnet import _core; _core.testing_parallel_sum(100, 1);"
        "assert _core.testing_pool_workers() == 0; _core.testing_parallel_sum(100, 3);"
        "assert _core.testing_pool_workers() == 2"
    )
    processes.run([sys.executable, "-c", code], check=True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_has_a_pool_of_its_own():
    expected = _core.testing_parallel_sum(1000, 3)
    for _ in range(10):
        child = os.fork()
        if child == 0:
            signal.alarm(20)  # a hang becomes a failure
            same = [_core.testing_parallel_sum(1000, 3) for _ in range(10)] == [expected] * 10
            os._exit(0 if same and _core.testing_pool_workers() == 2 else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert _core.testing_parallel_sum(1000, 3) == expected
