"""Parameter mixing and averaging."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.engines.problems import SENTENCES, TAGS, TREES, points

from linnet import DependencyParser, LinearClassifier, Tagger, engine
from linnet.data import Trees
from linnet.engines import Local
from linnet.errors import RefusedError
from linnet.features import ArcFeatures
from linnet.learners import Averaging, Learner, Mixing, PassiveAggressive, Perceptron
from linnet.learners.shards import seed_of
from linnet.structures import Problem
from linnet.training.parser import HeadsOf, ParserSettings, tree_problem


def separable(n: int = 80) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, 5))
    X = X[np.abs(X @ np.arange(1.0, 6)) > 2]
    return X, (X @ np.arange(1.0, 6) > 0).astype(int)


def mixed_by_hand(X, y, shards, rounds):
    """McDonald, Hall and Mann (2010), figure 3, in the order that the core takes."""
    w = np.zeros(X.shape[1], np.float32)
    bounds = [(len(X) * s // shards, len(X) * (s + 1) // shards) for s in range(shards)]
    for _ in range(rounds):
        after = []
        for begin, end in bounds:
            v = w.copy()
            for x, label in zip(X[begin:end].astype(np.float32), y[begin:end], strict=True):
                sign = 1 if label else -1
                score = float(np.dot(v.astype(np.float64), x.astype(np.float64)))
                if (score > 0) != (label == 1):
                    v += np.float32(sign) * x
            after.append(v.astype(np.float64))
        w = (sum(after) / shards).astype(np.float32)
    return w


@pytest.mark.parametrize("shards", [1, 2, 5])
def test_mixing_is_what_it_says(shards):
    X, y = separable()
    model = LinearClassifier(
        "perceptron", Mixing(shards=shards), "none", max_iter=3, shuffle=False, fit_intercept=False
    ).fit(X, y)
    expected = mixed_by_hand(X, y, shards, 3)
    np.testing.assert_allclose(model.coef_[0], expected, rtol=1e-5, atol=1e-5)


def test_mixing_separates_what_can_be_separated():
    X, y = separable()
    for inner in ("perceptron", PassiveAggressive(C=1.0), "mira"):
        loss = "perceptron" if inner == "perceptron" else "hinge"
        model = LinearClassifier(loss, Mixing(inner), "none", max_iter=300).fit(X, y)
        assert model.score(X, y) == 1
    assert model.record_.stopped in ("converged", "limit")


def test_one_shard_is_the_learner_itself():
    X, y = points(40, 3)
    settings = {"max_iter": 1, "shuffle": False, "average": True}
    alone = LinearClassifier("perceptron", "perceptron", "none", **settings).fit(X, y)
    mixed = LinearClassifier("perceptron", Mixing("perceptron", 1), "none", **settings).fit(X, y)
    np.testing.assert_allclose(alone.coef_, mixed.coef_, rtol=1e-6)


@pytest.mark.parametrize("name", ["mixing", "averaging"])
def test_both_have_names(name):
    X, y = separable()
    assert LinearClassifier("perceptron", name, "none").fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("inner", ["lbfgs", "dual", "sgd", "perceptron"])
def test_averages_are_means_of_what_shards_learn(inner):
    X, y = points(60, 2)
    loss, penalty = ("perceptron", "none") if inner == "perceptron" else ("logistic", "l2")
    model = LinearClassifier(loss, Averaging(inner, 3), penalty, alpha=None).fit(X, y)
    means = []
    for s in range(3):
        part = slice(20 * s, 20 * (s + 1))
        one = LinearClassifier(loss, inner, penalty, C=3.0 if penalty == "l2" else 1.0)
        means.append(one.fit(X[part], y[part]).coef_)
    np.testing.assert_allclose(model.coef_, np.mean(means, axis=0), atol=2e-3)
    assert len(model.record_.facts["passes_of_shards"]) == 3


def test_the_limit_is_that_of_each_shard():
    X, y = points(60, 2)
    limited = LinearClassifier("logistic", Averaging("sgd", 3), max_iter=4).fit(X, y)
    assert limited.record_.facts["passes_of_shards"] == [4, 4, 4]
    by_itself = LinearClassifier("logistic", Averaging("sgd", 3)).fit(X, y)
    assert by_itself.record_.facts["passes_of_shards"] == [20, 20, 20]
    means = [
        LinearClassifier("logistic", "sgd", C=3.0, max_iter=4).fit(X[s : s + 20], y[s : s + 20]).coef_
        for s in (0, 20, 40)
    ]
    np.testing.assert_allclose(limited.coef_, np.mean(means, axis=0), atol=1e-6)


def test_averages_come_closer_the_more_data_there_are():
    def apart(n: int) -> float:
        X, y = points(n, 2, seed=1)
        settings = {"alpha": 0.01, "tol": 1e-8}
        whole = LinearClassifier("logistic", "lbfgs", **settings).fit(X, y).coef_
        return float(
            np.linalg.norm(
                whole - LinearClassifier("logistic", Averaging("lbfgs", 4), **settings).fit(X, y).coef_
            )
        )

    assert apart(4000) < apart(400) / 2 < apart(80)


def test_taggers_are_mixed():
    model = Tagger(loss="perceptron", learner=Mixing("perceptron", 2)).fit(SENTENCES, TAGS)
    assert [list(tags) for tags in model.predict(SENTENCES)] == TAGS


def test_what_has_a_memory_is_refused():
    X, y = separable()
    with pytest.raises(RefusedError, match=r"goes by more than these.*Averaging"):
        LinearClassifier("logistic", Mixing("sgd")).fit(X, y)
    with pytest.raises(ValueError, match="must not cut it once more"):
        LinearClassifier("perceptron", Mixing(Mixing()), "none").fit(X, y)
    with pytest.raises(ValueError, match="unknown learner 'perceptrons'"):
        LinearClassifier("perceptron", Mixing("perceptrons"), "none").fit(X, y)
    with pytest.raises(RefusedError, match="counts are summed"):
        LinearClassifier("joint_likelihood", Averaging("counting"), "none").fit(np.abs(X), y)


def test_shards_are_said_once():
    X, y = separable()
    model = LinearClassifier("perceptron", Mixing(Perceptron(), 3), "none")
    with engine("local", shards=2), pytest.raises(ValueError, match="the engine has 2"):
        model.fit(X, y)
    with engine("local", shards=3):
        model.fit(X, y)


def joint_problem(trees: Trees, steps: Learner, **settings: Any) -> Problem:
    """Heads together with relations."""
    templates = ["h.upos m.upos", "h.form m.form", "m.form"]
    arcs, joint = (
        ArcFeatures(templates=templates, hash_bits=8).compile(trees.columns) for _ in range(2)
    )
    given = ParserSettings(learner=steps, order=1, **settings)
    return tree_problem(HeadsOf(arcs, None, given, joint)(trees), given)


@pytest.mark.parametrize("steps", [PassiveAggressive(), Perceptron()])
@pytest.mark.parametrize("average", [False, True])
def test_relations_with_heads_on_one_shard_are_those_without_shards(steps, average):
    problem = replace(joint_problem(TREES, steps, average=average), shuffle=False)
    whole, mixed = steps.solver(problem), Mixing(steps, shards=1).solver(problem)
    for number in range(3):
        one, other = whole.epoch(), mixed.epoch()
        assert (one.mistakes, one.updates) == (other.mistakes, other.updates)
        if number == 0 or not average:  # an average of averages rounds otherwise
            assert whole.weights().tobytes() == mixed.weights().astype(np.float32).tobytes()
        else:
            np.testing.assert_allclose(whole.weights(), mixed.weights(), atol=1e-6)
    assert np.abs(mixed.weights()[2**8 + 1 :]).max() > 0  # relations have learnt something


def test_relations_with_heads_are_mixed_over_shards():
    """The mean of what each shard learns by itself from the same weights, by hand."""
    problem = joint_problem(TREES, PassiveAggressive(), average=False)
    mixed = Mixing("pa", shards=3).solver(problem)
    w = np.zeros(problem.structure.layout.dim, np.float32)
    for round_ in (1, 2):
        mixed.epoch()
        parts = []
        for shard, (begin, end) in enumerate(Local(3).cut(len(TREES))):
            trees = TREES.take(range(begin, end))
            part = joint_problem(trees, PassiveAggressive(), average=False)
            part = replace(part, initial=w, seed=seed_of(0, round_, shard))
            solver = PassiveAggressive().solver(part)
            solver.epoch()
            parts.append(solver.weights().astype(np.float64))
        w = (sum(parts) / 3).astype(np.float32)
        assert w.tobytes() == mixed.weights().tobytes()


@pytest.mark.parametrize("learner", ["auto", Mixing("perceptron"), Averaging("pa")])
def test_parsers_on_shards_learn_relations_with_heads(learner):
    with engine("local", shards=2):
        parser = DependencyParser(learner=learner, max_iter=5).fit(TREES)
    assert parser.model_.joint_weights is not None
    assert np.abs(parser.model_.joint_weights).max() > 0
    assert parser.score(TREES) == 1


def test_trees_with_relations_are_sent_as_what_they_are_made_of():
    tree = joint_problem(TREES, PassiveAggressive()).structure
    again = pickle.loads(pickle.dumps(tree.part(2, 5)))
    assert again.size == 3
    assert again.joint.relations.tolist() == tree.part(2, 5).joint.relations.tolist()
    assert again.candidates.tolist() == tree.part(2, 5).candidates.tolist()
