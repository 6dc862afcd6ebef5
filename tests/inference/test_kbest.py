"""k-best lists, samples and entropy on the generic sweep, against the enumeration of all outputs."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core, testing

from ..structures import charts

PLAIN, CIRCLES = charts.small(), charts.small(unary=[(0, 1), (1, 0)], chains=2, labels=[0, 1, 1])
CASES = {
    "flat": (_core.MulticlassSweep(5), list(testing.all_labels(5))),
    "binary": (_core.BinarySweep(), list(testing.all_binary())),
    "chain": (_core.Chain(4, 3, True), list(testing.all_chains(4, 3, True))),
    "observed": (_core.Chain(3, 3, False, True), list(testing.all_chains(3, 3, False, True))),
    "order 2": (_core.HigherChain(4, 3, 2), list(testing.all_higher_chains(4, 3, 2))),
    "order 3": (_core.HigherChain(5, 2, 3, True), list(testing.all_higher_chains(5, 2, 3, True))),
    "order 4": (_core.HigherChain(6, 2, 4), list(testing.all_higher_chains(6, 2, 4))),
    "order 4, short": (
        _core.HigherChain(2, 3, 4, True),
        list(testing.all_higher_chains(2, 3, 4, True)),
    ),
    "semi-Markov": (_core.SemiMarkov(4, 2, 2), list(testing.all_segmentations(4, 2, 2))),
    "brackets": (_core.Bracketing(3, 2), list(testing.all_bracketings(3, 2))),
    "brackets, some wanted": (
        _core.Bracketing(5, 1, False, [(1, 4), (2, 4)]),
        list(testing.all_bracketings(5, 1, False, [(1, 4), (2, 4)])),
    ),
    "projective": (_core.Projective(4), list(testing.all_trees(4))),
    "projective, roots": (
        _core.Projective(4, 1, False),
        list(testing.all_trees(4, single_root=False)),
    ),
    "projective, relations": (_core.Projective(3, 2), list(testing.all_trees(3, 2))),
    "siblings": (_core.Siblings(4), list(testing.all_sibling_trees(4))),
    "grandparents": (_core.Grandparents(4), list(testing.all_grandparent_trees(4))),
    "siblings, relations": (_core.Siblings(3, 2), list(testing.all_sibling_trees(3, 2))),
    "chart": (PLAIN.forest(4), list(PLAIN.trees(4))),
    "chart, circles": (CIRCLES.forest(3), list(CIRCLES.trees(3))),
}


def scores(outputs: list[list[int]], theta: np.ndarray) -> np.ndarray:
    return np.array([sum(theta[p] for p in output) for output in outputs])


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("k", [1, 2, 7, 10_000])
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_kbest_lists_the_best_outputs_in_order(name: str, k: int, seed: int) -> None:
    oracle, outputs = CASES[name]
    theta = np.random.default_rng(seed).normal(size=oracle.parts)
    listed = oracle.kbest(theta, k)
    expected = np.sort(scores(outputs, theta))[::-1][:k]
    np.testing.assert_allclose([score for score, _ in listed], expected, atol=1e-12)
    np.testing.assert_allclose(scores([parts for _, parts in listed], theta), expected, atol=1e-12)
    # Derivations of a grammar may differ though their parts are the same: count them.
    every = Counter(tuple(sorted(output)) for output in outputs)
    assert Counter(tuple(sorted(parts)) for _, parts in listed) <= every


@pytest.mark.parametrize("name", CASES)
def test_first_of_kbest_is_the_best_also_at_ties(name: str) -> None:
    oracle, _ = CASES[name]
    for seed in range(10):
        theta = np.random.default_rng(seed).integers(-1, 2, oracle.parts).astype(float)
        value, mu = oracle.solve("max", theta)
        score, parts = oracle.kbest(theta, 3)[0]
        assert score == value
        np.testing.assert_array_equal(np.bincount(parts, minlength=oracle.parts), mu)


def test_kbest_holds_no_forbidden_output() -> None:
    oracle = _core.Chain(4, 3)
    theta = np.zeros(oracle.parts)
    theta[12 + 1] = -np.inf  # 0 is never followed by 1
    allowed = [o for o in testing.all_chains(4, 3) if 13 not in o]
    assert len(oracle.kbest(theta, 1000)) == len(allowed)
    assert oracle.kbest(np.full(oracle.parts, -np.inf), 3) == []
    with pytest.raises(ValueError, match="at least 1"):
        oracle.kbest(theta, 0)


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), forbidden=st.booleans())
def test_the_best_output_through_each_part(name: str, seed: int, forbidden: bool) -> None:
    oracle, outputs = CASES[name]
    rng = np.random.default_rng(seed)
    theta = rng.normal(size=oracle.parts)
    if forbidden:
        theta[rng.random(oracle.parts) < 0.2] = -np.inf
    found, through = oracle.best_through(theta)
    totals = scores(outputs, theta)
    every = {tuple(sorted(output)) for output in outputs}
    for part in range(oracle.parts):
        holding = [total for total, output in zip(totals, outputs, strict=True) if part in output]
        expected = max(holding, default=-np.inf)
        assert found[part] == pytest.approx(expected, abs=1e-12)
        if expected == -np.inf:
            assert through[part] == []
        else:
            assert part in through[part]
            assert tuple(sorted(through[part])) in every
            assert scores([through[part]], theta)[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_samples_follow_the_distribution(name: str) -> None:
    oracle, outputs = CASES[name]
    theta = np.random.default_rng(3).normal(size=oracle.parts)
    n = 20_000
    drawn = Counter(tuple(sorted(parts)) for parts in oracle.sample(theta, n, seed=5))
    s = scores(outputs, theta)
    probability: dict[tuple[int, ...], float] = {}
    for output, share in zip(outputs, np.exp(s - s.max()) / np.exp(s - s.max()).sum(), strict=True):
        key = tuple(sorted(output))
        probability[key] = probability.get(key, 0) + share
    assert drawn.keys() <= probability.keys()
    p = np.array(list(probability.values()))
    counts = np.array([drawn[key] for key in probability])
    # Pearson's statistic has mean (outputs - 1); rare outputs are pooled.
    common = p * n >= 5
    chi2 = ((counts - n * p)[common] ** 2 / (n * p)[common]).sum()
    assert chi2 < common.sum() + 5 * np.sqrt(2 * common.sum()) + 5


def test_samples_are_reproducible_and_refuse_the_impossible() -> None:
    oracle = _core.Chain(6, 4)
    theta = np.random.default_rng(0).normal(size=oracle.parts)
    assert oracle.sample(theta, 5, 1) == oracle.sample(theta, 5, 1)
    assert oracle.sample(theta, 5, 1) != oracle.sample(theta, 5, 2)
    with pytest.raises(ValueError, match="nothing to sample"):
        oracle.sample(np.full(oracle.parts, -np.inf), 1)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("scale", [0.0, 1.0, 5.0])
def test_entropy(name: str, scale: float) -> None:
    oracle, outputs = CASES[name]
    theta = scale * np.random.default_rng(4).normal(size=oracle.parts)
    s = scores(outputs, theta)
    p = np.exp(s - s.max())
    p /= p.sum()
    assert oracle.entropy(theta) == pytest.approx(-(p * np.log(p)).sum(), rel=1e-9, abs=1e-12)
