"""Trees of labelled brackets: the kernel against the sweep, the best through each bracket, demands."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core, testing


def spans(words: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(words) for j in range(i + 1, words + 1)]


@st.composite
def demanded(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    """A number of words, and spans that do not cross."""
    words = draw(st.integers(1, 9))
    kept: list[tuple[int, int]] = []
    for a, b in draw(st.lists(st.sampled_from(spans(words)), max_size=4)):
        if all(not (i < a < j < b or a < i < b < j) for i, j in kept):
            kept.append((a, b))
    return words, kept


@settings(max_examples=60, deadline=None)
@given(
    demands=demanded(),
    labels=st.integers(1, 4),
    whole=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
    forbidden=st.floats(0, 0.2),
)
def test_kernel_equals_sweep(
    demands: tuple[int, list[tuple[int, int]]], labels: int, whole: bool, seed: int, forbidden: float
) -> None:
    words, wanted = demands
    rng = np.random.default_rng(seed)
    sweep = _core.Bracketing(words, labels, whole, wanted)
    kernel = _core.BracketingOracle(words, labels, whole, wanted)
    theta = rng.normal(size=sweep.parts) * 3
    theta[rng.random(sweep.parts) < forbidden] = -np.inf
    for ring in ("max", "log"):
        value, mu = sweep.solve_generic(ring, theta)
        found, share = kernel.solve(ring, theta)
        np.testing.assert_allclose(found, value, rtol=1e-10)
        if value > -np.inf:
            np.testing.assert_allclose(share, mu, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(demands=demanded(), whole=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_best_through_each_bracket(
    demands: tuple[int, list[tuple[int, int]]], whole: bool, seed: int
) -> None:
    words, wanted = demands
    theta = np.random.default_rng(seed).normal(size=len(spans(words)))
    sweep, _ = _core.Bracketing(words, 1, whole, wanted).best_through(theta)
    found = _core.bracket_outside(words, whole, wanted, theta)
    np.testing.assert_allclose(found, sweep, atol=1e-9)


@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_trees_that_have_a_span_are_all_trees_with_it(words: int) -> None:
    every = list(testing.all_bracketings(words, 1, whole=False))
    for number, span in enumerate(spans(words)):
        wanted = sorted(sorted(tree) for tree in every if number in tree)
        oracle = _core.Bracketing(words, 1, False, [span])
        theta = np.random.default_rng(number).normal(size=oracle.parts)
        listed = sorted(sorted(tree) for _, tree in oracle.kbest(theta, 10_000))
        assert listed == wanted


def test_ties_go_to_fewer_brackets_over_words_and_to_earlier_labels() -> None:
    oracle = _core.BracketingOracle(3, 2)
    value, chosen = oracle.solve("max", np.zeros(oracle.parts))
    assert value == 0
    same, sweep = _core.Bracketing(3, 2).solve_generic("max", np.zeros(oracle.parts))
    assert same == value
    np.testing.assert_array_equal(chosen, sweep)


@pytest.mark.parametrize("seed", range(5))
def test_costs_are_brackets_wrong_and_missing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    oracle = _core.BracketingOracle(3, 2)
    every = list(testing.all_bracketings(3, 2))
    gold = every[rng.integers(len(every))]
    theta = rng.normal(size=oracle.parts)
    scores = [theta[tree].sum() + len(set(tree) ^ set(gold)) for tree in every]
    loss, _ = oracle.loss("hinge", theta, gold)
    np.testing.assert_allclose(loss, max(scores) - theta[gold].sum())


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ([(0, 2), (1, 3)], "crosses another"),
        ([(2, 2)], "holds no words"),
        ([(-1, 2)], "holds no words"),
        ([(0, 9)], "holds no words"),
    ],
)
def test_demands_that_no_tree_can_meet(wanted: list[tuple[int, int]], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        _core.Bracketing(4, 1, True, wanted)


@pytest.mark.parametrize(("words", "labels"), [(0, 1), (3, 0), (50_000, 60)])
def test_no_words_no_labels_or_too_many(words: int, labels: int) -> None:
    with pytest.raises(ValueError, match=r"at least one|too many"):
        _core.Bracketing(words, labels)
