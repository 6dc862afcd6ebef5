"""Chosen words, whose hashes share a home, are found after few looks and numbered as all others."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import linnet
from linnet import _core as core
from linnet.data import Sequences
from linnet.features import TextFeatures, TokenFeatures

from .flooding import hashes_of, words_that_share_a_home

WORDS = words_that_share_a_home(6000, 7)
FEW = 2200  # slots: four detours; a run of all words would be 6,000 and more


def counter_of(hashes: np.ndarray) -> core.FeatureCounter:
    size = len(hashes)
    none = np.zeros(size, np.uint32), np.zeros(0, np.uint8), np.zeros(size + 1, np.int64)
    return core.FeatureCounter(hashes, *none)


def looks(slots: np.ndarray, hashes: np.ndarray) -> np.ndarray:
    return core.FeatureTable.interned(slots, len(hashes)).looks(np.ascontiguousarray(hashes))


def test_the_helper_hashes_as_the_core_does() -> None:
    analyzer = core.Analyzer([("word", 1, 1)])
    own = hashes_of(np.frombuffer("".join(WORDS[:50]).encode(), "<u8"), 8)
    assert [analyzer.grams(word)[0][0] for word in WORDS[:50]] == own.tolist()
    assert (own >> np.uint64(57) == 0).all()


@pytest.mark.parametrize("bits", [8, 20, 40])
def test_searches_end_in_a_table_of_any_kind(bits: int) -> None:
    """While it grows, and once it has settled."""
    low = np.random.default_rng(bits).integers(0, 1 << (63 - bits), 20_000, dtype=np.uint64)
    hashes = np.unique(low << np.uint64(bits) >> np.uint64(bits))
    growing = counter_of(hashes).slots
    assert looks(growing, hashes).max() < FEW
    strangers = hashes[:-1] + np.uint64(1)
    assert looks(growing, strangers[~np.isin(strangers, hashes)]).max() < FEW
    fingerprints, slots = core.pack_features(hashes, int(len(hashes) / 0.7))
    assert len(slots) == len(hashes)
    packed = core.FeatureTable.packed(fingerprints)
    assert packed.looks(hashes).max() < 4 * 1024


def test_texts_of_such_words_are_learnt_and_known_again() -> None:
    features = TextFeatures(word=(1, 1), tf="count", norm="none")
    rows = features.fit_rows([" ".join(WORDS), "other words"])
    assert features.n_features == len(WORDS) + 2
    assert list(features.names[:3]) == WORDS[:3]
    state = features.tensors()
    assert looks(state["slots"], state["hashes"]).max() < FEW
    again = TextFeatures.from_parts(features.spec(), state)
    weights = np.arange(features.n_features + 1, dtype=np.float32).reshape(-1, 1)
    scores = again.scorer(weights, 1, 0.0).scores(WORDS)
    np.testing.assert_array_equal(scores[:, 0], np.arange(1, len(WORDS) + 1))
    assert rows is not None
    grown = features.grow_rows([" ".join(words_that_share_a_home(2000, 7, seed=1))])
    assert grown is not None
    state = features.tensors()
    assert looks(state["slots"], state["hashes"]).max() < FEW


def test_what_is_distinct_in_a_text_is_found_after_few_looks() -> None:
    chosen = hashes_of(np.frombuffer("".join(WORDS).encode(), "<u8"), 8)
    assert core.looks_in_vain(np.tile(chosen, 2)) < 2 * len(chosen) * 150
    usual = np.random.default_rng(0).integers(0, 1 << 63, 6000, dtype=np.uint64) << np.uint64(1)
    assert core.looks_in_vain(usual) < len(usual)


def test_tables_of_hashes_that_nobody_chose_are_those_of_linear_probing() -> None:
    hashes = np.random.default_rng(1).integers(0, 1 << 63, 20_000, dtype=np.uint64) << np.uint64(1)
    slots = counter_of(hashes).slots
    taken = np.flatnonzero(slots)
    ids = (slots[taken] & np.uint64(0xFFFFFFFF)).astype(np.int64) - 1
    homes = np.array([int(h) * len(slots) >> 64 for h in hashes[ids].tolist()])
    past = (taken - homes) % len(slots)
    full = set(taken.tolist())
    assert past.max() < 512
    for place, steps in zip(taken.tolist(), past.tolist(), strict=True):
        assert all((place - k) % len(slots) in full for k in range(1, steps + 1))


def test_tokens_and_labels_keep_their_numbers() -> None:
    codes, names = core.Texts.from_list(WORDS + WORDS[::-1]).codes()
    assert names == sorted(WORDS)
    assert [names[c] for c in codes.tolist()] == WORDS + WORDS[::-1]
    tokens = TokenFeatures(templates=["word[0]"])
    tokens.fit_rows(sentences())
    assert tokens.n_features == len(WORDS)
    state = tokens.tensors()
    assert looks(state["slots"], state["hashes"]).max() < FEW


def sentences() -> Sequences:
    lists = [WORDS[a:b] for a, b in pairwise([*range(0, len(WORDS), 500), len(WORDS)])]
    return Sequences.from_lists(lists)


def test_a_classifier_of_such_texts_is_saved_and_loaded(tmp_path) -> None:
    half = len(WORDS) // 2
    X = [" ".join(WORDS[:half]), " ".join(WORDS[half:])] * 3
    model = linnet.TextClassifier().fit(X, ["a", "b"] * 3)
    model.save(tmp_path / "m.linnet")
    loaded = linnet.load(tmp_path / "m.linnet")
    assert loaded.predict(X).tolist() == ["a", "b"] * 3
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
