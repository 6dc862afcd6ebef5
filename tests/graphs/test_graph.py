"""Building graphs: every mistake is named."""

import numpy as np
import pytest

from linnet.errors import DataError
from linnet.graphs import FactorGraph


def two() -> FactorGraph:
    return FactorGraph().add_variable("a", ["x", "y"]).add_variable("b", 3)


def test_bad_factors() -> None:
    with pytest.raises(DataError, match="there is no variable 'c'; there are a, b"):
        two().add_factor(["a", "c"], np.ones((2, 3)))
    with pytest.raises(DataError, match="over a variable twice: a, a"):
        two().add_factor(["a", "a"], np.ones((2, 2)))
    with pytest.raises(DataError, match=r"over a, b must have the shape \(2, 3\), not \(3, 2\)"):
        two().add_factor(["a", "b"], np.ones((3, 2)))
    with pytest.raises(DataError, match="over a has an entry that is negative"):
        two().add_factor(["a"], [1.0, -1.0])
    with pytest.raises(DataError, match="over b has only zeros"):
        two().add_factor(["b"], np.zeros(3))
    with pytest.raises(DataError, match="not finite"):
        two().add_factor(["a"], [1.0, np.nan])
    with pytest.raises(DataError, match="over variable 7, but there are 2"):
        two().add_factors([[7]], np.ones((1, 2)))
    with pytest.raises(DataError, match="domains of the same sizes"):
        two().add_factors([[0], [1]], np.ones((2, 2)))
    with pytest.raises(DataError, match="at least one variable"):
        two().add_factor([], 1.0)
    with pytest.raises(DataError, match="need tables, or a template"):
        two().add_factors([[0]])
    with pytest.raises(DataError, match="are learnt; leave them out"):
        two().add_factors([[0]], [[1.0, 1.0]], template="t")
    with pytest.raises(DataError, match="1 factors, but 2 rows"):
        two().add_factors([[0]], template="t", features=[["f"], ["g"]])
    with pytest.raises(DataError, match="have no tables"):
        two().add_factors([[0]], template="t").marginals()


def test_bad_variables_and_evidence() -> None:
    with pytest.raises(DataError, match="there are two variables 'a'"):
        two().add_variable("a", 2)
    with pytest.raises(DataError, match="at least one value"):
        two().add_variable("c", 0)
    with pytest.raises(DataError, match="names a value twice"):
        two().add_variable("c", ["x", "x"])
    with pytest.raises(DataError, match="variable 'a' has no value 'z'; it has x, y"):
        two().marginals({"a": "z"})
    with pytest.raises(DataError, match="there is no variable 'q'"):
        two().marginals({"q": 1})
    impossible = two().add_factor(["a", "b"], [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
    with pytest.raises(DataError, match="contradicts the factors"):
        impossible.marginals({"a": "x", "b": 2})
    assert impossible.log_partition({"a": "x", "b": 2}) == -np.inf
    with pytest.raises(DataError, match="contradicts"):
        impossible.best({"a": "x", "b": 2})
    with pytest.raises(DataError, match="names a variable twice"):
        two().query(["a", "a"])
    with pytest.raises(DataError, match="at least one variable"):
        two().query([])
    with pytest.raises(ValueError, match="k must be"):
        two().kbest(0)
    with pytest.raises(DataError, match="a value for each variable"):
        two().score({"a": "x"})


def test_domains_of_one_value_cycles_and_parts_apart_are_fine() -> None:
    graph = FactorGraph().add_variables(5, 2).add_variable("alone", ["only"])
    graph.add_factors([[0, 1], [1, 2], [2, 0]], [[2.0, 1.0], [1.0, 2.0]])
    graph.add_factor([3, "alone"], [[1.0], [3.0]])
    found = graph.marginals()
    np.testing.assert_allclose(found[3], [0.25, 0.75])
    np.testing.assert_allclose(found[4], [0.5, 0.5])  # without a factor
    assert found["alone"].tolist() == [1]
    assert FactorGraph().log_partition() == 0
    assert FactorGraph().marginals() == {}


def test_grids_and_edges_and_networks() -> None:
    grid = FactorGraph.grid(2, 3, 2, np.ones((2, 3, 2)), np.eye(2) + 1)
    assert grid.n_factors == 6 + 4 + 3
    assert grid.names[4] == (1, 1)
    tilted = FactorGraph.grid(2, 2, 2, np.ones((2, 2, 2)), [np.eye(2) + 1, np.ones((2, 2))])
    assert tilted.log_partition() == pytest.approx(np.log(36))
    cycle = FactorGraph.from_edges([[0, 1], [1, 2], [2, 0]], "ab", np.ones((3, 2)), np.eye(2) + 1)
    assert cycle.best({0: "b"})[0] == {0: "b", 1: "b", 2: "b"}
    domains = {"a": 2, "b": ["u", "v"]}
    with pytest.raises(DataError, match="round in a circle, among a, b"):
        FactorGraph.from_network(
            domains, {"a": (["b"], np.full((2, 2), 0.5)), "b": (["a"], np.full((2, 2), 0.5))}
        )
    with pytest.raises(DataError, match="parent 'c', which is no variable"):
        FactorGraph.from_network(domains, {"a": (["c"], [0.5]), "b": ((), [0.5, 0.5])})
    with pytest.raises(DataError, match="sums to"):
        FactorGraph.from_network(domains, {"a": ((), [0.5, 0.9]), "b": ((), [0.5, 0.5])})
    with pytest.raises(DataError, match="variable 'b' has no table"):
        FactorGraph.from_network(domains, {"a": ((), [0.5, 0.5])})


def test_arrays_of_other_shapes_are_told_by_their_names() -> None:
    pair = np.ones((2, 2))
    with pytest.raises(DataError, match="the table of a factor must be an array of numbers"):
        two().add_factor(["a"], ["x", "y"])
    with pytest.raises(DataError, match="there are 2 factors, but 3 tables"):
        two().add_factors([[0], [0]], np.ones((3, 2)))
    with pytest.raises(DataError, match="over variable 4294967296"):
        two().add_factors([[2**32]], np.ones((1, 2)))
    with pytest.raises(DataError, match=r"unary must have the shape \(2, 2, 2\), not \(3, 3, 2\)"):
        FactorGraph.grid(2, 2, 2, np.ones((3, 3, 2)), pair)
    with pytest.raises(DataError, match="pair must be one table or two"):
        FactorGraph.grid(2, 2, 2, np.ones((2, 2, 2)), np.ones((3, 2, 2)))
    with pytest.raises(ValueError, match="height must be a whole number"):
        FactorGraph.grid(0, 2, 2, np.ones((0, 2, 2)), pair)
    with pytest.raises(DataError, match="edges must be pairs"):
        FactorGraph.from_edges([0, 1, 1, 0], 2, np.ones((2, 2)), pair)
    with pytest.raises(DataError, match="unary must have a row for each variable"):
        FactorGraph.from_edges([[0, 1]], 2, np.ones(2), pair)
    with pytest.raises(DataError, match=r"P\(a \| …\) sums to 0.7 somewhere"):
        FactorGraph.from_network({"a": 2}, {"a": ((), [0.5, 0.2])})
    with pytest.raises(DataError, match=r"P\(a \| …\) must be an array of numbers"):
        FactorGraph.from_network({"a": 2}, {"a": ((), "no")})


def test_graphs_may_grow_after_they_were_asked() -> None:
    graph = two().add_factor(["a"], [1.0, 3.0])
    np.testing.assert_allclose(graph.marginals()["a"], [0.25, 0.75])
    before = graph.given()
    graph.add_factor(["a"], [3.0, 1.0])
    np.testing.assert_allclose(graph.marginals()["a"], [0.5, 0.5])
    np.testing.assert_allclose(before.marginals()["a"], [0.25, 0.75])
    graph.add_variable("c", 2).add_factor(["a", "c"], [[1.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(graph.marginals({"c": 1})["a"], [0.0, 1.0])
    with pytest.raises(DataError, match="variables were added"):
        before.best()


def test_conditional_tables_sum_to_one() -> None:
    tables = [[[0.5, 0.5], [0.1, 0.9]], [[0.5, 0.5], [0.1, 0.7]]]
    graph = FactorGraph().add_variables(["x", "y", "z"], 2)
    with pytest.raises(DataError, match=r"P\(z \| …\) sums to 0.8 somewhere"):
        graph.add_factors([[0, 1], [1, 2]], tables, conditional=True)
    graph.add_factors([[0, 1]], tables[0], conditional=True)


def test_numbers_of_things_are_whole() -> None:
    with pytest.raises(ValueError, match="number of variables must be a whole number"):
        FactorGraph().add_variables(-1, 2)
    with pytest.raises(DataError, match="values must be a list of them, or how many"):
        FactorGraph().add_variable("a", 2.5)
    graph = two()
    with pytest.raises(ValueError, match="n must be a whole number of 0 or more, not -1"):
        graph.sample(-1)
    with pytest.raises(ValueError, match="k must be a whole number of 1 or more"):
        graph.kbest(1.5)
    assert len(graph.kbest(10**12)) == 6
