"""The hand-tuned chain against the generic recursions, over sizes, scores, masks and lengths."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core

from .kernels import assert_equal

sizes = st.sampled_from([1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 23, 24, 25, 29, 33])


@settings(max_examples=150, deadline=None)
@given(
    length=st.integers(1, 40),
    labels=sizes,
    ends=st.booleans(),
    scale=st.sampled_from([0.0, 0.1, 3.0, 30.0, 300.0]),
    forbidden=st.sampled_from([0.0, 0.1, 0.6]),
    seed=st.integers(0, 2**32 - 1),
)
def test_kernel_equals_generic(
    length: int, labels: int, ends: bool, scale: float, forbidden: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    kernel, generic = _core.ChainOracle(length, labels, ends), _core.Chain(length, labels, ends)
    theta = scale * rng.normal(size=kernel.parts)
    theta[rng.random(kernel.parts) < forbidden] = -np.inf
    assert_equal(kernel, generic, theta)


@settings(max_examples=100, deadline=None)
@given(length=st.integers(1, 12), labels=sizes, ends=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_ties_go_the_way_of_the_generic_sweep(length: int, labels: int, ends: bool, seed: int) -> None:
    """Small integers add up exactly, so that equal scores are equal in any order of summing."""
    kernel, generic = _core.ChainOracle(length, labels, ends), _core.Chain(length, labels, ends)
    theta = np.random.default_rng(seed).integers(-1, 2, kernel.parts).astype(float)
    value, mu = kernel.solve("max", theta)
    expected, expected_mu = generic.solve_generic("max", theta)
    assert value == expected
    np.testing.assert_array_equal(mu, expected_mu)


@settings(max_examples=100, deadline=None)
@given(
    length=st.integers(1, 40),
    labels=sizes,
    scale=st.sampled_from([0.1, 3.0, 30.0, 300.0]),
    forbidden=st.sampled_from([0.0, 0.3]),
    seed=st.integers(0, 2**32 - 1),
)
def test_single_precision(length: int, labels: int, scale: float, forbidden: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    single, double = _core.ChainOracle32(length, labels, True), _core.ChainOracle(length, labels, True)
    theta = (scale * rng.normal(size=single.parts)).astype(np.float32).astype(np.float64)
    theta[rng.random(single.parts) < forbidden] = -np.inf
    best, choice = double.solve("max", theta)
    value, mu = single.solve("max", theta)
    assert value == pytest.approx(best, rel=1e-5, abs=1e-5)
    if best == -np.inf:
        return
    finite = np.where(np.isneginf(theta), 0, theta)
    assert mu @ finite == pytest.approx(choice @ finite, rel=1e-5, abs=1e-4)
    log_z, expected = double.solve("log", theta)
    value, mu = single.solve("log", theta)
    assert value == pytest.approx(log_z, rel=2e-6, abs=1e-4)
    np.testing.assert_allclose(mu, expected, atol=3e-6 * scale + 1e-5, rtol=1e-4)


def test_single_precision_keeps_its_digits_over_long_sentences() -> None:
    single, double = _core.ChainOracle32(50_000, 4), _core.ChainOracle(50_000, 4)
    theta = np.random.default_rng(0).normal(size=single.parts).astype(np.float32).astype(float)
    np.testing.assert_array_equal(single.solve("max", theta)[1], double.solve("max", theta)[1])
    assert single.solve("max", theta)[0] == pytest.approx(double.solve("max", theta)[0], rel=1e-5)
    assert single.solve("log", theta)[0] == pytest.approx(double.solve("log", theta)[0], rel=1e-6)


def test_scores_beyond_the_range_of_a_double_go_to_log_space() -> None:
    """Each label is favoured by the emissions where the transitions forbid it, all but."""
    kernel, generic = _core.ChainOracle(6, 3, True), _core.Chain(6, 3, True)
    for scale in [200.0, 600.0, 5000.0]:
        theta = scale * np.random.default_rng(1).normal(size=kernel.parts)
        theta[18:27] = -scale * np.eye(3).ravel()[::-1]
        value, mu = kernel.solve("log", theta)
        expected, expected_mu = generic.solve_generic("log", theta)
        assert value == pytest.approx(expected, rel=1e-12)
        np.testing.assert_allclose(mu, expected_mu, atol=1e-9)


def test_labels_that_cannot_be_reached_do_no_harm() -> None:
    """A state without a way in but with a growing way out, for 3,000 tokens."""
    length, labels = 3000, 4
    kernel, generic = _core.ChainOracle(length, labels), _core.Chain(length, labels)
    theta = np.zeros(kernel.parts)
    theta[: length * labels].reshape(length, labels)[0, 3] = -np.inf
    theta[: length * labels].reshape(length, labels)[:, 3] += 5
    moves = theta[length * labels :].reshape(labels, labels)
    moves[:3, 3] = -np.inf
    value, mu = kernel.solve("log", theta)
    expected, expected_mu = generic.solve_generic("log", theta)
    assert value == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(mu, expected_mu, rtol=1e-9, atol=1e-9)


def test_a_sentence_of_100_000_tokens() -> None:
    kernel = _core.ChainOracle(100_000, 5)
    theta = np.random.default_rng(0).normal(size=kernel.parts)
    log_z, mu = kernel.solve("log", theta)
    best, one = kernel.solve("max", theta)
    assert best < log_z < best + 100_000 * np.log(5)
    np.testing.assert_allclose(mu[:500_000].reshape(-1, 5).sum(axis=1), 1, atol=1e-12)
    assert mu[500_000:].sum() == pytest.approx(99_999, rel=1e-10)
    assert one @ theta == pytest.approx(best, rel=1e-10)


def test_a_thousand_labels() -> None:
    kernel, generic = _core.ChainOracle(3, 1000), _core.Chain(3, 1000)
    theta = np.random.default_rng(0).normal(size=kernel.parts)
    log_z, mu = kernel.solve("log", theta)
    expected, expected_mu = generic.solve("log", theta)
    assert log_z == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(mu, expected_mu, atol=1e-12)
    np.testing.assert_array_equal(kernel.solve("max", theta)[1], generic.solve("max", theta)[1])


def test_one_label() -> None:
    kernel = _core.ChainOracle(4, 1, True)
    theta = np.arange(7.0)
    value, mu = kernel.solve("log", theta)
    assert value == pytest.approx(0 + 1 + 2 + 3 + 3 * 4 + 5 + 6)
    np.testing.assert_allclose(mu, [1, 1, 1, 1, 3, 1, 1])


def test_sizes_are_checked() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        _core.ChainOracle(0, 3)
    with pytest.raises(ValueError, match="too large"):
        _core.ChainOracle(2_000_000, 2_000)
