"""Junction trees against all assignments."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.graphs.random_graphs import all_assignments, graphs, shares

import linnet._core as _core
from linnet.errors import DataError
from linnet.graphs import FactorGraph, TooLargeError


def evidence(graph: FactorGraph, seed: int) -> dict:
    rng = np.random.default_rng(seed)
    chosen = [name for name in graph.names if rng.random() < 0.3]
    domains = graph.variables.domains
    return {name: domains[graph.variables.number(name)][0] for name in chosen}


@settings(max_examples=300, deadline=None)
@given(graphs(), st.integers(0, 1000))
def test_sums_and_maxima_are_those_of_all_assignments(graph: FactorGraph, seed: int) -> None:
    known = evidence(graph, seed)
    codes, scores = all_assignments(graph, known)
    answers = graph.given(known)
    if scores.max() == -math.inf:
        assert answers.log_partition == -math.inf
        for ask in (answers.marginals, answers.best, answers.entropy, lambda: answers.sample(1)):
            with pytest.raises(DataError, match="no assignment is possible"):
                ask()
        return
    p = shares(scores)
    total = scores.max() + math.log(np.exp(scores - scores.max()).sum())
    assert answers.log_partition == pytest.approx(total, abs=1e-10)
    marginals = answers.marginals()
    for v, name in enumerate(graph.names):
        expected = np.bincount(codes[:, v], weights=p, minlength=graph.sizes[v])
        np.testing.assert_allclose(marginals[name], expected, atol=1e-12)
    best, value = answers.best()
    assert value == pytest.approx(scores.max(), abs=1e-10)
    assert graph.score(best) == pytest.approx(scores.max(), abs=1e-10)
    positive = p[p > 0]
    assert answers.entropy() == pytest.approx(float(-(positive * np.log(positive)).sum()), abs=1e-9)


@settings(max_examples=100, deadline=None)
@given(graphs(), st.integers(1, 12))
def test_the_k_best_are_the_k_best(graph: FactorGraph, k: int) -> None:
    _, scores = all_assignments(graph)
    expected = np.sort(scores[scores > -math.inf])[::-1][:k]
    found = graph.kbest(k)
    np.testing.assert_allclose([score for _, score in found], expected, atol=1e-10)
    assert len({tuple(one.values()) for one, _ in found}) == len(found)
    for one, score in found:
        assert graph.score(one) == pytest.approx(score, abs=1e-10)


@settings(max_examples=100, deadline=None)
@given(graphs(), st.integers(0, 1000))
def test_queries_and_cliques_and_factors(graph: FactorGraph, seed: int) -> None:
    codes, scores = all_assignments(graph)
    if scores.max() == -math.inf:
        return
    p = shares(scores)

    def expected(names: list) -> np.ndarray:
        numbers = [graph.variables.number(name) for name in names]
        table = np.zeros([graph.sizes[v] for v in numbers])
        np.add.at(table, tuple(codes[:, numbers].T), p)
        return table

    rng = np.random.default_rng(seed)
    asked = [graph.names[v] for v in rng.permutation(len(graph.names))[: rng.integers(1, 4)]]
    np.testing.assert_allclose(graph.query(asked), expected(asked), atol=1e-12)
    answers = graph.given()
    for names, table in answers.clique_marginals():
        np.testing.assert_allclose(table, expected(names), atol=1e-12)
    scopes = [[graph.names[v] for v in row] for block in graph.factors for row in block.scopes]
    for names, table in zip(scopes, answers.factor_marginals(), strict=False):
        np.testing.assert_allclose(table, expected(names), atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(graphs(zeros=False), st.integers(0, 1000))
def test_the_kernel_is_the_generic_recursion(graph: FactorGraph, seed: int) -> None:
    packed = graph.packed
    shape = _core.graph_shape(packed.sizes, packed.starts, packed.members)
    kernel, sweep = _core.GraphOracle(shape), _core.GraphSweep(shape)
    rng = np.random.default_rng(seed)
    theta = rng.normal(scale=3, size=len(packed.entries))
    for ring in ("max", "log"):
        (a, mu), (b, nu) = kernel.solve(ring, theta), sweep.solve(ring, theta)
        assert a == pytest.approx(b, abs=1e-10)
        np.testing.assert_allclose(mu, nu, atol=1e-12)
    tangent = rng.normal(size=len(theta))
    step = 1e-6
    ends = [kernel.solve("log", theta + sign * step * tangent)[1] for sign in (1, -1)]
    slope = (ends[0] - ends[1]) / (2 * step)
    np.testing.assert_allclose(kernel.marginals_along(theta, tangent), slope, atol=1e-6)
    value, mu = kernel.solve("log", theta)
    for p in rng.integers(0, len(theta), 3):
        moved = theta.copy()
        moved[p] += step
        assert (kernel.solve("log", moved)[0] - value) / step == pytest.approx(mu[p], abs=1e-4)


def test_samples_have_the_probabilities_of_assignments() -> None:
    graph = FactorGraph().add_variables(3, 2)
    rng = np.random.default_rng(0)
    graph.add_factors([[0, 1], [1, 2], [0, 2]], np.exp(rng.normal(size=(3, 2, 2))))
    codes, scores = all_assignments(graph)
    drawn = graph.sample(20000, seed=1) @ [4, 2, 1]
    found = np.bincount(drawn, minlength=8) / 20000
    np.testing.assert_allclose(found[codes @ [4, 2, 1]], shares(scores), atol=0.015)
    assert (graph.sample(5, given={1: 1}, seed=2)[:, 1] == 1).all()
    np.testing.assert_array_equal(graph.sample(9, seed=3), graph.sample(9, seed=3))


@pytest.mark.parametrize("scale", [1e-5, 1e-60, 1e-200])
def test_beyond_the_range_of_numbers_logarithms_are_summed(scale: float) -> None:
    """Two sides that each think the other's values next to impossible."""
    n = 40
    graph = FactorGraph().add_variables(n, 2)
    graph.add_factors([[i, i + 1] for i in range(n - 1)], [[1.0, 1e-3], [1e-3, 1.0]])
    graph.add_factors([[i] for i in range(0, n, 2)], [1.0, scale])
    graph.add_factors([[i] for i in range(1, n, 2)], [scale, 1.0])
    forward = np.zeros(2)  # the chain in log space, by hand
    pair = np.log([[1.0, 1e-3], [1e-3, 1.0]])
    for i in range(n):
        own = np.array([0.0, math.log(scale)]) if i % 2 == 0 else np.array([math.log(scale), 0.0])
        forward = own if i == 0 else np.logaddexp(forward[0] + pair[0], forward[1] + pair[1]) + own
    assert graph.log_partition() == pytest.approx(float(np.logaddexp(*forward)), rel=1e-12)
    for share in graph.marginals().values():
        assert share.sum() == pytest.approx(1)


def test_tiny_tables_that_contradict_each_other_are_not_lost() -> None:
    graph = FactorGraph().add_variables(2, 2)
    graph.add_factor([0], [1.0, 1e-300])
    graph.add_factor([0, 1], [[1e-300, 0.0], [0.0, 1.0]])
    graph.add_factor([1], [1e-300, 1e-200])
    graph.add_factor([1], [1e-300, 1e-300])
    expected = np.logaddexp(-900 * math.log(10), -800 * math.log(10))
    assert graph.log_partition() == pytest.approx(expected, rel=1e-12)
    assert graph.marginals()[1][1] == pytest.approx(1.0)


def test_trees_are_linear_in_their_size() -> None:
    n = 100_000
    rng = np.random.default_rng(0)
    for above in (
        np.zeros(n - 1, int),
        np.arange(n - 1),
        (rng.random(n - 1) * np.arange(1, n)).astype(int),
    ):
        graph = FactorGraph.from_edges(
            np.stack([above, np.arange(1, n)], axis=1), 2, np.ones((n, 2)), [[2.0, 1.0], [1.0, 2.0]]
        )
        answers = graph.given()
        assert answers.tree["entries"] <= 4 * n
        assert answers.log_partition == pytest.approx(math.log(2) + (n - 1) * math.log(3))


def test_tables_too_large_are_refused_beforehand() -> None:
    side = 60
    graph = FactorGraph.grid(side, side, 3, np.ones((side, side, 3)), np.ones((3, 3)))
    with pytest.raises(
        TooLargeError, match=r"entries, .* in the largest alone, over \d+ variables"
    ) as e:
        graph.marginals()
    assert e.value.entries > 1e9
    assert set(e.value.variables) <= set(graph.names)
    small = FactorGraph.grid(4, 4, 3, np.ones((4, 4, 3)), np.ones((3, 3)))
    with pytest.raises(TooLargeError):
        _ = small.given(max_entries=100).log_partition
    with pytest.raises(TooLargeError, match="ask for fewer"):
        small.given(max_entries=10**6).query(small.names)


def test_more_variables_than_32_in_a_graph_and_many_in_a_clique() -> None:
    n = 20
    graph = FactorGraph().add_variables(n + 40, 2)
    pairs = [[i, j] for i in range(n) for j in range(i)]
    graph.add_factors(pairs, [[2.0, 1.0], [1.0, 2.0]])
    graph.add_factors([[i, i + 1] for i in range(n, n + 39)], [[2.0, 1.0], [1.0, 2.0]])
    assert graph.given().tree["largest"] == 2**n
    assert graph.marginals()[0][0] == pytest.approx(0.5)
