"""Chains of any order: the kernel against the generic sweep, and each order within the next."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core

from .kernels import assert_equal

# Tokens, labels and an order whose states stay few.
shapes = st.tuples(st.integers(1, 12), st.sampled_from([1, 2, 3, 4, 5, 9]), st.integers(2, 5)).filter(
    lambda shape: shape[1] ** (shape[2] + 1) <= 60_000
)


@settings(max_examples=80, deadline=None)
@given(
    shape=shapes,
    ends=st.booleans(),
    scale=st.sampled_from([0.0, 0.1, 3.0, 300.0]),
    forbidden=st.sampled_from([0.0, 0.1, 0.5]),
    seed=st.integers(0, 2**32 - 1),
)
def test_kernel_equals_generic(
    shape: tuple[int, int, int], ends: bool, scale: float, forbidden: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    kernel, generic = _core.HigherChainOracle(*shape, ends), _core.HigherChain(*shape, ends)
    theta = scale * rng.normal(size=kernel.parts)
    theta[rng.random(kernel.parts) < forbidden] = -np.inf
    assert_equal(kernel, generic, theta)


@settings(max_examples=80, deadline=None)
@given(shape=shapes, ends=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_ties_go_the_way_of_the_generic_sweep(
    shape: tuple[int, int, int], ends: bool, seed: int
) -> None:
    """Small integers add up exactly, so that equal scores are equal in any order of summing."""
    kernel, generic = _core.HigherChainOracle(*shape, ends), _core.HigherChain(*shape, ends)
    theta = np.random.default_rng(seed).integers(-1, 2, kernel.parts).astype(float)
    value, mu = kernel.solve("max", theta)
    expected, expected_mu = generic.solve_generic("max", theta)
    assert value == expected
    np.testing.assert_array_equal(mu, expected_mu)
    score, parts = generic.kbest(theta, 1)[0]
    assert score == value
    np.testing.assert_array_equal(np.bincount(parts, minlength=kernel.parts), mu)


@settings(max_examples=60, deadline=None)
@given(shape=shapes, ends=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_an_order_is_the_next_one_without_its_longest_windows(
    shape: tuple[int, int, int], ends: bool, seed: int
) -> None:
    """Windows of no score, at the end of all parts, change neither value nor marginals."""
    length, labels, order = shape
    higher = _core.HigherChain(length, labels, order, ends)
    lower: _core.Oracle = _core.HigherChain(length, labels, order - 1, ends)
    if order == 2:
        lower = _core.Chain(length, labels, ends)
    theta = np.random.default_rng(seed).normal(size=lower.parts)
    wider = np.concatenate([theta, np.zeros(higher.parts - lower.parts)])
    assert len(wider) - len(theta) == labels ** (order + 1)
    for ring in ("max", "log"):
        value, mu = higher.solve(ring, wider)
        expected, expected_mu = lower.solve(ring, theta)
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(mu[: len(theta)], expected_mu, atol=1e-10)
        assert mu[len(theta) :].sum() == pytest.approx(max(length - order, 0))


def test_one_label_has_one_output() -> None:
    oracle = _core.HigherChain(5, 1, 3, True)
    value, mu = oracle.solve("log", np.arange(10.0))
    np.testing.assert_array_equal(mu, [1, 1, 1, 1, 1, 4, 1, 1, 3, 2])  # labels, pairs, ends, windows
    assert value == pytest.approx(mu @ np.arange(10.0))
    assert len(oracle.kbest(np.zeros(10), 5)) == 1


def test_a_long_sentence() -> None:
    kernel, generic = _core.HigherChainOracle(20_000, 3, 3), _core.HigherChain(20_000, 3, 3)
    theta = np.random.default_rng(0).normal(size=kernel.parts)
    value, mu = kernel.solve("max", theta)
    expected, expected_mu = generic.solve("max", theta)
    assert value == pytest.approx(expected, rel=1e-10)
    np.testing.assert_array_equal(mu, expected_mu)
    log_z, mu = kernel.solve("log", theta)
    assert value < log_z < value + 20_000 * np.log(3)
    np.testing.assert_allclose(mu[: 3 * 20_000].reshape(-1, 3).sum(axis=1), 1, atol=1e-9)
