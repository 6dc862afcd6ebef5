"""Tagging from templates without rows: equal, to the bit, to the rows first and then the scores."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from linnet.data.sequences import Sequences
from linnet.features import TokenFeatures
from linnet.features.recipes import RECIPES
from linnet.model import ChainModel, ChainRules, LabelWeights

WORDS = ["the", "linnet", "Sings", "1998", "of", "hedges", ",", "überall", "U.S.", "wheat-ear"]
LABELS = 5


def sentences(seed: int, count: int, longest: int = 12) -> Sequences:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, count)
    return Sequences.from_lists([[WORDS[k] for k in rng.integers(0, 10, n)] for n in lengths])


def model_over(features: int, seed: int = 0, bias: float = 1.0) -> ChainModel:
    rng = np.random.default_rng(seed)
    block = rng.normal(size=(features + 1, LABELS)).astype(np.float32)
    block[rng.random(block.shape) < 0.7] = 0  # many rows have no weight at all
    ends = [rng.normal(size=LABELS).astype(np.float32) for _ in range(2)]
    moves = rng.normal(size=(LABELS, LABELS)).astype(np.float32)
    return ChainModel(LABELS, LabelWeights.of_dense(block), bias, 1, False, moves, *ends)


def check(features: TokenFeatures, data: Any, **more: Any) -> None:
    model = model_over(features.n_features)
    by_rows = model.best(features.rows(data), data.offsets, **more)
    for threads in (1, 2):
        fused = model.best_of_tokens(features.compiled, data, features.table, threads=threads, **more)
        for a, b in zip(by_rows, fused, strict=True):
            assert_array_equal(a, b)


@pytest.mark.parametrize("recipe", ["pos", "ner", "repeated"])
@pytest.mark.parametrize("hash_bits", [None, 6, 16])
def test_fused_equals_rows(recipe: str, hash_bits: int | None) -> None:
    repeated = ["word[0]", "word[0]", "lower", "word[-1]", "word[0]"]
    features = TokenFeatures(templates=recipe if recipe in RECIPES else repeated, hash_bits=hash_bits)
    features.fit_rows(sentences(0, 150))
    check(features, sentences(1, 300))


def test_with_rules() -> None:
    features = TokenFeatures(templates="pos")
    features.fit_rows(sentences(0, 50))
    data = sentences(2, 80)
    tokens = (np.random.default_rng(0).random((data.tokens, LABELS)) < 0.7).astype(np.uint8)
    tokens[:, 0] = 1
    moves = np.ones((LABELS, LABELS), np.uint8)
    moves[1, 2] = 0
    check(features, data, rules=ChainRules(transitions=moves, tokens=tokens))


def test_attributes_of_the_user() -> None:
    rng = np.random.default_rng(3)
    given = [
        [{f"a{k}": float(x) for k, x in enumerate(rng.normal(size=4))} for _ in range(n)]
        for n in rng.integers(1, 6, 60)
    ]
    data = Sequences.from_lists(given)
    features = TokenFeatures()
    features.fit_rows(data)
    check(features, data)


def test_a_sentence_of_one_token_and_a_long_one() -> None:
    features = TokenFeatures(templates="pos")
    features.fit_rows(sentences(0, 50))
    check(features, Sequences.from_lists([["linnet"], WORDS * 2000, ["Sings"]]))


def test_a_table_of_other_features_is_refused() -> None:
    features = TokenFeatures(templates="pos")
    features.fit_rows(sentences(0, 50))
    model = model_over(features.n_features - 1)
    with pytest.raises(ValueError, match="features"):
        model.best_of_tokens(features.compiled, sentences(0, 2), features.table)


def test_features_without_weights_can_be_left_out() -> None:
    features = TokenFeatures(templates="pos")
    features.fit_rows(sentences(0, 150))
    model, data = model_over(features.n_features), sentences(1, 100)
    small, kept = model.compact()
    fewer = features.among(kept)
    assert 0 < small.features == fewer.n_features < model.features
    assert list(fewer.names) == [features.names[k] for k in kept]
    wanted = model.best_of_tokens(features.compiled, data, features.table)
    found = small.best_of_tokens(fewer.compiled, data, fewer.table)
    for a, b in zip(wanted, found, strict=True):
        assert_array_equal(a, b)
