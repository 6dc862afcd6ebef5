"""Trees over candidates: every ring against all trees of small sentences."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import linnet._core as _core
from linnet.features.compiled_heads import compiled_heads
from linnet.features.forests import ForestFeatures, label_codes, label_names
from linnet.grammars.heads import COLLINS_HEADS
from linnet.testing import all_bracketings

CHAINS = [("S",), ("NP",), ("S", "VP"), ("VP",)]
TAGS = ["DT", "NN", "VBZ", "CC"]
Tree = tuple[tuple[int, int, int], ...]


@dataclass
class Case:
    """One sentence with candidates and weights, and all of its trees."""

    length: int
    candidates: list[tuple[int, int, int]]
    p: NDArray[np.float64]
    weights: NDArray[np.float32]
    tags: NDArray[np.int32]
    wanted: tuple[tuple[int, int], ...] = ()

    def parser(self) -> _core.ForestParser:
        offsets = np.array([0, self.length], np.int64)
        codes = np.arange(self.length, dtype=np.int32)
        sets = np.zeros(0, np.uint8)
        tokens = _core.PhraseTokens(offsets, self.tags, codes, codes, len(TAGS) + 1, sets)
        rows = np.array(self.candidates, np.int32).reshape(-1, 3)
        found = _core.BracketCandidates(
            np.array([0, len(rows)], np.int64),
            *(np.ascontiguousarray(rows[:, k]) for k in range(3)),
            np.log(self.p).astype(np.float32),
            len(CHAINS),
        )
        features = ForestFeatures(
            phrase=["first.tag last.tag", "head.word length", "doubt"],
            pair=["sibling child", "sibling.head.word between.tag child.length"],
            child=["side child distance", "head.word child.head.word"],
            hash_bits=10,
        )
        heads = compiled_heads(COLLINS_HEADS, label_names(CHAINS), TAGS)
        rules = None
        if self.wanted:
            begins, ends = (np.array(each, np.int32) for each in zip(*self.wanted, strict=True))
            labels = np.full(len(begins), -1, np.int32)
            starts = np.array([0, len(begins)], np.int64)
            must = np.ones(len(begins), np.uint8)
            rules = _core.SpanRules(starts, begins, ends, labels, must, len(CHAINS))
        return _core.ForestParser(
            tokens, found, features.compiled(())[0], heads, label_codes(CHAINS), self.weights, rules
        )

    def trees(self) -> list[Tree]:
        """All that consist of candidates, brackets in the order in which they open."""
        spans = [(i, j) for i in range(self.length) for j in range(i + 1, self.length + 1)]
        there = set(self.candidates)
        found = []
        for parts in all_bracketings(self.length, len(CHAINS), wanted=self.wanted):
            tree = [(*spans[part // len(CHAINS)], part % len(CHAINS)) for part in parts]
            if set(tree) <= there:
                found.append(tuple(sorted(tree, key=lambda b: (b[0], -b[1]))))
        return found

    def scores(self, parser: _core.ForestParser, trees: list[Tree]) -> NDArray[np.float64]:
        """Feature by feature, as brackets say what theirs are."""
        return np.array([sum(self.bracket(parser, tree, b) for b in tree) for tree in trees])

    def bracket(self, parser: _core.ForestParser, tree: Tree, bracket: tuple[int, int, int]) -> float:
        begins, ends, labels = (list(each) for each in zip(*tree, strict=True))
        found = parser.origins(0, begins, ends, labels, bracket[0], bracket[1])
        return float(sum(self.weights[place] for _, place, *_ in found))


def tree_of(arrays: Any, i: int = 0) -> Tree:
    """The i-th tree of what the core answers."""
    starts, begins, ends, labels, *_ = arrays
    at = slice(starts[i], starts[i + 1])
    rows = zip(begins[at].tolist(), ends[at].tolist(), labels[at].tolist(), strict=True)
    return tuple(sorted(rows, key=lambda b: (b[0], -b[1])))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    length = draw(st.integers(1, 4))
    spans = [(i, j) for i in range(length) for j in range(i + 1, length + 1)]
    every = [(*span, label) for span in spans for label in range(len(CHAINS))]
    chosen = set(draw(st.lists(st.sampled_from(every), max_size=9)))
    chosen.add((0, length, draw(st.integers(0, len(CHAINS) - 1))))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    weights = rng.normal(size=1 << 10).astype(np.float32)
    return Case(
        length,
        sorted(chosen),
        rng.uniform(0.001, 1, len(chosen)),
        weights,
        rng.integers(0, len(TAGS) + 1, length).astype(np.int32),
    )


@given(cases())
@settings(max_examples=60, deadline=None)
def test_best_and_sums_are_those_of_all_trees(case: Case) -> None:
    parser, trees = case.parser(), case.trees()
    scores = case.scores(parser, trees)
    best = parser.best()
    assert best[-1][0] == pytest.approx(scores.max(), abs=1e-4)
    assert tree_of(best) == trees[int(scores.argmax())]
    assert best[4].sum() == pytest.approx(best[-1][0], abs=1e-4)  # brackets sum to the tree

    log_z = np.logaddexp.reduce(scores)
    found = parser.marginals()
    assert found[-1][0] == pytest.approx(log_z, abs=1e-4)
    shares = dict.fromkeys(case.candidates, 0.0)
    for tree, p in zip(trees, np.exp(scores - log_z), strict=True):
        for bracket in tree:
            shares[bracket] += p
    rows = zip(*(each.tolist() for each in found[1:4]), strict=True)
    for row, share in zip(rows, found[4].tolist(), strict=True):
        assert share == pytest.approx(shares[row], abs=1e-4)


@given(cases())
@settings(max_examples=40, deadline=None)
def test_k_best_are_the_first_of_all_trees(case: Case) -> None:
    parser, trees = case.parser(), case.trees()
    scores = np.sort(case.scores(parser, trees))[::-1]
    (found,) = parser.best_trees(5)
    assert found[-1] == pytest.approx(scores[:5], abs=1e-4)
    assert len({tree_of(found, i) for i in range(len(found[-1]))}) == len(found[-1])


@given(cases())
@settings(max_examples=40, deadline=None)
def test_without_each_bracket_of_the_best_tree(case: Case) -> None:
    parser, trees = case.parser(), case.trees()
    scores = case.scores(parser, trees)
    best = tree_of(parser.best())
    (found,) = parser.without_each()
    for k, bracket in enumerate(best):
        others = [s for tree, s in zip(trees, scores, strict=True) if bracket not in tree]
        assert found[-1][k] == pytest.approx(max(others, default=-np.inf), abs=1e-4)


@given(cases(), st.sampled_from([0.2, 0.5, 0.8]))
@settings(max_examples=40, deadline=None)
def test_least_risk_is_that_of_all_trees(case: Case, threshold: float) -> None:
    parser, trees = case.parser(), case.trees()
    scores = case.scores(parser, trees)
    p = np.exp(scores - np.logaddexp.reduce(scores))

    def names(tree: Tree) -> dict[tuple[int, int, str, int], int]:
        """Each label over words, the second of the same kind as another one."""
        found = {}
        for begin, end, label in tree:
            seen: dict[str, int] = {}
            for name in CHAINS[label]:
                seen[name] = seen.get(name, 0) + 1
                found[begin, end, name, seen[name]] = 1
        return found

    expected: dict[tuple[int, int, str, int], float] = {}
    for tree, share in zip(trees, p, strict=True):
        for name in names(tree):
            expected[name] = expected.get(name, 0.0) + share
    worth = [sum(expected[name] - threshold for name in names(tree)) for tree in trees]
    found = tree_of(parser.least_risk(threshold))
    assert found in trees
    assert worth[trees.index(found)] == pytest.approx(max(worth), abs=1e-4)


def test_samples_follow_probabilities() -> None:
    rng = np.random.default_rng(3)
    every = [(i, j, k) for i, j in itertools.combinations(range(4), 2) for k in range(2)]
    case = Case(
        3,
        every,
        np.full(len(every), 0.5),
        (0.5 * rng.normal(size=1 << 10)).astype(np.float32),
        np.array([0, 1, 2], np.int32),
    )
    parser, trees = case.parser(), case.trees()
    scores = case.scores(parser, trees)
    p = np.exp(scores - np.logaddexp.reduce(scores))
    n = 20_000
    (found,) = parser.samples(n, seed=1)
    counts = dict.fromkeys(trees, 0)
    for i in range(n):
        counts[tree_of(found, i)] += 1
    wanted = n * p
    often = wanted > 5
    chi = (((np.array(list(counts.values())) - wanted) ** 2 / wanted)[often]).sum()
    assert chi < often.sum() + 5 * np.sqrt(2 * often.sum())


@given(cases(), st.data())
@settings(max_examples=40, deadline=None)
def test_wanted_spans_are_brackets(case: Case, data: st.DataObject) -> None:
    case.wanted = (data.draw(st.sampled_from(case.candidates))[:2],)
    trees = case.trees()
    parser = case.parser()
    scores = case.scores(parser, trees)
    found = parser.best()
    assert found[-1][0] == pytest.approx(scores.max(initial=-np.inf), abs=1e-4)
    if trees:
        assert parser.marginals()[-1][0] == pytest.approx(np.logaddexp.reduce(scores), abs=1e-4)


def test_heads_of_the_core_are_those_of_the_rules() -> None:
    labels = sorted(COLLINS_HEADS.searches)
    tags = ["NN", "NNS", "VBZ", "IN", "DT", "JJ", "CC", ",", "POS", "CD", "TO", "RB", "$", "WP"]
    compiled = compiled_heads(COLLINS_HEADS, labels, tags)
    names = [*labels, *tags]
    rng = np.random.default_rng(0)
    for _ in range(3000):
        label = int(rng.integers(len(labels)))
        children = rng.integers(0, len(names), int(rng.integers(1, 7))).tolist()
        expected = COLLINS_HEADS.head(labels[label], [names[c] for c in children])
        assert compiled.head(label, children) == expected


def test_candidates_that_do_not_fit_are_refused() -> None:
    one = np.array([0, 1], np.int64)
    code = np.zeros(1, np.int32)
    with pytest.raises(ValueError, match="out of range"):
        _core.BracketCandidates(one, code, code + 1, code + 7, np.zeros(1, np.float32), 3)
    with pytest.raises(ValueError, match="do not fit"):
        _core.BracketCandidates(one, code, code[:0], code, np.zeros(1, np.float32), 3)
    with pytest.raises(ValueError, match="out of range"):
        _core.BracketCandidates(one, code, code + 1, code, np.array([0.5], np.float32), 3)
