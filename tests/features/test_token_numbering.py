"""Numbers of token features: threads, rare ones, hashes, growth, files, odd sentences."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from linnet.data import as_texts
from linnet.errors import DataError
from linnet.features import TokenFeatures

from .token_sentences import (
    BIRDS,
    CRFPP_CHUNKING,
    Sentences,
    assert_same,
    corpus_of,
    fitted,
    named,
    sentences,
)


@pytest.mark.parametrize(
    "settings", [{}, {"min_df": 3}, {"hash_bits": 10}, {"hash_bits": 18, "keep_names": True}]
)
def test_threads_change_nothing(settings: dict) -> None:
    data = corpus_of(20_000)
    one = TokenFeatures(templates="chunk", **settings)
    two = TokenFeatures(templates="chunk", **settings)
    rows = one.fit_rows(data)
    assert_same(rows, two.fit_rows(data, threads=4))
    assert_same(rows, one.rows(data, threads=3))
    for name, array in one.tensors().items():
        np.testing.assert_array_equal(array, two.tensors()[name])


def test_rare_features_are_left_out() -> None:
    data = corpus_of(3_000)
    counts = Counter(name for row in fitted("chunk", data) for name in row)
    some = {name for row in fitted("chunk", data, min_df=4) for name in row}
    assert some == {name for name, count in counts.items() if count >= 4}
    share = {name for row in fitted("chunk", data, min_df=0.01) for name in row}
    assert share == {name for name, count in counts.items() if count >= 30}
    features = TokenFeatures(templates="chunk", max_features=100)
    features.fit_rows(data)
    ranked = sorted(counts, key=lambda name: -counts[name])
    assert {counts[name] for name in features.names} <= {counts[name] for name in ranked[:100]}
    assert features.n_features == 100


def test_hashing_keeps_sums() -> None:
    data = corpus_of(500)
    exact = TokenFeatures(templates="chunk")
    sums = [sum(row.values()) for row in named(exact.fit_rows(data), exact.names)]
    hashed = TokenFeatures(templates="chunk", hash_bits=6)
    rows = hashed.fit_rows(data)
    assert rows.features == hashed.n_features == 64
    np.testing.assert_array_equal(np.add.reduceat(rows.values, rows.indptr[:-1]), sums)
    for begin, end in pairwise(rows.indptr):
        assert len(set(rows.indices[begin:end])) == end - begin
    assert hashed.names[5] == "hash:5"
    kept = TokenFeatures(templates="chunk", hash_bits=24, keep_names=True)
    for row, theirs in zip(kept_rows(kept, data), named(exact.rows(data), exact.names), strict=True):
        assert {name for names in row for name in names.split(" | ")} >= set(theirs)


def kept_rows(features: TokenFeatures, data: Sentences) -> list[dict[str, float]]:
    return named(features.fit_rows(data), features.names)


def test_grows_as_if_it_had_seen_all_at_once() -> None:
    data = corpus_of(2_000)
    half = len(data.offsets) // 2
    at = int(data.offsets[half])
    first = {name: texts.take(np.arange(at)) for name, texts in data.columns.items()}
    rest = {name: texts.take(np.arange(at, 2_000)) for name, texts in data.columns.items()}
    whole = TokenFeatures(templates="chunk")
    rows = whole.fit_rows(data)
    grown = TokenFeatures(templates="chunk")
    a = grown.grow_rows(Sentences(first, data.offsets[: half + 1]))
    grown = TokenFeatures.from_parts(grown.spec(), grown.tensors())
    b = grown.grow_rows(Sentences(rest, data.offsets[half:] - at))
    np.testing.assert_array_equal(np.concatenate([a.indices, b.indices]), rows.indices)
    assert list(grown.names) == list(whole.names)


# Files


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"min_df": 2},
        {"hash_bits": 12},
        {"hash_bits": 12, "keep_names": True},
        {"templates": CRFPP_CHUNKING},
        {
            "templates": ["year word", "cluster2", "place[-1..1]"],
            "classes": {"year": r"^w1"},
            "lexicons": {"cluster": {"w1": "0110", "w2": "é"}, "place": ["w3 w1", "w2"]},
        },
    ],
)
def test_survives_a_model_file(settings: dict) -> None:
    data, more = corpus_of(800), corpus_of(300, seed=2)
    features = TokenFeatures(**{"templates": "chunk"} | settings)
    features.fit_rows(data)
    spec = json.loads(json.dumps(features.spec()))
    tensors = {name: array.copy() for name, array in features.tensors().items()}
    for array in tensors.values():
        array.setflags(write=False)
    for copy in (TokenFeatures.from_parts(spec, tensors), pickle.loads(pickle.dumps(features))):
        assert_same(features.rows(more), copy.rows(more))
        assert list(copy.names[:100]) == list(features.names[:100])
        assert json.loads(json.dumps(copy.spec())) == spec


def test_damage_is_reported() -> None:
    features = TokenFeatures(templates="chunk")
    features.fit_rows(BIRDS)
    spec, tensors = features.spec(), features.tensors()
    for name in spec:
        with pytest.raises(DataError, match="damaged"):
            TokenFeatures.from_parts({k: v for k, v in spec.items() if k != name}, tensors)
    for name in tensors:
        with pytest.raises(DataError, match="damaged"):
            TokenFeatures.from_parts(spec, {k: v for k, v in tensors.items() if k != name})
    with pytest.raises(DataError, match="damaged"):
        TokenFeatures.from_parts(spec | {"templates": ["word["]}, tensors)


def test_unfitted_features_are_copied_by_pickle() -> None:
    assert pickle.loads(pickle.dumps(TokenFeatures(min_df=2))).min_df == 2


# Odd sentences


def test_odd_sentences() -> None:
    empty = Sentences({"word": as_texts([])}, np.array([0, 0, 0]))
    features = TokenFeatures(templates=["word[-1..1]", "first", "last"])
    assert len(features.fit_rows(empty)) == 0
    long = Sentences({"word": as_texts(["a"] * 100_000)}, np.array([0, 0, 100_000, 100_000]))
    assert len(features.fit_rows(long)) == 100_000
    assert features.n_features == 7
    blank = sentences([[("", "x"), ("\ud800", "y")]])
    assert [set(row) for row in fitted(["word", "prefix1", "class"], blank)] == [
        {"word[0]="},
        {"word[0]=\ufffd", "prefix1[0]=\ufffd", "punctuation[0]"},
    ]


@pytest.mark.parametrize("offsets", [[1, 3], [0, 2, 1, 3], [0, 4], []])
def test_bad_offsets_are_refused(offsets: list[int]) -> None:
    data = Sentences({"word": as_texts(["a", "b", "c"])}, np.array([0, 3]))
    features = TokenFeatures(templates=["word"])
    features.fit_rows(data)
    with pytest.raises(ValueError, match=r"sentence|column"):
        features.rows(Sentences(data.columns, np.array(offsets, dtype=np.int64)))
