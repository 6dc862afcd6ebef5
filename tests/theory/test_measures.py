"""Margins, R and the bounds of structures, against all outputs written out.

Of one instance the gradient of the perceptron's loss is f(x, ŷ) − f(x, y), y being gold. At the same
weights ŷ is the same whichever output is gold, so that two gradients tell f(x, y′) − f(x, y).
"""

import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core
from linnet.data import as_rows
from linnet.testing import (
    all_binary,
    all_chains,
    all_grandparent_trees,
    all_heads,
    all_higher_chains,
    all_labels,
    all_segmentations,
    all_sibling_trees,
    all_trees,
)
from linnet.training.diagnostics import diagnose

Maker = Callable[[Any], _core.Dataset]  # one instance with a given gold output

ORACLES: dict[str, tuple[_core.Oracle, Callable[[], Iterable[list[int]]]]] = {
    "binary": (_core.BinaryOracle(), all_binary),
    "multiclass": (_core.FlatOracle(4), lambda: all_labels(4)),
    "one label": (_core.FlatOracle(1), lambda: all_labels(1)),
    "chain": (_core.ChainOracle(4, 3), lambda: all_chains(4, 3)),
    "chain with ends": (_core.ChainOracle(4, 3, True), lambda: all_chains(4, 3, True)),
    "chain in single precision": (_core.ChainOracle32(4, 3), lambda: all_chains(4, 3)),
    "chain by sweep": (_core.Chain(3, 3), lambda: all_chains(3, 3)),
    "one token": (_core.ChainOracle(1, 3), lambda: all_chains(1, 3)),
    "chain of one label": (_core.ChainOracle(3, 1), lambda: all_chains(3, 1)),
    "order 2": (_core.HigherChainOracle(4, 3, 2), lambda: all_higher_chains(4, 3, 2)),
    "order 3": (_core.HigherChainOracle(5, 2, 3, True), lambda: all_higher_chains(5, 2, 3, True)),
    "segments": (_core.SemiMarkov(4, 2, 3), lambda: all_segmentations(4, 2, 3)),
    "projective": (_core.ProjectiveOracle(3, 2), lambda: all_trees(3, 2)),
    "several roots": (
        _core.ProjectiveOracle(3, 1, False),
        lambda: all_trees(3, 1, single_root=False),
    ),
    "non-projective": (
        _core.NonProjectiveOracle(3, 2),
        lambda: all_trees(3, 2, projective=False),
    ),
    "siblings": (_core.SiblingsOracle(4), lambda: all_sibling_trees(4)),
    "grandparents": (_core.Grandparents(4), lambda: all_grandparent_trees(4)),
}


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("scale", [0.0, 1.0])
def test_the_best_other_output(name: str, scale: float) -> None:
    oracle, enumerate_all = ORACLES[name]
    outputs = list(enumerate_all())
    rng = np.random.default_rng(0)
    theta = scale * rng.normal(size=oracle.parts)
    if scale:
        theta = theta.astype(np.float32).astype(float)
    scores = np.array([theta[output].sum() for output in outputs])
    ranked = np.argsort(-scores, kind="stable")
    for i in {*ranked[:3], ranked[-1]}:  # the best one, and others
        others = np.delete(scores, i)
        found = oracle.best_other(theta, outputs[i])
        if len(others) == 0:
            assert found is None
        else:
            assert found == pytest.approx(others.max(), abs=1e-5 if "single" in name else 1e-12)


@pytest.mark.parametrize("name", ORACLES)
def test_how_many_parts_of_each_range_outputs_hold(name: str) -> None:
    oracle, enumerate_all = ORACLES[name]
    ranges = sorted(oracle.holdings())
    ends = [0, *itertools.chain.from_iterable((begin, end) for begin, end, *_ in ranges)]
    assert all(b >= a for a, b in itertools.pairwise(ends))  # disjoint
    covered = sum(end - begin for begin, end, *_ in ranges)
    assert covered == oracle.parts
    for output in enumerate_all():
        held = np.bincount(np.array(output, dtype=int), minlength=oracle.parts)
        for begin, end, least, most in ranges:
            assert least <= held[begin:end].sum() <= most


def rows(n: int, seed: int, bias: float, features: int = 5) -> _core.Rows:
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 4, (n, features)) * (rng.random((n, features)) < 0.6)
    return as_rows(sp.csr_matrix(X.astype(np.float32)), bias)


def chain(order: int, tokens: int, labels: int) -> tuple[Callable[[int, float], Maker], list[Any]]:
    offsets = np.array([0, tokens])

    def make(seed: int, bias: float) -> Maker:
        made = rows(tokens, seed, bias)
        return lambda y: _core.ChainData(
            made, offsets, np.array(y, np.int32), labels, order=order, ends=seed % 2 == 1
        )

    return make, list(itertools.product(range(labels), repeat=tokens))


def tree(words: int, projective: bool, relations: int = 0) -> tuple[Any, list[Any]]:
    """With relations, every word has one as well."""
    offsets = np.array([0, words])
    arcs = [[h for h in range(words + 1) if h != m] for m in range(1, words + 1)]
    starts = np.cumsum([0, *map(len, arcs)], dtype=np.int64)
    candidates = np.concatenate(arcs).astype(np.int32)
    shape = _core.TreeShape(projective, True, 1)

    def make(seed: int, bias: float) -> Maker:
        of_arcs, of_relations = rows(starts[-1], seed, bias), rows(starts[-1], seed + 1, 1.0)

        def with_gold(y: Any) -> _core.Dataset:
            heads, labels = (y, None) if not relations else y
            trees = _core.TreeData(
                of_arcs, starts, candidates, offsets, np.array(heads, np.int32), np.ones(1), shape
            )
            if labels is None:
                return trees
            return _core.LabelledTreeData(trees, of_relations, np.array(labels, np.int32), relations)

        return with_gold

    heads = [tuple(h) for h in all_heads(words, projective=projective)]
    if not relations:
        return make, heads
    return make, list(itertools.product(heads, itertools.product(range(relations), repeat=words)))


def flat(labels: int, binary: bool) -> tuple[Any, list[Any]]:
    def make(seed: int, bias: float) -> Maker:
        made = rows(1, seed, bias)
        return lambda y: _core.BlockData(made, np.array([y], np.int32), labels, binary)

    return make, list(range(labels))


def candidates(count: int) -> tuple[Any, list[Any]]:
    def make(seed: int, _: float) -> Maker:
        made = rows(count, seed, 0.0)
        return lambda y: _core.CandidateData(made, np.array([0, count]), np.array([y], np.int32))

    return make, list(range(count))


def segments(tokens: int) -> tuple[Any, list[Any]]:
    """Codes of one type: 0 outside, 1 first, 2 inside."""

    def make(seed: int, bias: float) -> Maker:
        made = rows(tokens, seed, bias)
        return lambda y: _core.SegmentData(made, np.array([0, tokens]), np.array(y, np.int32), 1, 3)

    every = itertools.product(range(3), repeat=tokens)
    legal = [y for y in every if all(b != 2 or a in (1, 2) for a, b in zip((0, *y), y, strict=False))]
    return make, legal


SHAPES: dict[str, tuple[Any, list[Any]]] = {
    "binary": flat(2, True),
    "multiclass": flat(3, False),
    "candidates": candidates(4),
    "chain": chain(1, 3, 3),
    "one token": chain(1, 1, 3),
    "order 2": chain(2, 4, 2),
    "order 3": chain(3, 4, 2),
    "segments": segments(4),
    "projective": tree(3, True),
    "non-projective": tree(3, False),
    "relations": tree(2, True, 2),
}
EXACT = {"binary", "multiclass", "candidates", "one token"}


@pytest.mark.parametrize("name", SHAPES)
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10**6), bias=st.sampled_from([0.0, 1.0]), gold=st.integers(0, 10**6))
def test_margin_and_reach_of_all_outputs(name: str, seed: int, bias: float, gold: int) -> None:
    of_shape, outputs = SHAPES[name]
    make = of_shape(seed, bias)
    zero = np.zeros(make(outputs[0]).dim)

    def relative(y: Any) -> np.ndarray:
        return _core.BatchObjective(make(y), "perceptron", l2=0.0).evaluate(zero)[1]

    f = -np.array([relative(y) for y in outputs])  # up to what all have in common
    chosen = gold % len(outputs)
    differences = np.delete(f[chosen] - f, chosen, axis=0)
    w = np.random.default_rng(seed).normal(size=len(zero))
    w[~np.isin(np.arange(len(w)), np.flatnonzero(np.abs(f).sum(axis=0)))] = 0
    margins, mistakes, weights, R, X, left_out, n = _core.margins(make(outputs[chosen]), w)
    margin = (differences @ w).min()
    assert margins[0] == pytest.approx(margin, abs=1e-9)
    assert (weights[0], left_out) == (1, 0)
    assert margin == 0 or mistakes[0] == (margin < 0)  # a tie may go either way
    reach = np.linalg.norm(differences, axis=1).max(), np.abs(differences).max()
    if name in EXACT:
        assert pytest.approx(reach) == (R, X)
    else:
        assert reach[0] - 1e-9 <= R
        assert reach[1] - 1e-9 <= X
        # the bound is of use: within a small factor on instances as small as these
        assert 2.5 * reach[0] >= R
    assert n <= len(zero)


def test_two_weights_by_hand() -> None:
    """X = (3, −4) is yes, scored by w = (1, −1): 7 against 0, and x is 5 long."""
    data = _core.BlockData(as_rows(np.array([[3.0, -4.0]]), 0.0), np.array([1], np.int32), 2, True)
    facts = diagnose(data, np.array([0.0, 1, -1]))
    assert (facts["R"], facts["functional_margin"]) == (5, 7)
    assert facts["geometric_margin"] == pytest.approx(7 / math.sqrt(2))
    assert facts["mistake_bound"] == pytest.approx(25 * 2 / 49)
    # n = 2 features, ‖u‖₁ = 2/7 for a margin of 1, ‖x‖∞ = 4
    assert facts["winnow_bound"] == pytest.approx(2 * math.log(4) * (2 / 7) ** 2 * 16)


@pytest.mark.parametrize(("k", "n"), [(2, 40), (40, 40)])
def test_the_bounds_of_k_relevant_attributes(k: int, n: int) -> None:
    """Kn against 2k² ln 2n, on rows of ±1 where u has k ones and the margin is 1 (k odd or even)."""
    rng = np.random.default_rng(0)
    X = np.sign(rng.normal(size=(200, n)))
    scores = X[:, :k].sum(axis=1)
    X, scores = X[scores != 0], scores[scores != 0]
    u = np.concatenate([np.zeros(1), np.ones(k), np.zeros(n - k)])
    data = _core.BlockData(as_rows(X, 0.0), (scores > 0).astype(np.int32), 2, True)
    facts = diagnose(data, u)
    gamma = np.abs(scores).min()
    assert facts["mistake_bound"] == pytest.approx(k * n / gamma**2)
    assert facts["winnow_bound"] == pytest.approx(2 * k**2 * math.log(2 * n) / gamma**2)
    assert (facts["winnow_bound"] < facts["mistake_bound"]) == (k == 2)


def test_rows_of_a_unit_matrix() -> None:
    """Where all attributes matter the perceptron's bound is n, Winnow's 2n² ln 2n."""
    n = 12
    data = _core.BlockData(as_rows(np.eye(n), 0.0), np.ones(n, np.int32), 2, True)
    facts = diagnose(data, np.concatenate([np.zeros(1), np.ones(n)]))
    assert facts["mistake_bound"] == pytest.approx(n)
    assert facts["winnow_bound"] == pytest.approx(2 * n**2 * math.log(2 * n))


def test_weights_that_do_not_separate_have_no_bound() -> None:
    data = _core.BlockData(as_rows(np.eye(2), 0.0), np.array([0, 1], np.int32), 2, True)
    facts = diagnose(data, np.ones(3))
    assert (facts["separates"], facts["mistake_bound"], facts["winnow_bound"]) == (False, None, None)


def test_missing_labels_are_left_out_and_threads_change_nothing() -> None:
    made, offsets = rows(40, 3, 1.0), np.arange(0, 41, 4)
    y = np.random.default_rng(0).integers(0, 3, 40).astype(np.int32)
    y[5] = -1
    data = _core.ChainData(made, offsets, y, 3)
    w = np.random.default_rng(1).normal(size=data.dim)
    one, three = diagnose(data, w, 1), diagnose(data, w, 3)
    assert one == three
    assert one["left_out"] == 1


@pytest.mark.parametrize(("length", "labels", "scale"), [(300, 3, 1.0), (100, 9, 1e4), (64, 17, 1.0)])
def test_the_best_other_labels_of_long_chains(length: int, labels: int, scale: float) -> None:
    """By prefixes and suffixes as by a list of two."""
    kernel, generic = _core.ChainOracle(length, labels, True), _core.Chain(length, labels, True)
    theta = scale * np.random.default_rng(0).normal(size=kernel.parts)
    (best, first), (other, second) = generic.kbest(theta, 2)
    assert kernel.best_other(theta, first) == pytest.approx(other, rel=1e-12)
    assert kernel.best_other(theta, second) == pytest.approx(best, rel=1e-12)
