"""Other trees than the best: those of least risk, and those drawn by their probability."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from linnet import DependencyParser, testing
from linnet.data import samples
from linnet.data.trees import Trees
from linnet.errors import RefusedError

TRAIN = samples.load_trees("rambles-train").take(range(80))
FEW = samples.load_trees("rambles-test").take(range(6))
SHORT = [[("a", "DET"), ("heron", "NOUN"), ("sang", "VERB"), ("loudly", "ADV")]]
KINDS: list[dict[str, Any]] = [
    {"order": 1},
    {"order": 2},
    {"projective": False},
    {"projective": False, "roots": "many"},
]
each_kind = pytest.mark.parametrize("kind", range(len(KINDS)), ids=[str(kind) for kind in KINDS])


@cache
def parser(kind: int, passes: int = 2) -> DependencyParser:
    columns = ("form", "upos")
    kept = Trees.from_lists(
        [
            [dict(zip(columns, token, strict=True)) for token in zip(*cells, strict=True)]
            for cells in zip(*(TRAIN.column(name) for name in columns), strict=True)
        ],
        TRAIN.head_lists(),
        TRAIN.relation_lists(),
    )
    settings = {"loss": "logistic", "candidates": None, "max_iter": passes}
    return DependencyParser(**settings | KINDS[kind]).fit(kept)


def all_trees(kind: int, words: int) -> np.ndarray:
    one, projective = KINDS[kind].get("roots") != "many", KINDS[kind].get("projective", True)
    return np.array(list(testing.all_heads(words, one, projective)))


@each_kind
def test_least_risk_has_most_heads_right_to_be_expected(kind: int) -> None:
    fitted = parser(kind)
    for sentence in (SHORT[0], SHORT[0][:2], [SHORT[0][k] for k in (3, 2, 1, 0, 1)]):
        (p,) = fitted.predict_proba([sentence])
        trees = all_trees(kind, len(sentence))
        expected = p[np.arange(len(sentence)), trees].sum(axis=1)
        ((heads, relations),) = fitted.predict([sentence], decode="risk")
        assert p[np.arange(len(sentence)), heads].sum() == pytest.approx(expected.max())
        assert len(relations) == len(heads)
        _, values = fitted.model_.best(fitted._read([sentence]), least_risk=True)
        assert values[0] == pytest.approx(expected.max())


@each_kind
def test_least_risk_is_a_tree_and_keeps_known_heads(kind: int) -> None:
    fitted = parser(kind)
    heads, relations = fitted.parse(FEW, decode="risk")
    Trees(FEW.sequences, heads, relations, KINDS[kind].get("roots", "one"))  # or it complains
    known = [[None] * int(n) for n in FEW.lengths]
    known[0][0] = 2
    assert fitted.predict(FEW, known=known, decode="risk")[0][0][0] == 2
    found = fitted.parse_trees(FEW, decode="risk")
    np.testing.assert_array_equal(found.heads, heads)
    assert 0 <= fitted.score(FEW, decode="risk") <= 1


def test_least_risk_may_differ_from_the_best_tree() -> None:
    fitted = parser(0)
    best, _ = fitted.parse(TRAIN)
    risk, _ = fitted.parse(TRAIN, decode="risk")
    assert (best != risk).any()


def test_margins_have_no_risk_and_no_samples() -> None:
    margins = DependencyParser(max_iter=1).fit(TRAIN)
    for method in (margins.predict, margins.parse, margins.parse_trees, margins.score):
        with pytest.raises(RefusedError, match="loss='logistic'"):
            method(FEW, decode="risk")
    with pytest.raises(AttributeError, match="loss='logistic'"):
        _ = margins.sample
    with pytest.raises(ValueError, match="decode must be"):
        margins.predict(FEW, decode="viterbi")
    with pytest.raises(ValueError, match="k best"):
        parser(0).predict(FEW, k=2, decode="risk")


@each_kind
def test_samples_come_as_often_as_they_should(kind: int) -> None:
    fitted, count = parser(kind), 3000
    (drawn,) = fitted.sample(SHORT, count, random_state=3)
    trees = all_trees(kind, 4)
    ranked = fitted.predict(SHORT, k=len(trees))[0]
    assert len(ranked) == len(trees)
    scores = np.array([score for *_, score in ranked])
    p = np.exp(scores - scores.max())
    p /= p.sum()
    place = {tuple(heads): i for i, (heads, *_) in enumerate(ranked)}
    seen = np.bincount([place[tuple(heads)] for heads, _ in drawn], minlength=len(p)) / count
    assert (np.abs(seen - p) < 5 * np.sqrt(p * (1 - p) / count) + 1e-3).all()
    relations = {tuple(heads): tuple(names) for heads, names, _ in ranked}
    assert all(relations[tuple(heads)] == tuple(names) for heads, names in drawn)


@each_kind
def test_samples_of_sentences(kind: int) -> None:
    fitted = parser(kind)
    drawn = fitted.sample(FEW, 3, random_state=1)
    assert [len(of_sentence) for of_sentence in drawn] == [3] * len(FEW)
    for k in range(3):
        heads = [of_sentence[k][0] for of_sentence in drawn]
        replaced = np.concatenate([np.array(h, np.int32) for h in heads])
        Trees(FEW.sequences, replaced, FEW.relations, KINDS[kind].get("roots", "one"))
    assert fitted.sample(FEW, 3, random_state=1) == drawn
    assert fitted.sample(FEW, 3, random_state=2) != drawn
    known = [[None] * int(n) for n in FEW.lengths]
    known[0][0] = 2
    kept = fitted.sample(FEW, 5, known=known)[0]
    assert all(heads[0] == 2 for heads, _ in kept)
    fitted.n_jobs = 2
    assert fitted.sample(FEW, 3, random_state=1) == drawn
    fitted.n_jobs = None
    assert fitted.sample([[]], 2) == [[([], []), ([], [])]]
    assert fitted.sample([], 2) == []
    with pytest.raises(ValueError, match="n must be"):
        fitted.sample(FEW, 0)
