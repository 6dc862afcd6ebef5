"""Workers that stay from one training to the next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.engines.test_shards import problem_of

from linnet import engine, engines
from linnet.learners import LBFGS

MADE: list[str] = []


class Adder:
    """A worker that takes long to make."""

    def __init__(self, name: str, value: float) -> None:
        self.shard = engines.kept(name, lambda: MADE.append(name) or np.full(3, len(name)))
        self.value = value

    def total(self, x: float, y: float, z: float = 0.0) -> float:
        return float(self.shard.sum()) * self.value + x + y + z


def test_what_shards_are_made_of_is_made_once():
    MADE.clear()
    with engines.keeping(engines.Local(2)) as keeping:
        assert engines.in_use() is keeping
        for value in (1.0, 2.0):
            workers = keeping.start(Adder, [("a", value), ("bc", value)])
            assert workers.each("total", 0.5, 0.25) == [3 * value + 0.75, 6 * value + 0.75]
            assert workers.each("total", 0.5, own=[(1.0,), (2.0, 4.0)]) == [
                3 * value + 1.5,
                6 * value + 6.5,
            ]
            workers.close()
        assert MADE == ["a", "bc"]
        keeping.start(Adder, [("a", 1.0)]).each("total", 0.0, 0.0)
        assert MADE == ["a", "bc", "a"]  # fewer workers are others
        assert list(keeping.in_order(len, [("x",)])) == [1]
        assert keeping.workers is None  # tasks need their room
    assert engines.in_use() is None
    Adder("a", 1.0)
    Adder("a", 1.0)
    assert MADE[3:] == ["a", "a"]  # nobody keeps it


@pytest.mark.parametrize("inner", [engines.Local, engines.Paged])
def test_the_weights_are_the_same(inner):
    problem = problem_of(3, "logistic", tol=1e-7)
    found = []
    for where in (engines.Local(2), engines.Keeping(inner(2))):
        solver = LBFGS().solver(replace(problem, engine=where))
        solver.epoch()
        solver.epoch()
        found.append(solver.weights().tobytes())
    assert found[0] == found[1]


def test_settings_are_those_of_the_other():
    with engine("local", shards=7) as other, engines.keeping(other) as keeping:
        assert keeping.cut(20) == other.cut(20)
        assert keeping.far is other.far is False
        assert keeping.shared(other).get() is other
