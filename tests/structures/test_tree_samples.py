"""Trees drawn by their probability, against the probabilities of all trees."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from linnet import _core, testing

DRAWN = 20_000


def probabilities(theta: np.ndarray, single_root: bool) -> dict[tuple[int, ...], float]:
    words = len(theta)
    trees = list(testing.all_heads(words, single_root, projective=False))
    scores = theta[np.arange(words), np.array(trees)].sum(axis=1)
    p = np.exp(scores - scores.max())
    return dict(zip(trees, p / p.sum(), strict=True))


def sampled(
    theta: np.ndarray, single_root: bool, count: int, seed: int = 0
) -> Counter[tuple[int, ...]]:
    words = len(theta)
    oracle = _core.NonProjectiveOracle(words, 1, single_root)
    drawn = oracle.sample(theta.ravel(), count, seed)
    return Counter(tuple(part % (words + 1) for part in parts) for parts in drawn)


def fits(observed: Counter[tuple[int, ...]], expected: dict[tuple[int, ...], float]) -> bool:
    """Chi-square, trees of few expected samples taken together; nothing impossible is drawn."""
    count = observed.total()
    assert all(expected.get(tree, 0) > 0 for tree in observed)
    often = [tree for tree, p in expected.items() if count * p >= 10]
    seen = np.array([observed[tree] for tree in often], float)
    wanted = np.array([count * expected[tree] for tree in often])
    if count - wanted.sum() > 1:
        seen, wanted = np.append(seen, count - seen.sum()), np.append(wanted, count - wanted.sum())
    return len(seen) < 2 or chisquare(seen, wanted * seen.sum() / wanted.sum()).pvalue > 1e-4


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("scale", [0.0, 1.0, 3.0])
def test_trees_come_as_often_as_they_should(words: int, single_root: bool, scale: float) -> None:
    theta = scale * np.random.default_rng(words).normal(size=(words, words + 1))
    assert fits(sampled(theta, single_root, DRAWN, seed=7), probabilities(theta, single_root))


@pytest.mark.parametrize("single_root", [True, False])
def test_forbidden_arcs_are_never_drawn(single_root: bool) -> None:
    rng = np.random.default_rng(4)
    tried = 0
    for _ in range(30):
        theta = rng.normal(size=(4, 5))
        theta[rng.random(theta.shape) < 0.4] = -np.inf
        oracle = _core.NonProjectiveOracle(4, 1, single_root)
        if oracle.solve("log", theta.ravel())[0] == -np.inf:
            with pytest.raises(ValueError, match="nothing to sample"):
                oracle.sample(theta.ravel(), 1)
            continue
        tried += 1
        assert fits(sampled(theta, single_root, 2000), probabilities(theta, single_root))
    assert tried > 5


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("gap", [40.0, 300.0, 5000.0])
def test_best_heads_that_form_cycles_take_no_time(gap: float, single_root: bool) -> None:
    """A random walk would go around for exp(gap) steps; beyond 300 doubles do not hold the numbers."""
    theta = np.zeros((4, 5))
    for m, h in ((1, 2), (2, 3), (3, 1), (4, 1)):
        theta[m - 1, h] = gap
    found = sampled(theta, single_root, 4000)
    assert fits(found, probabilities(theta, single_root))
    assert all(heads.count(0) == 1 for heads in found)
    assert {heads.index(0) for heads in found} == {0, 1, 2}


def test_relations_are_drawn_too() -> None:
    oracle = _core.NonProjectiveOracle(4, 3)
    theta = np.random.default_rng(3).normal(size=oracle.parts)
    drawn = oracle.sample(theta, DRAWN, seed=1)
    observed = np.bincount(np.concatenate(drawn), minlength=oracle.parts) / len(drawn)
    np.testing.assert_allclose(observed, oracle.solve("log", theta)[1], atol=0.02)
    assert drawn == oracle.sample(theta, DRAWN, seed=1)
    assert drawn[:50] != oracle.sample(theta, 50, seed=2)


@settings(max_examples=30, deadline=None)
@given(
    words=st.integers(1, 25),
    single_root=st.booleans(),
    scale=st.sampled_from([0.1, 3.0, 100.0]),
    seed=st.integers(0, 2**32 - 1),
)
def test_long_sentences_have_the_marginals_of_the_matrix_tree_theorem(
    words: int, single_root: bool, scale: float, seed: int
) -> None:
    theta = scale * np.random.default_rng(seed).normal(size=(words, words + 1))
    oracle = _core.NonProjectiveOracle(words, 1, single_root)
    drawn = np.array(oracle.sample(theta.ravel(), 400, seed))
    mu = oracle.solve("log", theta.ravel())[1]
    observed = np.bincount(drawn.ravel(), minlength=oracle.parts) / len(drawn)
    error = np.sqrt(np.maximum(mu * (1 - mu), 1e-9) / len(drawn))
    assert (np.abs(observed - mu) < 6 * error + 0.02).all()
    roots = (drawn % (words + 1) == 0).sum(axis=1)
    assert (roots == 1).all() if single_root else (roots >= 1).all()
