"""Belief propagation and cuts: exact where they should be, and honest where they are not."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.graphs.random_graphs import all_assignments, graphs

from linnet.errors import DataError
from linnet.graphs import FactorGraph

SCHEDULES = ("residual", "sequential", "flooding")


@settings(max_examples=60, deadline=None)
@given(
    graphs(largest=8, zeros=False, tree=True), st.sampled_from(SCHEDULES), st.sampled_from((0.0, 0.3))
)
def test_on_trees_it_is_the_junction_tree(graph: FactorGraph, schedule: str, damping: float) -> None:
    found = graph.beliefs(schedule=schedule, damping=damping, max_rounds=500, tol=1e-13)
    assert found.settled
    assert found.exact
    exact = graph.marginals()
    for name, belief in found.marginals().items():
        np.testing.assert_allclose(belief, exact[name], atol=1e-9)
    assert found.log_partition == pytest.approx(graph.log_partition(), abs=1e-8)


@settings(max_examples=60, deadline=None)
@given(graphs(largest=8, zeros=False, tree=True), st.sampled_from(SCHEDULES))
def test_on_trees_the_best_values_are_the_best_assignment(graph: FactorGraph, schedule: str) -> None:
    found = graph.beliefs(schedule=schedule, maximise=True, max_rounds=500, tol=1e-13)
    assert graph.score(found.best()) == pytest.approx(graph.best()[1], abs=1e-8)
    with pytest.raises(DataError, match="know nothing of sums"):
        _ = found.log_partition


def test_with_cycles_it_is_close_and_never_called_exact() -> None:
    rng = np.random.default_rng(0)
    graph = FactorGraph.grid(6, 6, 2, rng.uniform(0.5, 1.5, (6, 6, 2)), [[1.3, 1.0], [1.0, 1.3]])
    exact = graph.marginals()
    for schedule in SCHEDULES:
        found = graph.beliefs(schedule=schedule)
        assert found.settled
        assert not found.exact
        worst = max(np.abs(belief - exact[name]).max() for name, belief in found.marginals().items())
        assert 0 < worst < 0.02
    hasty = graph.beliefs(schedule="flooding", max_rounds=1)
    assert not hasty.settled
    assert hasty.change > 1e-6


def test_evidence_clamps_beliefs() -> None:
    rng = np.random.default_rng(1)
    graph = FactorGraph.grid(3, 3, 3, rng.uniform(0.5, 1.5, (3, 3, 3)), np.eye(3) + 1)
    found = graph.beliefs({(1, 1): 2}).marginals()
    assert found[1, 1].tolist() == [0, 0, 1]
    exact = graph.marginals({(1, 1): 2})
    np.testing.assert_allclose(found[0, 0], exact[0, 0], atol=0.02)


def test_settings_of_propagation_are_checked() -> None:
    graph = FactorGraph().add_variables(2, 2).add_factors([[0, 1]], np.ones((2, 2)))
    with pytest.raises(ValueError, match="damping"):
        graph.beliefs(damping=1.0)
    with pytest.raises(ValueError, match="schedule must be one of"):
        graph.beliefs(schedule="fast")
    with pytest.raises(ValueError, match="max_rounds"):
        graph.beliefs(max_rounds=0)
    torn = FactorGraph().add_variables(1, 2)
    torn.add_factor([0], [1.0, 0.0]).add_factor([0], [0.0, 1.0])
    with pytest.raises(ValueError, match="contradict"):
        torn.beliefs().marginals()


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_cut_is_the_best_assignment(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    graph = FactorGraph().add_variables(n, 2)
    graph.add_factors(np.arange(n).reshape(-1, 1), np.exp(rng.normal(size=(n, 2))))
    pairs = [[i, j] for i in range(n) for j in range(n) if i != j and rng.random() < 0.4]
    if pairs:
        logs = rng.normal(size=(len(pairs), 2, 2))
        gap = logs[:, 0, 1] + logs[:, 1, 0] - logs[:, 0, 0] - logs[:, 1, 1]
        logs[:, 0, 0] += np.maximum(gap, 0)
        graph.add_factors(pairs, np.exp(logs))
    given = {0: 1} if rng.random() < 0.3 else None
    _, scores = all_assignments(graph, given)
    best, value = graph.best(given, method="cut")
    assert value == pytest.approx(scores.max(), abs=1e-9)
    assert graph.score(best) == pytest.approx(value, abs=1e-9)


def test_a_picture_is_cut_where_no_table_would_fit() -> None:
    rng = np.random.default_rng(0)
    side = 64
    picture = np.zeros((side, side), int)
    picture[16:48, 20:40] = 1
    noisy = np.where(rng.random((side, side)) < 0.2, 1 - picture, picture)
    unary = np.where(noisy[..., None] == np.arange(2), 0.8, 0.2)
    graph = FactorGraph.grid(side, side, 2, unary, [[0.8, 0.2], [0.2, 0.8]])
    best, value = graph.best()
    found = np.array([best[i, j] for i in range(side) for j in range(side)]).reshape(side, side)
    assert (found != picture).mean() < 0.02 < (noisy != picture).mean()
    believed = graph.beliefs(maximise=True)
    assert graph.score(believed.best()) <= value + 1e-8


def test_what_cannot_be_cut_is_refused() -> None:
    graph = FactorGraph().add_variables(2, 2).add_factors([[0, 1]], [[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(DataError, match="prefers to differ"):
        graph.best(method="cut")
    graph = FactorGraph().add_variables(2, 3).add_factors([[0, 1]], np.ones((3, 3)))
    with pytest.raises(DataError, match="more than two values"):
        graph.best(method="cut")
    with pytest.raises(ValueError, match="method must be"):
        graph.best(method="guess")
    assert math.isfinite(graph.best()[1])
