"""Kernels of trees against the generic sweep, ties and long sentences included."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core

from .kernels import assert_equal
from .trees import KERNELS, SCALES, random_candidates


@pytest.mark.parametrize("order", KERNELS)
@settings(max_examples=100, deadline=None)
@given(
    words=st.integers(1, 30),
    relations=st.sampled_from([1, 3]),
    single_root=st.booleans(),
    pruned=st.booleans(),
    scale=SCALES,
    forbidden=st.sampled_from([0.0, 0.1, 0.5]),
    seed=st.integers(0, 2**32 - 1),
)
def test_kernel_equals_generic(
    order: str,
    words: int,
    relations: int,
    single_root: bool,
    pruned: bool,
    scale: float,
    forbidden: float,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    candidates = random_candidates(rng, words) if pruned else None
    kernel, generic = (make(words, relations, single_root, candidates) for make in KERNELS[order])
    theta = scale * rng.normal(size=kernel.parts)
    theta[rng.random(kernel.parts) < forbidden] = -np.inf
    assert_equal(kernel, generic, theta)


@pytest.mark.parametrize("order", KERNELS)
@settings(max_examples=60, deadline=None)
@given(
    words=st.integers(1, 12),
    relations=st.sampled_from([1, 2]),
    single_root=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_ties_go_the_way_of_the_generic_sweep(
    order: str, words: int, relations: int, single_root: bool, seed: int
) -> None:
    """Small integers add up exactly, so that equal scores are equal in any order of summing."""
    kernel, generic = (make(words, relations, single_root) for make in KERNELS[order])
    theta = np.random.default_rng(seed).integers(-1, 2, kernel.parts).astype(float)
    value, mu = kernel.solve("max", theta)
    expected, expected_mu = generic.solve_generic("max", theta)
    assert value == expected
    np.testing.assert_array_equal(mu, expected_mu)
    np.testing.assert_array_equal(mu, np.bincount(kernel.kbest(theta, 2)[0][1], minlength=kernel.parts))


@pytest.mark.parametrize("words", [120, 300])
@pytest.mark.parametrize("scale", [0.0, 5.0])
def test_long_sentences_stay_in_range(words: int, scale: float) -> None:
    """Flat scores have 27/4 trees a word, far apart ones hardly any: both leave a double."""
    oracle = _core.ProjectiveOracle(words)
    theta = scale * np.random.default_rng(0).normal(size=oracle.parts)
    log_z, mu = oracle.solve("log", theta)
    if scale == 0:
        count = math.comb(3 * words - 2, words - 1) // words
        assert log_z == pytest.approx(math.log(count), rel=1e-12)
    assert log_z >= oracle.solve("max", theta)[0]
    np.testing.assert_allclose(mu.reshape(words, -1).sum(axis=1), 1, atol=1e-9)
