"""The fast kernel of charts against the generic sweep: random grammars, scores and clamps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import testing

from .charts import SmallGrammar


@st.composite
def grammars(draw: st.DrawFn) -> SmallGrammar:
    """Up to seven symbols, rules at random; many have useless rules, or none that lead to words."""
    symbols = draw(st.integers(2, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    ways = [(a, b, c) for a in range(symbols) for b in range(symbols) for c in range(symbols)]
    binary = [ways[k] for k in rng.permutation(len(ways))[: draw(st.integers(0, 20))]]
    steps = [(a, b) for a in range(symbols) for b in range(symbols)]
    unary = [steps[k] for k in rng.permutation(len(steps))[: draw(st.integers(0, 6))]]
    tagged = rng.permutation(symbols)[: draw(st.integers(1, symbols))].tolist()
    labels = rng.integers(0, 3, symbols).tolist() if draw(st.booleans()) else ()
    return SmallGrammar(symbols, 0, tagged, binary, unary, draw(st.integers(0, 4)), labels)


def scores(grammar: SmallGrammar, length: int, seed: int, scale: float, gone: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    theta = rng.normal(scale=scale, size=grammar.oracle(length).parts)
    theta[rng.random(len(theta)) < gone] = -np.inf
    return theta


@settings(max_examples=300, deadline=None)
@given(
    grammar=grammars(),
    length=st.integers(1, 9),
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([0.1, 1.0, 10.0, 1e4]),
    gone=st.sampled_from([0.0, 0.05, 0.3]),
)
def test_kernel_equals_sweep(
    grammar: SmallGrammar, length: int, seed: int, scale: float, gone: float
) -> None:
    kernel, sweep = grammar.oracle(length), grammar.forest(length)
    theta = scores(grammar, length, seed, scale, gone)
    best, where = kernel.solve("max", theta)
    expected, there = sweep.solve_generic("max", theta)
    log_z, mu = kernel.solve("log", theta)
    expected_z, expected_mu = sweep.solve_generic("log", theta)
    assert best == pytest.approx(expected, rel=1e-12)
    assert log_z == pytest.approx(expected_z, rel=1e-9, abs=1e-9)
    if best == -np.inf:
        return
    np.testing.assert_array_equal(where, there)
    np.testing.assert_allclose(mu, expected_mu, atol=1e-8)
    np.testing.assert_allclose(kernel.best_through(theta), sweep.best_through(theta)[0], rtol=1e-11)


def test_long_sentences_stay_in_range() -> None:
    """Probabilities of two hundred words are far below the smallest double."""
    grammar = SmallGrammar(unary=[(0, 1), (1, 2)], chains=2)
    oracle = grammar.oracle(200)
    theta = np.full(oracle.parts, -20.0)
    value, mu = oracle.kernel("log", theta)
    assert value == pytest.approx(oracle.solve("log", theta + 0)[0], rel=1e-12)
    assert value < -7000
    assert mu[:600].sum() == pytest.approx(200)
    lengths = [grammar.oracle(n).solve("log", np.zeros(grammar.oracle(n).parts))[0] for n in (5, 6)]
    assert np.exp(lengths) == pytest.approx([sum(1 for _ in grammar.trees(n)) for n in (5, 6)])


def test_most_expected_brackets() -> None:
    """Of all trees the one with the most tags and phrases that are right, in expectation."""
    grammar = SmallGrammar(unary=[(0, 1), (1, 2)], chains=2, labels=[0, 1, 1])
    oracle = grammar.oracle(4)
    for seed in range(10):
        theta = scores(grammar, 4, seed, 1.0, 0.0)
        mu = testing.brute_force("log", grammar.trees(4), theta)[1]
        gain = np.zeros_like(theta)
        gain[: 12 + 20] = mu[: 12 + 20]
        expected, _ = testing.brute_force("max", grammar.trees(4), gain)
        value, best = oracle.minimum_risk(theta)
        assert value == pytest.approx(expected)
        assert best @ gain == pytest.approx(expected)
