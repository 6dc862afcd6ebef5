"""What the dependency parser goes by: explanations, largest weights by name, its first pass."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from linnet import _core
from linnet.explain.arc_weights import find_sibling_names

from ..parsers import FEW, TRAIN, as_lists, parser


def test_explanations_sum_to_scores() -> None:
    for settings in ({}, {"order": 1}, {"projective": False}):
        model = parser(**settings)
        for told, (heads, relations) in zip(model.explain(FEW), model.predict(FEW), strict=True):
            assert told.heads == heads
            assert told.relations == relations
            total = sum(word.head.score for word in told.explained)
            assert total == pytest.approx(told.score, rel=1e-4)


def test_the_runner_up_is_the_best_other_head() -> None:
    model, one = parser(order=1), FEW.take([0])
    told = model.explain(one)[0]
    best, m = told.score, 5
    word = told.explained[m - 1]
    others = []
    for head in range(int(one.lengths[0]) + 1):
        if head not in (m, told.heads[m - 1]):
            known = [[None] * int(one.lengths[0])]
            known[0][m - 1] = head
            others.append((model.predict(one, k=1, known=known)[0][0][2], head))
    score, head = max(others)
    assert word.head.runner_up == head
    assert word.margin == pytest.approx(best - score, abs=1e-4)


def test_one_word_of_a_sentence_is_explained() -> None:
    X = as_lists(FEW)[0]
    told = parser().explain(X[0], word=2)
    assert [word.number for word in told.explained] == [2]
    assert told.explained[0].relation.chosen == told.relations[1]
    assert told.explained[0].word in str(told)
    assert "<svg" in told.to_html()
    assert told.to_dict()["explained"][0]["number"] == 2
    for wrong in (0, 99):
        with pytest.raises(ValueError, match=r"no word|word must be"):
            parser().explain(X[0], word=wrong)


@pytest.mark.parametrize("settings", [{}, {"order": 1}, {"projective": False}])
def test_long_sentences_are_explained_in_time(settings: dict[str, Any]) -> None:
    """All runners-up come of one pass; one search for each word and candidate took minutes."""
    tokens = [token for sentence in as_lists(TRAIN)[0] for token in sentence][:300]
    model = parser(**settings)
    started = time.monotonic()
    told = model.explain(tokens)
    assert time.monotonic() - started < 20
    assert len(told.explained) == 300
    assert all(word.margin is not None and word.margin >= 0 for word in told.explained)
    m = 150
    one = model.explain(tokens, word=m).explained[0]
    assert one == told.explained[m - 1]


def test_certain_arcs_have_probabilities() -> None:
    told = parser(loss="logistic", max_iter=4, order=1).explain(FEW)[0]
    table = parser(loss="logistic", max_iter=4, order=1).predict_proba(FEW)[0]
    for word in told.explained:
        assert word.probability == pytest.approx(table[word.number - 1, word.head.chosen])


def test_largest_weights_have_names() -> None:
    found = parser().inspect(top=5)
    assert len(found.arcs["top"]) == len(found.arcs["bottom"]) == 5
    assert all(a[1] >= b[1] for a, b in pairwise(found.arcs["top"]))
    assert all("=" in name for name, _ in found.arcs["top"])
    names = parser().names_["arcs"]
    assert max(parser().model_.weights[1:]) == pytest.approx(
        max(parser().model_.weights[j + 1] for j in names)
    )
    assert set(found.relations) == set(parser().classes_.tolist())
    assert "det" in str(found)
    assert found.to_dict()["relations"]["det"]


def test_features_of_siblings_have_names_too() -> None:
    found = parser().inspect(top=3)
    assert found.siblings["top"]
    assert all("s." in name for name, _ in found.siblings["top"] + found.siblings["bottom"])
    assert not set(parser().names_["arcs"]) & set(parser().names_["siblings"])
    assert "for a sibling" in str(found)
    first = parser(order=1).inspect(top=3)
    assert first.siblings == {"top": [], "bottom": []}
    assert "sibling" not in str(first)


def test_names_of_siblings_are_those_of_their_features() -> None:
    few, model = TRAIN.take(range(3)), parser().model_
    arcs = model.candidates(few)
    everything = np.arange(model.arcs.n_features)
    found = find_sibling_names(model.arcs, everything, few, arcs)
    tokens = model.arcs.over(few)
    rows, _ = _core.sibling_rows(tokens, arcs.starts, arcs.heads)
    _, indices, _ = rows.arrays(0, rows.size)
    assert set(found) == set(indices.tolist())


def test_what_the_first_pass_leaves_is_told() -> None:
    facts = parser().record_.facts
    arcs = parser().model_.candidates(TRAIN)
    assert facts["candidate_recall"] == arcs.recall(TRAIN.heads) > 0.99
    assert facts["candidates_per_word"] == pytest.approx(len(arcs) / TRAIN.tokens)
    assert parser().why_[-1].startswith("candidates: ")
    everything = parser(candidates=None, max_iter=1)
    assert "candidate_recall" not in everything.record_.facts
