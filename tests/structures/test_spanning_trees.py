"""Maximum spanning trees, and the matrix-tree theorem far from comfort."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core, testing

from .trees import heads_of, is_tree


@settings(max_examples=200, deadline=None)
@given(
    words=st.integers(1, 5),
    single_root=st.booleans(),
    forbidden=st.sampled_from([0.0, 0.3, 0.6]),
    integers=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_spanning_trees_with_ties_and_forbidden_arcs(
    words: int, single_root: bool, forbidden: float, integers: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    oracle = _core.NonProjectiveOracle(words, 1, single_root)
    theta = rng.normal(size=(words, words + 1))
    if integers:
        theta = rng.integers(-1, 2, theta.shape).astype(float)
    theta[rng.random(theta.shape) < forbidden] = -np.inf
    heads = np.array(list(testing.all_heads(words, single_root, projective=False)))
    scores = theta[np.arange(words), heads].sum(axis=1)
    value, mu = oracle.solve("max", theta.ravel())
    log_z, marginals = oracle.solve("log", theta.ravel())
    if scores.max() == -np.inf:
        assert value == log_z == -np.inf
        return
    assert value == pytest.approx(scores.max(), abs=1e-12)
    best = heads_of(words, mu)
    assert mu.sum() == words
    assert is_tree(best, single_root)
    assert theta[np.arange(words), best].sum() == pytest.approx(value, abs=1e-12)
    p = np.exp(scores - scores.max())
    assert log_z == pytest.approx(scores.max() + np.log(p.sum()), rel=1e-12, abs=1e-12)
    expected = np.zeros((words, words + 1))
    for m in range(words):
        np.add.at(expected[m], heads[:, m], p / p.sum())
    np.testing.assert_allclose(marginals.reshape(words, -1), expected, atol=1e-12)


def test_one_arc_compared_with_another_goes_to_the_earlier_head() -> None:
    _, mu = _core.NonProjectiveOracle(4, 1, False).solve("max", np.zeros(20))
    assert heads_of(4, mu) == (0, 0, 0, 0)
    _, mu = _core.NonProjectiveOracle(3, 2, False).solve("max", np.zeros(24))
    assert np.flatnonzero(mu).tolist() == [0, 8, 16]  # head 0, relation 0


@settings(max_examples=60, deadline=None)
@given(
    words=st.integers(2, 40),
    single_root=st.booleans(),
    scale=st.sampled_from([1.0, 1e6]),
    seed=st.integers(0, 2**32 - 1),
)
def test_spanning_trees_cannot_be_improved(
    words: int, single_root: bool, scale: float, seed: int
) -> None:
    """Projective trees are trees; and no change of one head helps."""
    rng = np.random.default_rng(seed)
    theta = scale * rng.normal(size=(words, words + 1))
    value, mu = _core.NonProjectiveOracle(words, 1, single_root).solve("max", theta.ravel())
    best = heads_of(words, mu)
    assert is_tree(best, single_root)
    assert value == pytest.approx(theta[np.arange(words), best].sum(), rel=1e-12)
    projective, _ = _core.ProjectiveOracle(words, 1, single_root).solve("max", theta.ravel())
    assert value >= projective - 1e-9 * scale
    for m in range(words):
        for h in range(words + 1):
            changed = (*best[:m], h, *best[m + 1 :])
            if h != m + 1 and is_tree(changed, single_root):
                assert theta[m, h] <= theta[m, best[m]]


def test_a_single_root_is_exact_however_large_the_scores() -> None:
    """A penalty on the root's arcs that is large enough would leave no digits of these."""
    theta = np.full((3, 4), 1e-9)
    theta[:, 0] = 1e12
    theta[1, 3] = 2e-9
    _, mu = _core.NonProjectiveOracle(3).solve("max", theta.ravel())
    heads = heads_of(3, mu)
    assert heads.count(0) == 1
    assert heads[1] == 3


@pytest.mark.parametrize("single_root", [True, False])
def test_matrix_tree_of_a_long_sentence_with_large_scores(single_root: bool) -> None:
    words = 200
    oracle = _core.NonProjectiveOracle(words, 1, single_root)
    rng = np.random.default_rng(1)
    theta = rng.uniform(-50, 50, size=oracle.parts)
    log_z, mu = oracle.solve("log", theta)
    best, _ = oracle.solve("max", theta)
    assert best <= log_z <= best + words * np.log(words + 1)
    np.testing.assert_allclose(mu.reshape(words, -1).sum(axis=1), 1, atol=1e-11)
    assert mu.min() >= 0
    if single_root:
        assert mu.reshape(words, -1)[:, 0].sum() == pytest.approx(1, abs=1e-11)
    uncertain = np.argsort(-mu * (1 - mu))[:8]
    for part in [*uncertain, *rng.integers(oracle.parts, size=4)]:
        step = np.zeros(oracle.parts)
        step[part] = 1e-4
        up, down = (oracle.solve("log", theta + s)[0] for s in (step, -step))
        assert (up - down) / 2e-4 == pytest.approx(mu[part], abs=2e-7)


@pytest.mark.parametrize("gap", [10.0, 50.0, 300.0, 5000.0])
def test_matrix_tree_when_best_heads_form_a_cycle(gap: float) -> None:
    """The Laplacian is singular but for the root's exp(-gap); a pivoted LU has nothing left."""
    theta = np.array([[0, 0, gap], [0, gap, 0]])  # each word wants the other
    for single_root in (True, False):
        log_z, mu = _core.NonProjectiveOracle(2, 1, single_root).solve("log", theta.ravel())
        both = 0 if single_root else 1  # the tree with two roots
        z = 2 + both * np.exp(-gap)
        assert log_z == pytest.approx(gap + np.log(z), rel=1e-14)
        assert mu[2] == pytest.approx(1 / z, rel=1e-14)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([20.0, 100.0, 1000.0]))
def test_marginals_of_scores_far_apart(seed: int, scale: float) -> None:
    words = 5
    theta = scale * np.random.default_rng(seed).normal(size=(words, words + 1))
    heads = np.array(list(testing.all_heads(words, True, projective=False)))
    scores = theta[np.arange(words), heads].sum(axis=1)
    p = np.exp(scores - scores.max())
    log_z, mu = _core.NonProjectiveOracle(words).solve("log", theta.ravel())
    assert log_z == pytest.approx(scores.max() + np.log(p.sum()), rel=1e-13)
    expected = np.zeros((words, words + 1))
    for m in range(words):
        np.add.at(expected[m], heads[:, m], p / p.sum())
    np.testing.assert_allclose(mu.reshape(words, -1), expected, atol=1e-10)
