"""The same bits on a cluster as in one process, whatever is lost on the way."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

ray = pytest.importorskip("ray")

from tests.engines.problems import SENTENCES, TAGS, TEXTS, TREES, points  # noqa: E402
from tests.engines.test_shards import problem_of  # noqa: E402
from tests.engines.test_structured_duals import problem_of as structured  # noqa: E402
from tests.ray_cluster import cluster  # noqa: E402

from linnet import DependencyParser, LinearClassifier, Tagger, TextClassifier, engine, engines  # noqa: E402
from linnet.errors import DataError  # noqa: E402
from linnet.learners import LBFGS, Dual, FrankWolfe  # noqa: E402
from linnet.learners.shards import SummedObjective  # noqa: E402

__all__ = ["cluster"]
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("cluster")]  # of Ray


def fitted(name: str, shards: int, model):
    with engine(name, shards=shards):
        return model.fit(*points(60, 3))


@pytest.mark.parametrize("shards", [1, 2, 4])  # of which two have a core for themselves
def test_summed_gradients_are_the_same_bits(shards):
    problem = problem_of(3)
    w = np.random.default_rng(2).normal(size=problem.structure.layout.dim)
    found = []
    for one in (engines.Local(shards), engines.Ray(shards)):
        summed = SummedObjective(one, problem)
        core = summed.core()
        value, gradient = core.evaluate(w)
        found.append((value, gradient.tobytes(), core.hessian_times(w).tobytes()))
        summed.workers.close()
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "settings",
    [
        {"learner": "lbfgs"},
        {"loss": "hinge", "learner": "dual"},
        {"loss": "perceptron", "learner": "mixing", "penalty": "none"},
    ],
)
def test_training_ends_with_the_same_bits(settings):
    one, other = (
        fitted(name, 2, LinearClassifier(**settings, max_iter=5)) for name in ("local", "ray")
    )
    assert one.coef_.tobytes() == other.coef_.tobytes()
    assert [e.objective for e in one.record_.epochs] == [e.objective for e in other.record_.epochs]


def test_texts_sentences_and_trees_are_learnt_there(tmp_path):
    for model, data in (
        (TextClassifier(), TEXTS),
        (Tagger(), (SENTENCES, TAGS)),
        (DependencyParser(max_iter=3), (TREES,)),
    ):
        found = []
        for name in ("local", "ray"):
            with engine(name, shards=2):
                model.fit(*data).save(tmp_path / name)
            found.append((tmp_path / name).read_bytes())
        assert found[0] == found[1]


class Slow:
    """A worker whose answers take a while."""

    def __init__(self, number: int) -> None:
        self.number = number

    def process(self) -> int:
        return os.getpid()

    def answer(self, x: np.ndarray) -> float:
        time.sleep(0.3)
        return float(x.sum()) * self.number


def test_a_killed_worker_is_made_anew_in_the_middle_of_a_call():
    workers = engines.Ray(2).start(Slow, [(1,), (2,)])
    before = workers.each("process")
    threading.Timer(0.1, os.kill, (before[1], signal.SIGKILL)).start()
    assert workers.each("answer", np.ones(3)) == [3.0, 6.0]
    assert workers.each("process")[1] != before[1]
    workers.close()


@pytest.mark.parametrize(
    ("learner", "problem"),
    [
        (LBFGS(), problem_of(3, "logistic", tol=1e-7)),
        (Dual(), problem_of(3, "logistic", tol=1e-7)),
        (Dual(), structured("chain", "logistic", tol=1e-7)),
        (FrankWolfe(), structured("trees", "hinge", tol=1e-7)),
    ],
    ids=["lbfgs", "dual", "dual of chains", "frank_wolfe of trees"],
)
def test_a_killed_worker_changes_no_bit_of_what_is_learnt(learner, problem):
    here = learner.solver(replace(problem, engine=engines.Local(2)))
    for _ in range(6):
        here.epoch()
    found = [here.weights().tobytes()]
    for kill in (False, True):
        solver = learner.solver(replace(problem, engine=engines.Ray(2)))
        workers = solver.workers
        for number in range(6):
            if kill and number in (2, 4):
                actor = workers.actors[number // 4]
                process = ray.get(actor.__ray_call__.remote(lambda _: os.getpid()))
                os.kill(process, signal.SIGKILL)
            solver.epoch()
        found.append(solver.weights().tobytes())
        workers.close()
    assert found[0] == found[1] == found[2]


def slept(number: int) -> int:
    time.sleep(0.2 if number == 0 else 0.0)
    return number


def test_tasks_come_in_their_order_whoever_is_done_first():
    assert list(engines.Ray().in_order(slept, [(k,) for k in range(9)])) == [*range(9)]


class Sum:
    """A worker that is told where to get what it adds up."""

    def __init__(self, shared) -> None:
        self.shared = shared

    def total(self) -> float:
        return float(self.shared.get().sum())


def test_what_is_shared_is_found_by_all_and_after_a_worker_was_lost():
    engine = engines.Ray(2)
    shared = engine.shared(np.ones(50_000))
    workers = engine.start(Sum, [(shared,), (shared,)])
    assert workers.each("total") == [50_000.0, 50_000.0]
    process = ray.get(workers.actors[0].__ray_call__.remote(lambda _: os.getpid()))
    os.kill(process, signal.SIGKILL)
    assert workers.each("total") == [50_000.0, 50_000.0]
    workers.close()


class Impossible:
    """A worker that cannot be made."""

    def __init__(self) -> None:
        raise DataError("there is no such file")


def test_what_goes_wrong_while_a_worker_is_made_is_told_as_it_is():
    workers = engines.Ray(1).start(Impossible, [()])
    with pytest.raises(DataError, match="no such file"):
        workers.each("total")
    workers.close()


def test_ray_says_nothing_of_its_own(capfd):
    workers = engines.Ray(2).start(Sum, [(engines.Ray().shared(np.ones(50_000)),)] * 2)
    workers.each("total")
    workers.close()
    assert capfd.readouterr() == ("", "")


def test_what_goes_wrong_there_goes_wrong_here():
    workers = engines.Ray(1).start(Slow, [(1,)])
    with pytest.raises(AttributeError, match="nothing"):
        workers.each("nothing")
    workers.close()
