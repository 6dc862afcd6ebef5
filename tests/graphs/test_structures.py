"""Chains and trees as graphs are the chain and tree structures."""

from itertools import product

import numpy as np
import pytest

import linnet._core as _core
from linnet.graphs import FactorGraph


@pytest.mark.parametrize("ring", ["max", "log"])
def test_a_chain_is_a_line(ring: str) -> None:
    rng = np.random.default_rng(0)
    length, labels = 7, 3
    chain = _core.Chain(length, labels)
    theta = rng.normal(size=chain.parts)
    tokens, moves = theta[: length * labels].reshape(length, labels), theta[length * labels :]
    graph = FactorGraph().add_variables(length, labels)
    graph.add_factors(np.arange(length)[:, None], np.exp(tokens))
    pairs = np.stack([np.arange(length - 1), np.arange(1, length)], axis=1)
    graph.add_factors(pairs, np.exp(moves.reshape(labels, labels)))
    value, mu = chain.solve(ring, theta)
    if ring == "max":
        best, score = graph.best()
        assert score == pytest.approx(value)
        found = mu[: length * labels].reshape(length, labels).argmax(axis=1)
        assert list(best.values()) == found.tolist()
        kbest = [score for _, score in graph.kbest(5)]
        np.testing.assert_allclose(kbest, [score for score, _ in chain.kbest(theta, 5)])
        return
    assert graph.log_partition() == pytest.approx(value)
    assert graph.entropy() == pytest.approx(chain.entropy(theta))
    found = np.stack(list(graph.marginals().values()))
    np.testing.assert_allclose(found, mu[: length * labels].reshape(length, labels))
    joint = np.sum(graph.given().factor_marginals()[length:], axis=0)
    np.testing.assert_allclose(joint.ravel(), mu[length * labels :])


def test_a_tree_is_a_factor_over_all_heads() -> None:
    """Words choose heads; one factor, 1 for trees and 0 else, is over all of them."""
    rng = np.random.default_rng(1)
    words = 4
    oracle = _core.NonProjectiveOracle(words, single_root=True)
    theta = rng.normal(size=oracle.parts)
    arcs = {arc: part for part, arc in enumerate(oracle.arcs)}
    graph = FactorGraph().add_variables(words, words + 1)
    for m in range(1, words + 1):
        scores = [
            np.exp(theta[arcs[h, m]]) if (h, m) in arcs and h != m else 0 for h in range(words + 1)
        ]
        graph.add_factor([m - 1], scores)
    trees = np.zeros([words + 1] * words)
    for heads in product(range(words + 1), repeat=words):
        trees[heads] = is_tree(heads)
    graph.add_factor(list(range(words)), trees)
    value, mu = oracle.solve("log", theta)
    assert graph.log_partition() == pytest.approx(value)
    for m, share in graph.marginals().items():
        expected = [mu[arcs[h, m + 1]] if (h, m + 1) in arcs else 0 for h in range(words + 1)]
        np.testing.assert_allclose(share, expected, atol=1e-12)
    assert graph.best()[1] == pytest.approx(oracle.solve("max", theta)[0])


def is_tree(heads: tuple[int, ...]) -> bool:
    """One word under the root, and every word leads there."""
    if heads.count(0) != 1:
        return False
    for m in range(1, len(heads) + 1):
        at, steps = m, 0
        while at and steps <= len(heads):
            at, steps = heads[at - 1], steps + 1
        if at:
            return False
    return True


def test_a_locally_normalised_model_is_a_network() -> None:
    """Label bias: rows that sum to one leave nothing for later words to say about earlier tags."""
    rng = np.random.default_rng(2)
    length, labels = 5, 3
    moves = rng.dirichlet(np.ones(labels), (length, labels))
    graph = FactorGraph().add_variables(length, labels)
    graph.add_factor([0], moves[0, 0])
    for t in range(1, length):
        graph.add_factor([t - 1, t], moves[t])
    assert graph.log_partition() == pytest.approx(0)
    forward = moves[0, 0]
    np.testing.assert_allclose(graph.marginals()[0], forward)
    for t in range(1, length):
        forward = forward @ moves[t]
        np.testing.assert_allclose(graph.marginals()[t], forward)
