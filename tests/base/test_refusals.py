"""What the core is handed directly: it refuses what it cannot hold, and never reads past an array."""

import signal
from collections.abc import Callable

import numpy as np
import pytest

from linnet import _core

from ..structures import charts

EMPTY = np.zeros(0, np.int32), np.zeros(0, np.float32)


def rows(n: int = 4, features: int = 3) -> _core.Rows:
    return _core.Rows.dense(np.ones((n, features), np.float32), 1.0)


def train(learner: _core.OnlineLearner, data: _core.Dataset) -> None:
    for _ in range(100_000):
        learner.epoch(data)


def remapped(segment: list[int]) -> None:
    _core.Perceptron("hinge", 8).remap(16, 4, np.array([segment], np.int64))


def shrunk(learner: _core.OnlineLearner) -> None:
    learner.weights()
    learner.grow(2)


REFUSED: dict[str, Callable[[], object]] = {
    "negative columns": lambda: _core.Rows.csr(np.zeros(1, np.int32), *EMPTY, -5),
    "NaN": lambda: _core.Rows.dense(np.array([[np.nan]])),
    "infinite in float32": lambda: _core.Rows.dense(np.array([[1e39]])),
    "infinite bias": lambda: _core.Rows.dense(np.ones((1, 1)), np.inf),
    "no labels": lambda: _core.BlockData(rows(0), EMPTY[0], 0, False),
    "flat without labels": lambda: _core.FlatOracle(0),
    "chain too large": lambda: _core.Chain(65536, 65536),
    "tree too large": lambda: _core.Projective(40000),
    "grammar too large": lambda: charts.small(labels=[0, 1, 2]).oracle(60000),
    "padding past 2^31": lambda: _core.padded(2**31 - 1),
    "negative dim": lambda: _core.Perceptron("hinge", -1),
    "margin": lambda: _core.Perceptron("hinge", 4, margin=float("nan")),
    "fewer weights": lambda: shrunk(_core.Winnow("perceptron", 8)),
    "stride of 0": lambda: remapped([0, 0, 2, 0, 4]),
    "stride of 2^62": lambda: remapped([0, 0, 8, 1, 2**62]),
    "rows beyond the weights": lambda: remapped([0, 0, 3, 4, 4]),
    "a place beyond the weights": lambda: remapped([0, 2**62, 2, 4, 4]),
    "a place before the weights": lambda: remapped([-4, 0, 2, 4, 4]),
    "segments of four numbers": lambda: remapped([0, 0, 2, 4]),
    "votes from elsewhere": lambda: _core.VotedPerceptron(4, 1).set_weights(np.ones(4, np.float32)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        REFUSED[case]()


def test_arrays_read_in_place_are_never_converted_copies() -> None:
    """A copy would be freed after the call, with the core still reading it."""
    with pytest.raises(TypeError):
        _core.Rows.dense(np.ones((4, 6))[:, ::2])
    with pytest.raises(TypeError):
        _core.Rows.csr(np.zeros(3, np.int32)[::2], *EMPTY, 1)
    with pytest.raises(TypeError):
        _core.BlockData(rows(), np.zeros(4, np.int64), 2, True)
    with pytest.raises(TypeError):
        _core.BlockData(rows(), np.zeros(4, np.int32), 2, True, np.ones(4, np.float32))
    with pytest.raises(TypeError):
        _core.CandidateData(rows(), np.array([0, 4], np.int32), np.zeros(1, np.int32))


def test_one_label_is_never_mistaken() -> None:
    data = _core.BlockData(rows(), np.zeros(4, np.int32), 1, False)
    learner = _core.Perceptron("perceptron", data.dim)
    assert learner.epoch(data).mistakes == 0
    assert not learner.weights().any()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an interval timer")
def test_what_a_signal_handler_raises_is_passed_on() -> None:
    def alarm(*_: object) -> None:
        raise TimeoutError

    rng = np.random.default_rng(0)
    X = rng.normal(size=(20000, 20)).astype(np.float32)
    data = _core.BlockData(_core.Rows.dense(X), rng.integers(0, 2, 20000).astype(np.int32), 2, True)
    learner = _core.Perceptron("perceptron", data.dim)
    before = signal.signal(signal.SIGALRM, alarm)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(TimeoutError):
            train(learner, data)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
