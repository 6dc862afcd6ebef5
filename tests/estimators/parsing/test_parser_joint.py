"""Parsers whose arcs compete together with their relations, and those whose arcs do not."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from linnet import DependencyParser
from linnet.errors import RefusedError
from linnet.features.arcs import ArcFeatures

from ..parsers import TEST, TRAIN, parser

FEW = TEST.take(np.arange(6))
TEMPLATES = ["h.upos m.upos *", "m.lemma direction"]


def test_it_is_the_default_of_steps_alone() -> None:
    assert parser().model_.joint_features is not None
    assert any(line.startswith("features of joint: 2^14 weights") for line in parser().why_)
    assert parser(learner="perceptron", max_iter=2).model_.joint_weights is not None
    for settings in ({"loss": "logistic", "max_iter": 1}, {"loss": "joint_likelihood"}):
        assert parser(**settings).model_.joint_features is None


def test_none_is_no_view_of_relations() -> None:
    plain = parser(joint=None)
    assert plain.model_.joint_features is None
    assert "joint" not in plain.model_.tensors()
    assert plain.score(TEST) > 0.97
    assert parser().score(TEST) > 0.97
    assert (plain.model_.weights != parser().model_.weights).any()


def test_templates_and_features_can_be_given() -> None:
    by_lines = DependencyParser(joint=TEMPLATES, max_iter=2).fit(TRAIN)
    features = ArcFeatures(templates=TEMPLATES, hash_bits=14)
    by_object = DependencyParser(joint=features, max_iter=2).fit(TRAIN)
    assert by_lines.predict(TEST) == by_object.predict(TEST)
    assert by_lines.model_.joint_features is not None
    assert by_lines.model_.joint_features.columns == ["lemma", "upos"]


def test_what_cannot_learn_it_refuses_it() -> None:
    for settings in ({"loss": "logistic"}, {"learner": "mira"}):
        with pytest.raises(RefusedError, match="together with heads"):
            DependencyParser(joint=TEMPLATES, max_iter=1, **settings).fit(FEW)
    with pytest.raises(RefusedError, match="leave out features, joint"):
        DependencyParser(joint=TEMPLATES, loss="joint_likelihood").fit(FEW)
    with pytest.raises(ValueError, match="cannot look at the tree"):
        DependencyParser(joint=["m.first.upos"]).fit(FEW)


def test_explanations_name_the_relation_that_the_arc_competes_with() -> None:
    told = parser().explain(FEW)[0]
    for word in told.explained:
        joint = {term.name for term in word.head.terms if " relation=" in term.name}
        assert joint
        assert word.relation is not None
        assert not any(" relation=" in term.name for term in word.relation.terms)
    plain = parser(joint=None).explain(FEW)[0]
    assert not any(" relation=" in t.name for word in plain.explained for t in word.head.terms)


@pytest.mark.parametrize("settings", [{}, {"order": 1}, {"projective": False}], ids=str)
def test_lists_begin_with_the_best_tree(settings: dict[str, Any]) -> None:
    model = parser(**settings)
    heads, scores = model.model_.best(FEW)
    for i, ranked in enumerate(model.predict(FEW, k=3)):
        assert ranked[0][0] == heads[FEW.offsets[i] : FEW.offsets[i + 1]].tolist()
        assert ranked[0][2] == pytest.approx(float(scores[i]), rel=1e-5)
        assert [tree[2] for tree in ranked] == sorted((tree[2] for tree in ranked), reverse=True)


def test_threads_and_copies_change_nothing() -> None:
    wanted = parser().predict(TEST)
    assert pickle.loads(pickle.dumps(parser())).predict(TEST) == wanted
    assert DependencyParser(n_jobs=3).fit(TRAIN).predict(TEST) == wanted
    shared = DependencyParser(n_jobs=1).fit(TRAIN).model_
    np.testing.assert_array_equal(shared.joint_weights, parser().model_.joint_weights)


def test_words_without_relations_are_learnt_from() -> None:
    X = [
        [(form, tag) for form, tag in zip(*pair, strict=True)]
        for pair in zip(TRAIN.column("form"), TRAIN.column("upos"), strict=True)
    ]
    y = [
        (heads, [None if m % 4 == 1 else name for m, name in enumerate(names)])
        for heads, names in zip(TRAIN.head_lists(), TRAIN.relation_lists(), strict=True)
    ]
    assert DependencyParser(max_iter=5).fit(X, y).score(TEST, metric="uas") > 0.9
