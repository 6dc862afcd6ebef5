"""Dependency trees against all trees: best, sums, lists, samples, risk, clamps, batches."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core, testing

from .trees import ORACLES, heads_of, random_candidates


@pytest.mark.parametrize("words", range(1, 9))
def test_numbers_of_trees(words: int) -> None:
    """(n + 1)^(n - 1) trees by Cayley, n^(n - 1) of one root; 3n choose n / (2n + 1) projective."""

    def count(oracle: _core.Oracle) -> float:
        return float(np.exp(oracle.solve("log", np.zeros(oracle.parts))[0]))

    ternary = [math.comb(3 * n, n) // (2 * n + 1) for n in range(words + 1)]
    one_root = math.comb(3 * words - 2, words - 1) // words
    assert count(_core.NonProjectiveOracle(words, 1, False)) == pytest.approx(
        (words + 1) ** (words - 1)
    )
    assert count(_core.NonProjectiveOracle(words)) == pytest.approx(words ** (words - 1))
    assert count(_core.NonProjectiveOracle(words, 3)) == pytest.approx(words ** (words - 1) * 3**words)
    for trees in (_core.Projective, _core.ProjectiveOracle, _core.Siblings, _core.Grandparents):
        assert count(trees(words, 1, False)) == pytest.approx(ternary[words])
        assert count(trees(words)) == pytest.approx(one_root)
    value, _ = _core.Projective(words).solve_generic("probability", np.zeros(words * (words + 1)))
    assert np.exp(value) == pytest.approx(one_root)


@pytest.mark.parametrize("words", [1, 2, 5, 6])
@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("seed", range(3))
def test_oracles_against_all_trees(words: int, single_root: bool, name: str, seed: int) -> None:
    oracle = ORACLES[name](words, 1, single_root)
    heads = np.array(list(testing.all_heads(words, single_root, name == "projective")))
    theta = np.random.default_rng(seed).normal(scale=2, size=(words, words + 1))
    scores = theta[np.arange(words), heads].sum(axis=1)
    value, mu = oracle.solve("max", theta.ravel())
    assert value == pytest.approx(scores.max(), rel=1e-12)
    assert heads_of(words, mu) == tuple(heads[scores.argmax()])
    p = np.exp(scores - scores.max())
    log_z, mu = oracle.solve("log", theta.ravel())
    assert log_z == pytest.approx(scores.max() + np.log(p.sum()), rel=1e-12)
    expected = np.zeros((words, words + 1))
    for m in range(words):
        np.add.at(expected[m], heads[:, m], p / p.sum())
    np.testing.assert_allclose(mu.reshape(words, -1), expected, atol=1e-12)
    p /= p.sum()
    assert oracle.entropy(theta.ravel()) == pytest.approx(-(p * np.log(p)).sum(), abs=1e-9)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize(("words", "relations"), [(1, 1), (4, 1), (5, 1), (3, 2)])
def test_kbest_is_complete_and_in_order(
    name: str, single_root: bool, words: int, relations: int
) -> None:
    oracle = ORACLES[name](words, relations, single_root)
    theta = np.random.default_rng(2).normal(size=oracle.parts)
    theta[1] = -np.inf
    listed = oracle.kbest(theta, 10_000)
    trees = testing.all_trees(words, relations, single_root, name == "projective")
    every = {tuple(sorted(tree)) for tree in trees if 1 not in tree}
    assert len(listed) == len(every)
    assert {tuple(sorted(parts)) for _, parts in listed} == every
    scores = [score for score, _ in listed]
    assert scores == sorted(scores, reverse=True)
    for score, parts in listed[:20]:
        assert score == pytest.approx(theta[parts].sum())
    if listed:
        assert listed[0][0] == oracle.solve("max", theta)[0]
        assert [score for score, _ in oracle.kbest(theta, 3)] == scores[:3]


def test_samples_of_labelled_trees() -> None:
    oracle = _core.Projective(4, 2)
    theta = np.random.default_rng(3).normal(size=oracle.parts)
    drawn = oracle.sample(theta, 20_000, seed=1)
    counts = Counter(part for parts in drawn for part in parts)
    mu = oracle.solve("log", theta)[1]
    observed = np.array([counts[p] for p in range(oracle.parts)]) / len(drawn)
    np.testing.assert_allclose(observed, mu, atol=0.02)


@pytest.mark.parametrize("name", ORACLES)
def test_relations_are_joined_arc_by_arc(name: str) -> None:
    """A labelled tree is a tree over arcs of the best, or of all, relations."""
    rng = np.random.default_rng(5)
    labelled, plain = ORACLES[name](7, 4), ORACLES[name](7)
    theta = rng.normal(size=(plain.parts, 4))
    value, mu = labelled.solve("max", theta.ravel())
    best, arcs = plain.solve("max", theta.max(axis=1))
    assert value == pytest.approx(best)
    np.testing.assert_array_equal(mu.reshape(-1, 4).sum(axis=1), arcs)
    assert (theta.argmax(axis=1)[arcs == 1] == mu.reshape(-1, 4).argmax(axis=1)[arcs == 1]).all()
    joined = np.log(np.exp(theta).sum(axis=1))
    value, mu = labelled.solve("log", theta.ravel())
    log_z, arcs = plain.solve("log", joined)
    assert value == pytest.approx(log_z)
    np.testing.assert_allclose(mu.reshape(-1, 4), arcs[:, None] * np.exp(theta - joined[:, None]))


def test_siblings_of_score_zero_change_nothing() -> None:
    second, first = _core.Siblings(6, 2), _core.Projective(6, 2)
    theta = np.random.default_rng(6).normal(size=first.parts)
    more = np.concatenate([theta, np.zeros(second.parts - first.parts)])
    for ring in ("max", "log"):
        value, mu = first.solve(ring, theta)
        wider, wider_mu = second.solve(ring, more)
        assert wider == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(wider_mu[: first.parts], mu, atol=1e-12)
    assert len(second.siblings) == second.parts - first.parts
    assert second.siblings[:3] == [[0, 1, 0], [2, 1, 2], [3, 1, 3]]


@settings(max_examples=40, deadline=None)
@given(
    words=st.integers(1, 14),
    relations=st.sampled_from([1, 2]),
    single_root=st.booleans(),
    pruned=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_grandparents_of_score_zero_change_nothing(
    words: int, relations: int, single_root: bool, pruned: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    candidates = random_candidates(rng, words) if pruned else None
    both, siblings = (
        make(words, relations, single_root, candidates) for make in (_core.Grandparents, _core.Siblings)
    )
    theta = rng.normal(size=siblings.parts)
    more = np.concatenate([theta, np.zeros(both.parts - siblings.parts)])
    for ring in ("max", "log"):
        value, mu = siblings.solve(ring, theta)
        wider, wider_mu = both.solve(ring, more)
        assert wider == pytest.approx(value, rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(wider_mu[: siblings.parts], mu, atol=1e-10)
        arcs = mu[: len(siblings.arcs) * relations].reshape(-1, relations).sum(axis=1)
        roots = sum(arcs[a] for a, (h, _) in enumerate(siblings.arcs) if h == 0)
        assert wider_mu[siblings.parts :].sum() == pytest.approx(words - roots)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("name", [*ORACLES, "siblings"])
def test_minimum_risk(name: str, single_root: bool) -> None:
    words = 4
    oracle = (ORACLES | {"siblings": _core.Siblings})[name](words, 1, single_root)
    arcs = words * (words + 1)
    if name == "siblings":
        trees = list(testing.all_sibling_trees(words, 1, single_root))
    else:
        trees = list(testing.all_trees(words, 1, single_root, name == "projective"))
    for seed in range(5):
        theta = np.random.default_rng(seed).normal(scale=2, size=oracle.parts)
        theta[7] = -np.inf
        allowed = [tree for tree in trees if 7 not in tree]
        mu = testing.brute_force("log", allowed, theta)[1]
        right = [sum(mu[p] for p in tree if p < arcs) for tree in allowed]
        value, best = _core.minimum_risk(oracle, theta)
        assert value == pytest.approx(max(right))
        assert mu[:arcs] @ best[:arcs] == pytest.approx(max(right))
        assert best[7] == 0


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("single_root", [True, False])
def test_partial_trees(name: str, single_root: bool) -> None:
    oracle = ORACLES[name](4, 2, single_root)
    theta = np.random.default_rng(8).normal(size=oracle.parts)
    mask = oracle.clamp([-1, 3, 4, -1], [-1, 1, -1, 0])
    clamped = np.where(mask, theta, -np.inf)
    allowed = [
        tree
        for tree in testing.all_trees(4, 2, single_root, name == "projective")
        if tree[1] == (5 + 3) * 2 + 1 and tree[2] // 2 == 10 + 4 and tree[3] % 2 == 0
    ]
    for ring in ("max", "log"):
        value, mu = oracle.solve(ring, clamped)
        expected, expected_mu = testing.brute_force(ring, allowed, theta)
        assert value == pytest.approx(expected)
        np.testing.assert_allclose(mu, expected_mu, atol=1e-12)
    cycle = np.where(oracle.clamp([2, 1, -1, -1]), theta, -np.inf)
    assert oracle.solve("max", cycle)[0] == oracle.solve("log", cycle)[0] == -np.inf
    assert _core.minimum_risk(oracle, cycle)[0] == -np.inf
    with pytest.raises(ValueError, match="is no candidate"):
        oracle.clamp([1, -1, -1, -1])
    with pytest.raises(ValueError, match="relation is unknown"):
        oracle.clamp([-1] * 4, [2] * 4)
    with pytest.raises(ValueError, match="each word"):
        oracle.clamp([-1] * 3)


@settings(max_examples=50, deadline=None)
@given(words=st.integers(1, 12), seed=st.integers(0, 2**32 - 1))
def test_candidates_leave_out_arcs_and_nothing_else(words: int, seed: int) -> None:
    """Pruned trees are trees with -inf elsewhere; the chain of neighbours is always left."""
    rng = np.random.default_rng(seed)
    candidates = random_candidates(rng, words)
    full = np.full((words, words + 1), -np.inf)
    for make in ORACLES.values():
        pruned = make(words, 1, True, candidates)
        assert {(m, m + 1) for m in range(words)} <= set(pruned.arcs)
        assert pruned.arcs == sorted(pruned.arcs, key=lambda arc: (arc[1], arc[0]))
        theta = rng.normal(size=pruned.parts)
        full[:] = -np.inf
        for (h, m), score in zip(pruned.arcs, theta, strict=True):
            full[m - 1, h] = score
        for ring in ("max", "log"):
            value, mu = pruned.solve(ring, theta)
            expected, dense = make(words).solve(ring, full.ravel())
            assert np.isfinite(value)
            assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)
            np.testing.assert_allclose(
                mu, [dense[(m - 1) * (words + 1) + h] for h, m in pruned.arcs], atol=1e-12
            )


def test_refusals() -> None:
    with pytest.raises(ValueError, match="at least one word"):
        _core.NonProjectiveOracle(0)
    with pytest.raises(ValueError, match="at least one relation"):
        _core.ProjectiveOracle(3, 0)
    with pytest.raises(ValueError, match="too large"):
        _core.NonProjectiveOracle(1 << 20)
    with pytest.raises(ValueError, match="too large"):
        _core.Siblings(3000)
    with pytest.raises(ValueError, match="prune its arcs"):
        _core.Grandparents(1200)
    with pytest.raises(ValueError, match="word 2 cannot have the head 2"):
        _core.Projective(2, 1, True, [[0], [2]])
    with pytest.raises(ValueError, match="for each word"):
        _core.Projective(2, 1, True, [[0]])


@pytest.mark.parametrize("projective", [True, False])
@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_batches_equal_single_sentences(projective: bool, single_root: bool, dtype: type) -> None:
    rng = np.random.default_rng(9)
    lengths = [3, 0, 1, 17, 8, *rng.integers(1, 40, 300)]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    matrices = [rng.normal(size=n * (n + 1)).astype(dtype) for n in lengths]
    packed = np.concatenate(matrices)
    heads, values = _core.tree_decode(packed, offsets, projective, single_root)
    mu, log_z = _core.tree_marginals(packed, offsets, projective, single_root)
    risky, expected_right = _core.tree_decode(
        packed, offsets, projective, single_root, minimum_risk=True
    )
    first = np.concatenate([[0], np.cumsum([len(m) for m in matrices])])
    make = ORACLES["projective" if projective else "trees"]
    for i, n in enumerate(lengths[:60]):
        if n == 0:
            continue
        theta = matrices[i].astype(float)
        words, cells = slice(offsets[i], offsets[i + 1]), slice(first[i], first[i + 1])
        oracle = make(int(n), 1, single_root)
        value, choice = oracle.solve("max", theta)
        assert values[i] == pytest.approx(value, rel=1e-5)
        assert tuple(heads[words]) == heads_of(n, choice)
        value, marginals = oracle.solve("log", theta)
        assert log_z[i] == pytest.approx(value, rel=1e-12)
        np.testing.assert_array_equal(mu[cells], marginals)
        value, choice = _core.minimum_risk(oracle, theta)
        assert expected_right[i] == pytest.approx(value)
        assert tuple(risky[words]) == heads_of(n, choice)
    for threads in (2, 5):
        again, same = _core.tree_decode(packed, offsets, projective, single_root, threads=threads)
        np.testing.assert_array_equal(again, heads)
        np.testing.assert_array_equal(same, values)
        twice, _ = _core.tree_marginals(packed, offsets, projective, single_root, threads)
        np.testing.assert_array_equal(twice, mu)


def test_batches_with_given_heads() -> None:
    scores = np.zeros(2 * 3 + 3 * 4, dtype=np.float32)
    offsets = np.array([0, 2, 5])
    given_heads = np.array([2, -1, -1, 3, -1], dtype=np.int32)
    heads, _ = _core.tree_decode(scores, offsets, heads=given_heads)
    assert heads[0] == 2
    assert heads[1] == 0
    assert heads[3] == 3
    given_heads[1] = 1
    with pytest.raises(ValueError, match="sentence 0: no tree is allowed"):
        _core.tree_decode(scores, offsets, heads=given_heads)
    with pytest.raises(ValueError, match="word 1 cannot have the head 3"):
        _core.tree_decode(scores, offsets, heads=np.full(5, 3, dtype=np.int32))
    with pytest.raises(ValueError, match="one number for each word"):
        _core.tree_decode(scores, offsets, heads=np.full(4, -1, dtype=np.int32))
    with pytest.raises(ValueError, match="18 in all, not 17"):
        _core.tree_decode(scores[:-1], offsets)
    with pytest.raises(ValueError, match="offsets"):
        _core.tree_decode(scores, offsets[1:])
    scores[:] = -np.inf
    with pytest.raises(ValueError, match="sentence 0: no tree is allowed"):
        _core.tree_marginals(scores, offsets)
