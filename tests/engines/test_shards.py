"""What is learnt on shards of the data, in this process."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression as Peer
from tests.engines.problems import SENTENCES, TAGS, TEXTS, TREES, points

import linnet._core as _core
from linnet import DependencyParser, LinearClassifier, Tagger, TextClassifier, engine, engines, learners
from linnet.data import as_rows
from linnet.errors import RefusedError
from linnet.learners.shards import SummedObjective
from linnet.structures import Binary, Chain, Multiclass, Problem


def problem_of(labels: int, loss: str = "logistic", n: int = 40, **settings) -> Problem:
    X, y = points(n, labels)
    structure = Binary(as_rows(X, 1.0), y) if labels == 2 else Multiclass(as_rows(X, 1.0), y, labels)
    common = {"l1": 0.0, "l2": 1.0, "C": 1.0, "tol": 1e-8, "seed": 0} | settings
    return Problem(structure, loss, "l2", np.linspace(0.5, 2, n), **common)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("shards", [1, 2, 4])
@pytest.mark.parametrize("free", [False, True])
def test_summed_gradients_are_those_of_the_whole(labels, shards, free):
    problem = problem_of(labels, penalize_intercept=not free)
    whole = _core.BatchObjective(problem.data(problem.costs), "logistic", 1.0, not free, 1, 1.0)
    summed = SummedObjective(engines.Local(shards), problem).core()
    w, v = np.random.default_rng(1).normal(size=(2, whole.dim))
    value, gradient = summed.evaluate(w)
    expected, slope = whole.evaluate(w)
    assert value == pytest.approx(expected, rel=1e-13)
    np.testing.assert_allclose(gradient, slope, rtol=1e-12, atol=1e-12)
    if shards == 1:
        assert gradient.tobytes() == slope.tobytes()
    np.testing.assert_allclose(summed.hessian_times(v), whole.hessian_times(v), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(
        summed.hessian_diagonal(), whole.hessian_diagonal(), rtol=1e-11, atol=1e-11
    )


def test_threads_change_no_bit():
    X, y = points(60, 3)
    found = []
    for jobs in (1, 2, 4):
        with engine("local", shards=4):
            found.append(LinearClassifier(learner="lbfgs", n_jobs=jobs, tol=1e-6).fit(X, y).coef_)
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()


@pytest.mark.parametrize("learner", ["lbfgs", "newton", "cg", "dual"])
@pytest.mark.parametrize("labels", [2, 4])
@pytest.mark.parametrize("shards", [1, 3])
def test_logistic_regression_agrees_with_scikit_learn(learner, labels, shards):
    X, y = points(60, labels)
    with engine("local", shards=shards):
        model = LinearClassifier(learner=learner, tol=1e-9, max_iter=3000, fit_intercept=False).fit(
            X, y
        )
    peer = Peer(fit_intercept=False, tol=1e-10, max_iter=5000).fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=3e-4)


@pytest.mark.parametrize(("loss", "labels"), [("hinge", 2), ("squared_hinge", 2), ("hinge", 3)])
def test_svms_end_where_one_machine_ends(loss, labels):
    X, y = points(60, labels)
    settings = {"loss": loss, "learner": "dual", "tol": 1e-3, "max_iter": 5000}
    whole = LinearClassifier(**settings).fit(X, y).record_
    with engine("local", shards=3):
        parts = LinearClassifier(**settings).fit(X, y).record_
    assert parts.stopped == "converged"
    assert parts.epochs[-1].objective == pytest.approx(whole.epochs[-1].objective, rel=2e-3)


@settings(max_examples=30, deadline=None)
@given(
    loss=st.sampled_from(["hinge", "squared_hinge", "logistic"]),
    labels=st.integers(2, 5),
    n=st.integers(2, 30),
    shards=st.integers(1, 5),
    C=st.sampled_from([0.01, 1.0, 30.0]),
)
def test_gaps_of_shards_are_bounds(loss, labels, n, shards, C):
    if loss == "squared_hinge":
        labels = 2
    problem = problem_of(labels, loss, n, C=C)
    solver = learners.Dual()._on_shards(problem, engines.Local(shards))
    whole = learners.Dual().solver(problem)
    for _ in range(300):
        if whole.epoch().converged:
            break
    best = whole.certify()
    before = -np.inf
    for _ in range(10):
        stats = solver.epoch()
        assert stats.gap >= -1e-9 * stats.objective
        assert stats.dual <= best.objective * (1 + 1e-9)
        assert stats.objective >= best.dual * (1 - 1e-9)
        assert stats.dual >= before - 1e-5 * abs(best.objective)
        before = stats.dual


@pytest.mark.parametrize("shards", [1, 2, 4])
def test_counts_are_the_same_to_the_bit(shards):
    X, y = points(50, 3)
    X = (X > 0).astype(np.float32)
    alone = LinearClassifier(loss="joint_likelihood", penalty="none").fit(X, y).coef_
    with engine("local", shards=shards):
        parts = LinearClassifier(loss="joint_likelihood", penalty="none").fit(X, y).coef_
    assert alone.tobytes() == parts.tobytes()


@pytest.mark.parametrize("known", ["all", "some", "none"])
def test_expected_counts_are_summed(known):
    rng = np.random.default_rng(3)
    offsets = np.arange(0, 61, 5, dtype=np.int64)
    words = rng.integers(0, 7, 60)
    labels = rng.integers(0, 3, 60).astype(np.int32)
    if known != "all":
        labels[20 if known == "some" else 0 :] = -1
    rows = as_rows(np.eye(7, dtype=np.float32)[words], 0.0)
    chain = Chain(rows, offsets, labels, 3, ends=True)
    common = {"l1": 0.0, "l2": 0.0, "C": 1.0, "tol": 0.0, "seed": 5}
    problem = Problem(chain, "joint_likelihood", "none", np.ones(12), **common)
    whole, parts = learners.EM().solver(problem), None
    parts = learners.EM().solver(_on(problem, 3))
    for _ in range(4):
        one, other = whole.epoch(), parts.epoch()
        assert one.objective == pytest.approx(other.objective, rel=1e-12)
    np.testing.assert_allclose(whole.weights(), parts.weights(), rtol=1e-9, atol=1e-9)


def _on(problem: Problem, shards: int) -> Problem:
    return replace(problem, engine=engines.Local(shards))


def test_texts_sentences_and_trees_are_learnt_on_shards():
    with engine("local", shards=2):
        text = TextClassifier().fit(*TEXTS)
        tagger = Tagger().fit(SENTENCES, TAGS)
        parser = DependencyParser().fit(TREES)
    assert text.score(*TEXTS) == 1
    assert tagger.record_.learner == "lbfgs"
    assert [list(tags) for tags in tagger.predict(SENTENCES)] == TAGS
    assert parser.record_.learner == "mixing"
    assert parser.model_.order in (1, 2)


@pytest.mark.parametrize("learner", ["sgd", "adagrad", "arow", "winnow", "voted", "coordinate", "gis"])
def test_sequential_learners_say_so(learner):
    X, y = points(20, 2)
    loss = {"winnow": "perceptron", "voted": "perceptron", "arow": "hinge"}.get(learner)
    penalty = {"coordinate": "l1", "gis": "l2"}.get(learner, "none")
    model = LinearClassifier(loss or "logistic", learner, penalty)
    with engine("local", shards=2), pytest.raises(RefusedError, match="does not learn on shards"):
        model.fit(np.abs(X), y)


@pytest.mark.parametrize("engine_", ["spark", None, 3, "ray:x"])
def test_unknown_engines_are_named(engine_):
    with pytest.raises(ValueError, match="engine must be 'local', 'ray'"):
        engines.resolve(engine_)


def test_shards_are_checked():
    with engine("local", shards=0), pytest.raises(ValueError, match="shards must be a whole number"):
        LinearClassifier(learner="lbfgs").fit(*points(10, 2))
    assert engines.Local(7).cut(3) == [(0, 1), (1, 2), (2, 3)]
    assert engines.Local(3).cut(0) == [(0, 0)]


def test_the_engine_is_in_use_within_only():
    with engine("local", shards=2) as found:
        assert engines.in_use() is found
    assert engines.in_use() is None


def test_rows_are_sent_as_they_are():
    X, _ = points(9, 2)
    rows = pickle.loads(pickle.dumps(as_rows(X.astype(np.float32), 0.5)))
    assert (rows.size, rows.features, rows.bias) == (9, X.shape[1], 0.5)
    _, _, values = rows.arrays(0, 9)
    assert values.tobytes() == X.astype(np.float32).tobytes()
    with pytest.raises(ValueError, match="no such rows"):
        rows.arrays(3, 10)


@pytest.mark.parametrize(
    ("loss", "learner", "penalty"),
    [
        ("logistic", "lbfgs", "l2"),
        ("logistic", "newton", "l2"),
        ("hinge", "dual", "l2"),
        ("perceptron", "mixing", "none"),
        ("perceptron", "averaging", "none"),
        ("joint_likelihood", "counting", "none"),
    ],
)
def test_states_go_on_to_the_bit(loss, learner, penalty):
    problem = _on(replace(problem_of(3, loss), penalty=penalty, average=learner == "mixing"), 3)
    if learner == "counting":
        rows = as_rows(np.abs(points(40, 3)[0]), 1.0)
        problem = replace(problem, structure=replace(problem.structure, rows=rows))
    made = learners.LEARNERS[learner]()
    whole, first = made.solver(problem), made.solver(problem)
    for _ in range(4):
        whole.epoch()
    for _ in range(2):
        first.epoch()
    again = made.solver(problem)
    again.restore({name: np.array(value) for name, value in first.state().items()})
    if learner in ("averaging", "counting"):  # done after one
        assert again.weights().tobytes() == first.weights().tobytes()
        return
    for _ in range(2):
        again.epoch()
    assert again.weights().tobytes() == whole.weights().tobytes()
