"""GraphModel: equal to chains where graphs are chains, honest elsewhere, and whole after saving."""

import math
import weakref
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import linnet
from linnet.data import as_rows
from linnet.errors import DataError, RefusedError
from linnet.graphs import Answers
from linnet.structures import Chain, Graph, GraphBlock, Problem
from linnet.training import Stopping, train

from ..grid.cells import graphs, networks, tagged, words


def problem_of(structure: object, loss: str = "logistic", **settings: object) -> Problem:
    given = {"penalty": "l2", "l1": 0.0, "l2": 1.0, "C": 1.0, "tol": 1e-10, "seed": 0} | settings
    return Problem(structure, loss, weights=np.ones(structure.size), **given)


def chain_and_graph() -> tuple[Chain, Graph]:
    """The same sentences both ways, some of their tags missing."""
    from tests import problems

    data = problems.tagging()
    labels = np.asarray(data.y, np.int32).copy()
    labels[::7] = -1
    offsets = np.asarray(data.offsets, np.int64)
    rows = as_rows(data.X, 1.0)
    chain = Chain(rows, offsets, labels, data.labels)
    lengths = np.diff(offsets)
    places = np.concatenate([np.arange(n) for n in lengths]).astype(np.int32)
    pairs = np.concatenate([np.stack([np.arange(n - 1), np.arange(1, n)], 1) for n in lengths])
    starts = np.concatenate([[0], np.cumsum(lengths - 1)]).astype(np.int64)
    from scipy import sparse

    empty = as_rows(sparse.csr_matrix((len(pairs), 0)), 1.0)
    tokens = GraphBlock("tokens", rows, (data.labels,), offsets, places[:, None])
    square = (data.labels, data.labels)
    moves = GraphBlock("transitions", empty, square, starts, np.ascontiguousarray(pairs, np.int32))
    sizes = np.full(len(labels), data.labels, np.int32)
    given = np.zeros(len(labels), np.uint8)
    return chain, Graph((tokens, moves), offsets, sizes, labels, given)


@pytest.mark.filterwarnings("ignore:.*has not converged")
@pytest.mark.parametrize("learner", ["sgd", "adagrad"])
def test_chains_as_graphs_are_chains(learner: str) -> None:
    chain, graph = chain_and_graph()
    found = []
    for structure in (chain, graph):
        trained = train(linnet.learners.LEARNERS[learner](), problem_of(structure), Stopping(15))
        found.append(structure.layout.parts(np.asarray(trained.learnt.weights, np.float64)))
    one, other = found
    np.testing.assert_allclose(one["tokens"], other["tokens"], atol=2e-5)
    np.testing.assert_allclose(one["transitions"].ravel(), other["transitions"].ravel(), atol=2e-5)


def test_both_have_the_same_minimum() -> None:
    chain, graph = chain_and_graph()
    whole = np.where(chain.labels < 0, 0, chain.labels).astype(np.int32)  # convex: all is known
    least = [
        train(linnet.learners.LEARNERS["lbfgs"](), problem_of(one, tol=1e-7), Stopping(500))
        for one in (replace(chain, labels=whole, all_states=True), replace(graph, values=whole))
    ]
    first, second = (one.record.epochs[-1].objective for one in least)
    assert first == pytest.approx(second, rel=1e-7)


def test_the_gradient_is_that_of_the_objective() -> None:
    """Hidden values are summed out: clamped sums against finite differences."""
    import linnet._core as _core

    _, graph = chain_and_graph()
    data = graph.dataset(np.ones(graph.size))
    rng = np.random.default_rng(0)
    w = rng.normal(size=data.dim) * 0.3
    counts, total = np.zeros(data.dim), []

    def log_likelihood(at: np.ndarray) -> float:
        found = _core.expected_counts(data, at, 1)
        return float(found[1])

    counts = np.asarray(_core.expected_counts(data, w, 1)[0])
    for j in rng.integers(0, data.dim, 20):
        step = np.zeros(data.dim)
        step[j] = 1e-5
        total.append((log_likelihood(w + step) - log_likelihood(w - step)) / 2e-5)
        assert total[-1] == pytest.approx(counts[j], abs=1e-4)


def test_a_hidden_markov_model_as_a_graph_has_the_same_numbers() -> None:
    X, y = tagged()
    events = words(X)
    model = linnet.GraphModel("joint_likelihood", penalty="none").fit(*networks(events, y))
    assert model.record_.learner == "counting"
    tags, known = sorted({t for s in y for t in s}), sorted({w for s in events for w in s})
    pairs = np.zeros((len(tags), len(tags)))
    emitted = np.zeros((len(tags), len(known)))
    for sentence, labels in zip(events, y, strict=True):
        for a, b in pairwise(labels):
            pairs[tags.index(a), tags.index(b)] += 1
        for word, label in zip(sentence, labels, strict=True):
            emitted[tags.index(label), known.index(word)] += 1
    smooth = (pairs + 1) / (pairs + 1).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(model.model_["next"][0]), smooth, rtol=1e-6)
    smooth = (emitted + 1) / (emitted + 1).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(model.model_["word"][0]), smooth, rtol=1e-6)


def test_em_fills_in_what_is_missing_and_never_gets_worse() -> None:
    X, y = networks(words(tagged()[0]), tagged()[1])
    some = [dict(list(one.items())[::2]) for one in y]
    model = linnet.GraphModel("joint_likelihood", penalty="none", max_iter=15).fit(X, some)
    assert model.record_.learner == "em"
    objectives = [epoch.objective for epoch in model.record_.epochs]
    assert len(objectives) > 2
    assert all(b <= a + 1e-9 * abs(a) for a, b in pairwise(objectives))
    for table in model.model_.values():
        np.testing.assert_allclose(np.exp(table[0]).sum(axis=-1), 1, rtol=1e-6)


def mixtures(count: int) -> tuple[list[linnet.FactorGraph], list[dict], float]:
    """Three coins that fall alike as a fourth one says, which nobody sees; Σ log P of the coins."""
    rng = np.random.default_rng(0)
    graph = linnet.FactorGraph().add_variable("hidden", 2).add_variables("abc", 2)
    graph.add_factors([[0]], template="hidden").add_factors([[0, 1], [0, 2], [0, 3]], template="coin")
    X, y, total = [graph] * count, [], 0.0
    for _ in range(count):
        heads = rng.random(3) < (0.9 if rng.random() < 0.4 else 0.1)
        shares = [0.4 * 0.9 ** heads.sum() * 0.1 ** (~heads).sum()]
        shares.append(0.6 * 0.1 ** heads.sum() * 0.9 ** (~heads).sum())
        total += math.log(sum(shares))
        y.append(dict(zip("abc", heads.astype(int).tolist(), strict=True)))
    return X, y, total


@pytest.mark.parametrize("learner", ["lbfgs", "owlqn", "sgd", "adagrad"])
def test_hidden_variables_are_found_by_weights(learner: str) -> None:
    """From equal weights all gradients are equal, and the coins would be three apart."""
    X, y, truth = mixtures(300)
    penalty = "l1" if learner == "owlqn" else "l2"
    model = linnet.GraphModel("logistic", learner, penalty, C=10, random_state=1).fit(X, y)
    assert model.log_likelihood(X, y).sum() > truth - 3
    apart = sum(
        math.log(np.mean([one[name] == value for one in y]))
        for known in y
        for name, value in known.items()
    )
    assert truth > apart + 50
    again = linnet.GraphModel("logistic", learner, penalty, C=10, random_state=1).fit(X, y)
    for name, table in model.model_.items():
        np.testing.assert_array_equal(table, again.model_[name])


def test_learners_that_certify_refuse_approximate_sums() -> None:
    X, y = graphs(*tagged())
    for learner in ("lbfgs", "frank_wolfe", "newton"):
        loss = "hinge" if learner == "frank_wolfe" else "logistic"
        with pytest.raises(RefusedError, match="could tell no gap and no convergence"):
            linnet.GraphModel(loss, learner, inference="loopy").fit(X, y)
    model = linnet.GraphModel(inference="loopy", max_iter=3).fit(X, y)
    assert model.record_.learner == "sgd"
    assert all(math.isnan(epoch.gap) for epoch in model.record_.epochs if epoch.gap is not None)


def test_answers_files_and_explanations(tmp_path) -> None:
    X, y = graphs(*tagged())
    model = linnet.GraphModel(C=1.0).fit(X, y)
    best = model.predict(X[:3])
    model.save(tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    assert again.predict(X[:3]) == best
    for name, table in model.model_.items():
        np.testing.assert_array_equal(again.model_[name], table)
    marginals = model.marginals(X[:1])[0]
    assert set(marginals) == set(X[0].names)
    assert all(p.sum() == pytest.approx(1) for p in marginals.values())
    (first, top), (_, second) = model.kbest(X[:1], 2)[0]
    assert first == best[0]
    assert top >= second
    drawn = model.sample(X[:1], 400, seed=1)[0]
    share = np.mean([one[0] == best[0][0] for one in drawn])
    domain = X[0].variables.domains[0]
    assert share == pytest.approx(marginals[0][domain.index(best[0][0])], abs=0.1)
    told = model.explain(X[0], k=1000)
    total = sum(one["score"] for one in told)
    graph = model.graph(X[0])
    other = dict(best[0]) | {0: next(v for v in domain if v != best[0][0])}
    rival = sum(one["score"] for one in model.explain(X[0], other, k=1000))
    assert total - rival == pytest.approx(graph.score(best[0]) - graph.score(other))
    assert top == pytest.approx(total)  # what k best assignments have is w · f(x, y)
    likely = model.log_likelihood(X[:2], y[:2])
    assert (likely < 0).all()
    partly = model.log_likelihood(X[:1], [{0: y[0][0], 1: None}])[0]
    assert math.exp(partly) == pytest.approx(marginals[0][domain.index(y[0][0])])


def test_bad_input() -> None:
    X, y = graphs(*tagged())
    model = linnet.GraphModel()
    with pytest.raises(DataError, match="give a list of graphs"):
        model.fit(X[0], y[:1])
    with pytest.raises(DataError, match=r"X\[0\] must be a FactorGraph"):
        model.fit(["no"], [{}])
    with pytest.raises(DataError, match="y has 1 entries"):
        model.fit(X[:2], y[:1])
    with pytest.raises(DataError, match="graph 0: variable 0 has no value 'zz'"):
        model.fit(X[:1], [{0: "zz"}])
    with pytest.raises(DataError, match=r"y\[0\] must be a mapping"):
        model.fit(X[:1], [["a"]])
    with pytest.raises(DataError, match="tables of their own"):
        model.fit([linnet.FactorGraph().add_variables(1, 2).add_factors([[0]], np.ones((1, 2)))], [{}])
    with pytest.raises(ValueError, match="inference must be"):
        linnet.GraphModel(inference="magic").fit(X, y)
    with pytest.raises(ValueError, match="is of inference='loopy' alone"):
        linnet.GraphModel(damping=0.5).fit(X, y)
    with pytest.raises(DataError, match="X is empty"):
        model.fit([], [])
    fitted = linnet.GraphModel().fit(X[:5], y[:5])
    strange = linnet.FactorGraph().add_variables(1, 2).add_factors([[0]], template="other")
    with pytest.raises(DataError, match="'other', which was not learnt"):
        fitted.predict([strange])
    with pytest.raises(RefusedError, match="conditional=True"):
        linnet.GraphModel("joint_likelihood", penalty="none").fit(X, y)
    side = 40
    large = linnet.FactorGraph().add_variables(side * side, 3)
    number = np.arange(side * side).reshape(side, side)
    for a, b in ((number[:, :-1], number[:, 1:]), (number[:-1], number[1:])):
        large.add_factors(np.stack([a.ravel(), b.ravel()], 1), template="pair")
    with pytest.raises(ValueError, match=r"graph 0: .* variables, by number: .* use inference='loopy'"):
        model.fit([large], [dict.fromkeys(range(side * side), 0)])
    value, other = X[0].variables.domains[0][:2]
    with pytest.raises(DataError, match=rf"y\[0\] tells 0 to be '{value}', but '{other}' is given"):
        model.fit([(X[0], {0: other})], [{0: value}])
    with pytest.raises(DataError, match="one non-negative number per graph"):
        model.fit(X[:2], y[:2], sample_weight=[1.0, math.inf])
    with pytest.raises(DataError, match="y tells no variable"):
        model.fit(X[:1], [{0: None}])
    with pytest.raises(DataError, match="y must be a list of mappings"):
        model.fit(X[:1], 5)
    with pytest.raises(DataError, match="sample_weight must be an array of numbers"):
        model.fit(X[:1], y[:1], sample_weight="heavy")
    with pytest.raises(RefusedError, match="leave out inference='loopy'"):
        linnet.GraphModel("joint_likelihood", penalty="none", inference="loopy").fit(X[:1], y[:1])
    with pytest.raises(DataError, match="y has 1 entries"):
        fitted.log_likelihood(X[:2], y[:1])
    with pytest.raises(ValueError, match="k must be a whole number"):
        fitted.explain(X[0], k=-1)


def test_loopy_models_answer_by_beliefs() -> None:
    rng = np.random.default_rng(0)
    X, y = [], []
    for _ in range(12):
        truth = (np.add.outer(np.arange(5), np.arange(5)) > rng.integers(2, 7)).astype(int)
        seen = np.where(rng.random((5, 5)) < 0.2, 1 - truth, truth).ravel()
        graph = linnet.FactorGraph().add_variables(25, 2)
        number = np.arange(25).reshape(5, 5)
        graph.add_factors(
            number.reshape(-1, 1), template="pixel", features=[[f"seen={s}"] for s in seen]
        )
        for a, b in ((number[:, :-1], number[:, 1:]), (number[:-1], number[1:])):
            graph.add_factors(np.stack([a.ravel(), b.ravel()], 1), template="pair")
        X.append(graph)
        y.append(dict(enumerate(truth.ravel().tolist())))
    exact = linnet.GraphModel(C=10).fit(X, y)
    loopy = linnet.GraphModel(C=10, inference="loopy", max_iter=60, damping=0.1).fit(X, y)
    assert exact.score(X, y) > 0.9
    assert loopy.score(X, y) > 0.88
    assert set(loopy.marginals(X[:1])[0]) == set(range(25))


def test_the_tables_of_one_graph_are_gone_before_the_next(monkeypatch) -> None:
    X, y = graphs(*tagged())
    model = linnet.GraphModel().fit(X, y)
    alive: weakref.WeakSet[Answers] = weakref.WeakSet()
    most, best = [0], Answers.best

    def counted(self: Answers, **how: str) -> tuple[dict, float]:
        alive.add(self)
        most.append(len(alive))
        return best(self, **how)

    monkeypatch.setattr(Answers, "best", counted)
    assert len(model.predict(X)) == len(X)
    assert max(most) <= 2
