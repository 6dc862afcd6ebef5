"""Explanations of taggers: the terms sum to the score, runners-up are those of brute force."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from linnet.data import Sequences
from linnet.explain import explain_tags, tag_weights
from linnet.features import TokenFeatures
from linnet.model import ChainModel, LabelWeights
from linnet.model.small_chain import quantise_chain
from linnet.structures import ANYTHING, ChainRules

SENTENCES = [
    ["a", "linnet", "sings"],
    ["the", "wren", "hides", "a", "nest"],
    ["<b>", "linnet"],
    ["wren"],
]
TAGS = ["D", "N", "V"]
KINDS = {
    "independent": {"order": 0},
    "first order": {"order": 1},
    "ends": {"order": 1, "ends": True},
    "second order": {"order": 2},
    "second order, ends": {"order": 2, "ends": True},
    "third order": {"order": 3},
    "fourth order, ends": {"order": 4, "ends": True},
    "pairs": {"order": 1, "pairs": True},
    "pairs, ends": {"order": 1, "pairs": True, "ends": True},
    "local": {"order": 1, "local": True},
    "local, ends": {"order": 1, "local": True, "ends": True},
}
RULES = {
    "anything": ANYTHING,
    "rules": ChainRules(
        np.array([[0, 1, 1], [1, 1, 1], [1, 1, 0]], np.uint8),
        np.array([1, 1, 0], np.uint8),
        np.array([0, 1, 1], np.uint8),
    ),
}


def made(seed: int = 0, **kind: Any) -> tuple[Any, Any, ChainModel, Sequences]:
    """Features, features of pairs, a model of random weights and sentences."""
    rng = np.random.default_rng(seed)
    data = Sequences.from_lists(SENTENCES)
    features = TokenFeatures(templates=["word", "word[-1]", "suffix2", "transition: word[-1] word"])
    features.fit_rows(data)
    L = len(TAGS)

    def real(*shape: int) -> Any:
        return rng.normal(size=shape).astype(np.float32)

    def weights(size: int, width: int) -> LabelWeights:
        return LabelWeights.of_dense(real(size + 1, width) * (rng.random((size + 1, width)) < 0.7))

    order, ends, local = kind.get("order", 1), kind.get("ends"), bool(kind.get("local"))
    pair_features = features.pairs() if kind.get("pairs") else None
    if pair_features is not None:
        pair_features.fit_rows(data)
    model = ChainModel(
        L,
        weights(features.n_features, L),
        kind.get("bias", 0.5),
        order,
        local,
        real(L, L) if order else None,
        real(L) if ends else None,
        real(L) if ends and not local else None,
        tuple(real(*(L,) * size) for size in range(3, order + 2)),
        None if pair_features is None else weights(pair_features.n_features, L * L),
        0.25,
    )
    return features, pair_features, model, data


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("which", RULES)
def test_terms_sum_to_the_score(kind: str, which: str) -> None:
    features, pair_features, model, data = made(**KINDS[kind])
    rules = RULES[which]
    found = explain_tags(
        features, model, TAGS, data, pair_features=pair_features, rules=rules, probabilities=True
    )
    pairs = None if pair_features is None else pair_features.rows(data)
    rows = features.rows(data)
    codes, scores = model.best(rows, data.offsets, pairs=pairs, rules=rules)
    marginals, _ = model.marginals(rows, data.offsets, pairs=pairs, rules=rules)
    everything = model.kbest(rows, data.offsets, 3**5, pairs=pairs, rules=rules)
    assert [tag for each in found for tag in each.tags] == [TAGS[y] for y in codes]
    t = 0
    for each, score, (all_scores, sequences) in zip(found, scores, everything, strict=True):
        terms = [term for token in each.tokens for term in token.terms]
        np.testing.assert_allclose(sum(term.contribution for term in terms), score, rtol=1e-12)
        np.testing.assert_allclose(each.score, score, rtol=1e-12)
        for at, token in enumerate(each.tokens):
            assert token.probability == marginals[t, TAGS.index(token.tag)]
            others = sequences[:, at] != TAGS.index(token.tag)
            if others.any():
                first = int(np.argmax(others))
                assert token.runner_up == TAGS[sequences[first, at]]
                np.testing.assert_allclose(token.margin, score - all_scores[first], atol=1e-9)
            else:
                assert token.runner_up is None
                assert token.margin is None
            t += 1


@pytest.mark.parametrize("kind", KINDS)
def test_differences_are_those_of_the_runner_up(kind: str) -> None:
    """What the terms of a token and those onward lead by is what replacing its tag costs."""
    features, pair_features, model, data = made(1, **KINDS[kind])
    found = explain_tags(features, model, TAGS, data, pair_features=pair_features)
    pairs = None if pair_features is None else pair_features.rows(data)
    rows = features.rows(data)
    codes, _ = model.best(rows, data.offsets, pairs=pairs)
    tokens = [(i, token) for i, each in enumerate(found) for token in each.tokens]
    for t, (i, token) in enumerate(tokens):
        replaced = codes.copy()
        replaced[t] = TAGS.index(token.runner_up)
        scores = model.scores_of(replaced, rows, data.offsets, pairs=pairs)
        lead = sum(term.difference for term in [*token.terms, *token.onward])
        np.testing.assert_allclose(lead, found[i].score - scores[i], atol=1e-9)


def test_names_and_kinds() -> None:
    features, pair_features, model, data = made(order=1, pairs=True, ends=True)
    first = explain_tags(features, model, TAGS, data, pair_features=pair_features)[0]
    a, linnet, sings = first.tokens
    assert [token.token for token in first.tokens] == SENTENCES[0]
    assert [term.name for term in a.terms] == [
        "bias",
        "word[0]=a",
        "word[-1]=_B-1",
        f"start → {a.tag}",
    ]
    assert [term.kind for term in linnet.terms] == ["feature"] * 4 + ["transition", "pair", "pair"]
    assert linnet.terms[4].name == f"{a.tag} → {linnet.tag}"
    assert linnet.terms[6].name == f"{a.tag} → {linnet.tag} at word[-1]=a word[0]=linnet"
    assert [term.kind for term in sings.terms][-1] == "stop"
    assert [term.kind for term in linnet.onward] == ["transition", "pair", "pair"]
    assert sings.onward == []


def test_without_probabilities_and_alternatives() -> None:
    features, _, model, data = made()
    alone = replace(
        model,
        n_labels=1,
        states=LabelWeights.of_dense(model.states.dense(3)[:, :1]),
        transitions=np.zeros((1, 1), np.float32),
    )
    found = explain_tags(features, alone, ["D"], data, probabilities=False)[0]
    assert all(token.runner_up is None and token.probability is None for token in found.tokens)
    assert all(term.other == 0 for token in found.tokens for term in token.terms)
    assert "D" in str(found)
    assert found.to_html()


def test_renderings() -> None:
    features, pair_features, model, data = made(order=1, pairs=True, ends=True)
    for found in explain_tags(features, model, TAGS, data, pair_features=pair_features):
        assert json.loads(json.dumps(found.to_dict()))["score"] == found.score
        console = Console(width=120, record=True, file=io.StringIO())
        console.print(found)
        shown = console.export_text()
        for text in (str(found), shown):
            for token in found.tokens:
                assert token.token in text
                assert f"ahead of {token.runner_up}" in text
            strongest = found.tokens[0].strongest()[0]
            assert f"{strongest.difference:+.4f}" in text
        html = found.to_html()
        assert found._repr_html_() == html
        assert "<b><b>" not in html
        assert ("&lt;b&gt;" in html) == (found.tokens[0].token == "<b>")


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_packed_models_explain_by_the_names_of_the_sentence(kind: str, bits: int) -> None:
    features, pair_features, model, data = made(**KINDS[kind])
    small, small_pairs, packed = quantise_chain(features, pair_features, model, bits)
    with pytest.raises(ValueError, match="names of features were dropped"):
        _ = small.names
    found = explain_tags(small, packed, TAGS, data, pair_features=small_pairs)
    pairs = None if small_pairs is None else small_pairs.rows(data)
    _, scores = packed.best(small.rows(data), data.offsets, pairs=pairs)
    np.testing.assert_allclose([each.score for each in found], scores, rtol=1e-9)
    plain = explain_tags(features, model, TAGS, data, pair_features=pair_features)
    for each, other in zip(found, plain, strict=True):
        for token, same in zip(each.tokens, other.tokens, strict=True):
            named = {term.name for term in token.terms if term.kind == "feature"}
            assert named <= {term.name for term in same.terms}


def test_hashed_features_are_named_by_the_sentence() -> None:
    data = Sequences.from_lists(SENTENCES)
    features = TokenFeatures(templates=["word", "suffix2"], hash_bits=3)
    features.fit_rows(data)
    model = ChainModel(
        2, LabelWeights.of_dense(np.ones((9, 2))), 0.0, transitions=np.zeros((2, 2), np.float32)
    )
    named = {
        name
        for each in explain_tags(features, model, ["a", "b"], data)
        for token in each.tokens
        for term in token.terms
        for name in term.name.split(" | ")
    }
    assert {"word[0]=linnet", "suffix2[0]=et", "word[0]=wren"} <= named


def test_attributes_of_tokens() -> None:
    data = Sequences.from_lists([[{"red": 2.0, "bird=linnet": 1}, {"tail": -0.5}]])
    features = TokenFeatures(templates=[])
    rows = features.fit_rows(data)
    weights = np.arange(8, dtype=np.float32).reshape(4, 2)
    model = ChainModel(2, LabelWeights.of_dense(weights), 0.0, 0)
    found = explain_tags(features, model, ["a", "b"], data)[0]
    assert [token.token for token in found.tokens] == ["#1", "#2"]
    assert {(term.name, term.value) for term in found.tokens[0].terms} == {
        ("red", 2.0),
        ("bird=linnet", 1.0),
    }
    assert found.score == pytest.approx(model.best(rows, data.offsets)[1][0])


# ---------------------------------------------------------------------- weights


@pytest.mark.parametrize("order", [2, 3])
def test_largest_weights(order: int) -> None:
    features, _, model, _ = made(order=order, ends=True)
    found = tag_weights(features, model, TAGS, 4)
    block = model.states.dense(3)
    names = ["bias", *features.names]
    for y, tag in enumerate(TAGS):
        largest = np.argsort(-block[:, y], kind="stable")
        assert found.tags[tag].top == [
            (names[j], float(block[j, y])) for j in largest[:4] if block[j, y] > 0
        ]
        assert [w for _, w in found.tags[tag].bottom] == sorted(w for w in block[:, y] if w < 0)[:4]
    moves = np.concatenate([table.reshape(-1) for table in (model.transitions, *model.windows)])
    assert [w for _, w in found.transitions.top] == sorted(moves.tolist(), reverse=True)[:4]
    assert [w for _, w in found.transitions.bottom] == sorted(moves.tolist())[:4]
    by_name = dict([*found.transitions.top, *found.transitions.bottom])
    for name, weight in by_name.items():
        places = tuple(map(TAGS.index, name.split(" → ")))
        assert (model.transitions, *model.windows)[len(places) - 2][places] == np.float32(weight)
    assert found.start == dict(zip(TAGS, model.start.tolist(), strict=True))
    assert found.counts["features"] == features.n_features
    assert found.counts["weights of features"] == np.count_nonzero(block)
    text = str(found)
    assert "first tags" in text
    assert f"{features.n_features:,} features" in text
    assert json.loads(json.dumps(found.to_dict()))["counts"] == found.counts
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(found)
    assert "last tags" in console.export_text()
    with pytest.raises(ValueError, match="top must be"):
        tag_weights(features, model, TAGS, 0)


def test_weights_of_observed_transitions_and_of_independent_tokens() -> None:
    features, pair_features, model, _ = made(order=1, pairs=True)
    found = tag_weights(features, model, TAGS, 100, pair_features)
    rows = found.observed.rows()
    assert len(rows) == np.count_nonzero(model.pairs.weights)
    assert any(name.endswith(" at word[-1]=a word[0]=linnet") for name, _ in rows)
    assert found.start is None
    assert "see the tokens" in str(found)
    features, _, model, _ = made(order=0)
    found = tag_weights(features, model, TAGS, 2)
    assert found.transitions.rows() == []
    assert "transitions" not in found.counts


def test_without_names() -> None:
    features, _, model, _ = made()
    small, _, packed = quantise_chain(features, None, model)
    assert tag_weights(small, packed, TAGS).tags["N"].top[0][0].startswith("feature #")
    small, _, packed = quantise_chain(features, None, model, names=True)
    named = tag_weights(small, packed, TAGS, 1).tags
    assert {tag: each.top[0][0] for tag, each in named.items()} == {
        tag: each.top[0][0] for tag, each in tag_weights(features, model, TAGS, 1).tags.items()
    }
