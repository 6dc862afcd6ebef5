"""Every structure, every ring, against the enumeration of all outputs."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core, testing

from ..structures import charts

RULES = [(0, 0, 0), (0, 1, 2), (1, 0, 1), (2, 2, 0), (1, 2, 2), (0, 2, 1)]
WANTED = [(1, 4), (2, 3), (2, 4)]  # spans that must be brackets

CHARTS = {  # grammars over three or four symbols, of which some become words
    "plain": charts.small(),
    "circles": charts.small(unary=[(0, 1), (1, 0), (2, 2)], chains=2),
    "spans": charts.small(tagged=[1, 2, 0], unary=[(0, 1), (1, 2)], chains=3, labels=[0, 1, 1]),
    "known": charts.small(
        unary=[(0, 1), (1, 0)], chains=2, labels=[0, 1, 0], known=[(0, 2, 1), (2, 3, 0), (0, 2, 0)]
    ),
}
HEADS = [[2, 4], [0, 3], [1, 4], [0, 1]]  # of words 1 to 4


class Case(NamedTuple):
    oracle: _core.Oracle
    outputs: Callable[[], Iterator[list[int]]]
    sweep: bool = True  # has the generic recursions


CASES = {
    "flat": Case(_core.FlatOracle(5), lambda: testing.all_labels(5), sweep=False),
    "binary": Case(_core.BinaryOracle(), testing.all_binary, sweep=False),
    "flat sweep": Case(_core.MulticlassSweep(5), lambda: testing.all_labels(5)),
    "binary sweep": Case(_core.BinarySweep(), testing.all_binary),
    "chain": Case(_core.Chain(4, 3), lambda: testing.all_chains(4, 3)),
    "chain of one": Case(_core.Chain(1, 3), lambda: testing.all_chains(1, 3)),
    "chain, ends": Case(_core.Chain(4, 3, True), lambda: testing.all_chains(4, 3, True)),
    "chain, observed": Case(
        _core.Chain(3, 3, True, True), lambda: testing.all_chains(3, 3, True, True)
    ),
    "chain kernel": Case(_core.ChainOracle(4, 3), lambda: testing.all_chains(4, 3), sweep=False),
    "chain kernel, ends": Case(
        _core.ChainOracle(3, 5, True), lambda: testing.all_chains(3, 5, True), sweep=False
    ),
    "chain kernel of one": Case(
        _core.ChainOracle(1, 4, True), lambda: testing.all_chains(1, 4, True), sweep=False
    ),
    "chain of order 1 by the sweep of any": Case(
        _core.HigherChain(4, 3, 1, True), lambda: testing.all_higher_chains(4, 3, 1, True)
    ),
    "chain of order 2": Case(
        _core.HigherChain(4, 3, 2, True), lambda: testing.all_higher_chains(4, 3, 2, True)
    ),
    "chain of order 2, one": Case(
        _core.HigherChain(1, 3, 2), lambda: testing.all_higher_chains(1, 3, 2)
    ),
    "chain of order 2, two": Case(
        _core.HigherChain(2, 3, 2), lambda: testing.all_higher_chains(2, 3, 2)
    ),
    "chain of order 3": Case(_core.HigherChain(5, 2, 3), lambda: testing.all_higher_chains(5, 2, 3)),
    "chain of order 3, ends": Case(
        _core.HigherChain(4, 3, 3, True), lambda: testing.all_higher_chains(4, 3, 3, True)
    ),
    "chain of order 3, two": Case(
        _core.HigherChain(2, 3, 3, True), lambda: testing.all_higher_chains(2, 3, 3, True)
    ),
    "chain of order 4": Case(
        _core.HigherChain(6, 2, 4, True), lambda: testing.all_higher_chains(6, 2, 4, True)
    ),
    "chain of order 4, three": Case(
        _core.HigherChain(3, 2, 4), lambda: testing.all_higher_chains(3, 2, 4)
    ),
    "chain kernel of order 2": Case(
        _core.HigherChainOracle(4, 3, 2, True),
        lambda: testing.all_higher_chains(4, 3, 2, True),
        sweep=False,
    ),
    "chain kernel of order 3": Case(
        _core.HigherChainOracle(5, 2, 3, True),
        lambda: testing.all_higher_chains(5, 2, 3, True),
        sweep=False,
    ),
    "semi-Markov": Case(_core.SemiMarkov(4, 2, 2), lambda: testing.all_segmentations(4, 2, 2)),
    "semi-Markov, one length": Case(
        _core.SemiMarkov(4, 1, 1), lambda: testing.all_segmentations(4, 1, 1)
    ),
    "semi-Markov, bounded": Case(
        _core.SemiMarkov(4, 2, 2, 3), lambda: testing.all_segmentations(4, 2, 2, 3)
    ),
    "semi-Markov of one": Case(_core.SemiMarkov(1, 2, 3), lambda: testing.all_segmentations(1, 2, 3)),
    "brackets": Case(_core.Bracketing(3, 2), lambda: testing.all_bracketings(3, 2)),
    "brackets, not around all": Case(
        _core.Bracketing(3, 2, False), lambda: testing.all_bracketings(3, 2, False)
    ),
    "brackets of one": Case(_core.Bracketing(1, 3), lambda: testing.all_bracketings(1, 3)),
    "brackets, some wanted": Case(
        _core.Bracketing(5, 1, False, WANTED),
        lambda: testing.all_bracketings(5, 1, False, WANTED),
    ),
    "brackets kernel": Case(
        _core.BracketingOracle(3, 2), lambda: testing.all_bracketings(3, 2), sweep=False
    ),
    "brackets kernel, longer": Case(
        _core.BracketingOracle(5, 1), lambda: testing.all_bracketings(5, 1), sweep=False
    ),
    "brackets kernel, some wanted": Case(
        _core.BracketingOracle(5, 1, False, WANTED),
        lambda: testing.all_bracketings(5, 1, False, WANTED),
        sweep=False,
    ),
    "brackets kernel of one": Case(
        _core.BracketingOracle(1, 3, False), lambda: testing.all_bracketings(1, 3, False), sweep=False
    ),
    "projective": Case(_core.Projective(4), lambda: testing.all_trees(4)),
    "projective, roots": Case(
        _core.Projective(4, 1, False), lambda: testing.all_trees(4, single_root=False)
    ),
    "projective, relations": Case(_core.Projective(3, 2), lambda: testing.all_trees(3, 2)),
    "projective, candidates": Case(
        _core.Projective(4, 2, False, HEADS),
        lambda: testing.all_trees(4, 2, single_root=False, candidates=HEADS),
    ),
    "projective kernel": Case(_core.ProjectiveOracle(4), lambda: testing.all_trees(4), sweep=False),
    "projective kernel, roots": Case(
        _core.ProjectiveOracle(4, 1, False),
        lambda: testing.all_trees(4, single_root=False),
        sweep=False,
    ),
    "projective kernel, relations": Case(
        _core.ProjectiveOracle(4, 2, candidates=HEADS),
        lambda: testing.all_trees(4, 2, candidates=HEADS),
        sweep=False,
    ),
    "siblings": Case(_core.Siblings(4), lambda: testing.all_sibling_trees(4)),
    "siblings, roots": Case(
        _core.Siblings(4, 1, False), lambda: testing.all_sibling_trees(4, single_root=False)
    ),
    "siblings, relations": Case(
        _core.Siblings(4, 2, candidates=HEADS),
        lambda: testing.all_sibling_trees(4, 2, candidates=HEADS),
    ),
    "siblings kernel": Case(_core.SiblingsOracle(4), lambda: testing.all_sibling_trees(4), sweep=False),
    "siblings kernel, relations": Case(
        _core.SiblingsOracle(4, 2, False, HEADS),
        lambda: testing.all_sibling_trees(4, 2, single_root=False, candidates=HEADS),
        sweep=False,
    ),
    "grandparents": Case(_core.Grandparents(4), lambda: testing.all_grandparent_trees(4)),
    "grandparents, roots": Case(
        _core.Grandparents(4, 1, False), lambda: testing.all_grandparent_trees(4, single_root=False)
    ),
    "grandparents, relations": Case(
        _core.Grandparents(4, 2, False, HEADS),
        lambda: testing.all_grandparent_trees(4, 2, single_root=False, candidates=HEADS),
    ),
    "trees": Case(
        _core.NonProjectiveOracle(4), lambda: testing.all_trees(4, projective=False), sweep=False
    ),
    "trees, roots": Case(
        _core.NonProjectiveOracle(4, 1, False),
        lambda: testing.all_trees(4, single_root=False, projective=False),
        sweep=False,
    ),
    "trees, relations": Case(
        _core.NonProjectiveOracle(4, 2, candidates=HEADS),
        lambda: testing.all_trees(4, 2, projective=False, candidates=HEADS),
        sweep=False,
    ),
}
for _name, _chart in CHARTS.items():
    CASES[f"chart, {_name}"] = Case(_chart.forest(4), partial(_chart.trees, 4))
    CASES[f"chart kernel, {_name}"] = Case(_chart.oracle(4), partial(_chart.trees, 4), sweep=False)
CASES["chart of one"] = Case(CHARTS["circles"].oracle(1), partial(CHARTS["circles"].trees, 1), False)
SWEEPS = {name: case for name, case in CASES.items() if case.sweep}


def thetas(parts: int, seed: int, scale: float = 2.0) -> np.ndarray:
    return np.random.default_rng(seed).normal(scale=scale, size=parts)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("ring", ["max", "log"])
@pytest.mark.parametrize("seed", range(5))
def test_oracle_agrees_with_enumeration(name: str, ring: str, seed: int) -> None:
    case = CASES[name]
    theta = thetas(case.oracle.parts, seed)
    value, mu = case.oracle.solve(ring, theta)
    expected, expected_mu = testing.brute_force(ring, case.outputs(), theta)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(mu, expected_mu, atol=1e-12)


@pytest.mark.parametrize("name", SWEEPS)
def test_probability_ring_counts_the_outputs(name: str) -> None:
    """With all weights one, the value is the number of outputs: each is derived exactly once."""
    case = SWEEPS[name]
    value, _ = case.oracle.solve_generic("probability", np.zeros(case.oracle.parts))
    assert np.exp(value) == pytest.approx(sum(1 for _ in case.outputs()), rel=1e-12)


@pytest.mark.parametrize("name", SWEEPS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([0.01, 1.0, 30.0]))
def test_probability_ring_equals_log_ring(name: str, seed: int, scale: float) -> None:
    oracle = SWEEPS[name].oracle
    theta = thetas(oracle.parts, seed, scale)
    log_value, log_mu = oracle.solve_generic("log", theta)
    value, mu = oracle.solve_generic("probability", theta)
    if np.isnan(value):  # out of range, which only large scores are, sends the oracle to the log ring
        assert scale > 1
        value, mu = oracle.solve("log", theta)
    assert value == pytest.approx(log_value, rel=1e-10, abs=1e-10)
    np.testing.assert_allclose(mu, log_mu, atol=1e-9)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("scale", [1e4, -1e4])
def test_huge_scores_stay_finite(name: str, scale: float) -> None:
    oracle = CASES[name].oracle
    theta = scale * np.abs(thetas(oracle.parts, 3, 1.0))
    value, mu = oracle.solve("log", theta)
    best, _ = oracle.solve("max", theta)
    assert np.isfinite(value)
    assert np.isfinite(mu).all()
    assert value >= best - 1e-9 * abs(best)


@pytest.mark.parametrize("name", [name for name in CASES if "binary" not in name and "one" not in name])
@pytest.mark.parametrize("ring", ["max", "log"])
def test_clamped_parts_are_never_used(name: str, ring: str) -> None:
    case = CASES[name]
    theta = thetas(case.oracle.parts, 11)
    best = testing.brute_force("max", case.outputs(), theta)[1]
    forbidden = int(np.flatnonzero(best)[0])
    allowed = [o for o in case.outputs() if forbidden not in o]
    theta[forbidden] = -np.inf
    value, mu = case.oracle.solve(ring, theta)
    expected, expected_mu = testing.brute_force(ring, iter(allowed), theta)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(mu, expected_mu, atol=1e-12)


def test_clamping_everything_is_seen_in_the_value() -> None:
    value, _ = _core.Chain(2, 2).solve("log", np.full(8, -np.inf))
    assert value == -np.inf


@pytest.mark.parametrize("name", CASES)
def test_equal_scores_go_to_one_output(name: str) -> None:
    """Not to a mixture of several; to the earliest where outputs are ordered by their labels."""
    case = CASES[name]
    parts = case.oracle.parts
    value, mu = case.oracle.solve("max", np.zeros(parts))
    assert value == 0
    ordered = name.startswith(("flat", "binary", "chain"))
    outputs = [next(case.outputs())] if ordered else case.outputs()
    assert any(np.array_equal(mu, np.bincount(output, minlength=parts)) for output in outputs)


@pytest.mark.parametrize("name", CASES)
def test_marginals_are_the_gradient_of_log_z(name: str) -> None:
    oracle = CASES[name].oracle
    theta = thetas(oracle.parts, 5)
    _, mu = oracle.solve("log", theta)
    for p in range(oracle.parts):
        step = np.zeros(oracle.parts)
        step[p] = 1e-5
        up, down = oracle.solve("log", theta + step)[0], oracle.solve("log", theta - step)[0]
        assert (up - down) / 2e-5 == pytest.approx(mu[p], abs=1e-8)


@pytest.mark.parametrize("name", CASES)
def test_marginals_along_a_direction(name: str) -> None:
    """The Hessian-vector product by dual numbers, against differences of marginals."""
    oracle = CASES[name].oracle
    theta, tangent = thetas(oracle.parts, 6), thetas(oracle.parts, 7, 1.0)
    h = 1e-5
    up, down = (
        oracle.solve("log", theta + h * tangent)[1],
        oracle.solve("log", theta - h * tangent)[1],
    )
    np.testing.assert_allclose(oracle.marginals_along(theta, tangent), (up - down) / (2 * h), atol=1e-7)


def test_sizes_are_checked() -> None:
    with pytest.raises(ValueError, match="each of the 8 parts"):
        _core.Chain(2, 2).solve("max", np.zeros(7))
    with pytest.raises(ValueError, match="at least 1"):
        _core.Chain(0, 2)
    with pytest.raises(
        ValueError, match="order 2 over 20 tokens and 1000 labels would need about 33 GB"
    ):
        _core.HigherChain(20, 1000, 2)
    with pytest.raises(ValueError, match="about 138 GB"):  # 2^32 windows, which no int32 counts
        _core.HigherChain(2, 256, 3)
    with pytest.raises(ValueError, match=r"1,?000,?000,?000,?000 labels would need about \d+ GB"):
        _core.HigherChain.check(10**12, 10**12, 30)
    with pytest.raises(ValueError, match="windows of 32 labels"):
        _core.HigherChain(5, 1, 31)
    with pytest.raises(ValueError, match="order of a chain is at least 1"):
        _core.HigherChain(5, 2, 0)
    with pytest.raises(ValueError, match="oracle of their own"):
        _core.HigherChainOracle(5, 2, 1)
    assert _core.HigherChain(40, 1, 30).solve("log", np.ones(40 + 30))[0] == pytest.approx(
        40 + sum(40 - m + 1 for m in range(2, 32))
    )
    with pytest.raises(ValueError, match="unknown symbol"):
        charts.small(binary=[(0, 1, 3)]).oracle(2)
