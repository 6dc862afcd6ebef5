"""Text features against themselves: streams, threads, occurrences, files, copies."""

from __future__ import annotations

import itertools
import json
import pickle
import signal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data import as_texts
from linnet.errors import DataError
from linnet.features import TextFeatures

from .text_sample import CODES, TEXTS, text


@settings(max_examples=60, deadline=None)
@given(st.lists(text, max_size=12), st.lists(st.integers(0, 12), max_size=3))
def test_a_stream_in_chunks_is_the_whole_at_once(texts: list[str], cuts: list[int]) -> None:
    settings = {"chars_wb": (2, 3), "tf": "count", "norm": "none"}
    whole = TextFeatures(**settings)
    expected = whole.fit_rows(texts)
    stream = TextFeatures(**settings)
    places = [0, *sorted(min(c, len(texts)) for c in cuts), len(texts)]
    chunks = [stream.grow_rows(texts[a:b]) for a, b in itertools.pairwise(places)]
    np.testing.assert_array_equal(np.concatenate([c.indices for c in chunks]), expected.indices)
    np.testing.assert_array_equal(np.concatenate([c.values for c in chunks]), expected.values)
    assert list(stream.names) == list(whole.names)
    again = stream.rows(texts)
    np.testing.assert_array_equal(again.indices, expected.indices)


def test_idf_follows_a_stream() -> None:
    whole, stream = (TextFeatures(scale="idf") for _ in range(2))
    whole.fit_rows(TEXTS)
    stream.grow_rows(TEXTS[:40])
    stream.grow_rows(TEXTS[40:])
    np.testing.assert_array_equal(stream.values, whole.values)
    np.testing.assert_array_equal(stream.rows(TEXTS).values, whole.rows(TEXTS).values)


@pytest.mark.parametrize(
    "settings", [{"min_df": 2}, {"tf": "count", "scale": "idf"}, {"hash_bits": 6, "tf": "count"}]
)
def test_the_same_bits_for_any_number_of_threads(settings: dict) -> None:
    texts = [f"{t} number{i % 500} {i}" for i, t in enumerate(TEXTS * 30)]
    results = []
    for threads in (1, 2, 3):
        features = TextFeatures(chars=(2, 3), statistics=["punctuation", "length"], **settings)
        fitted = features.fit_rows(texts, threads=threads)
        rows = features.rows(texts, threads=threads)
        results.append([fitted.indptr, fitted.indices, fitted.values, rows.indices, rows.values])
        results[-1].extend(features.tensors().values())
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            assert a.tobytes() == b.tobytes()


@settings(max_examples=60, deadline=None)
@given(st.lists(text, min_size=1, max_size=8), text)
def test_occurrences_add_up_to_the_row(texts: list[str], one: str) -> None:
    features = TextFeatures(chars=(1, 3), skip=1, tf="sublinear", scale="idf", statistics=["length"])
    features.fit_rows(texts)
    row = features.rows([one])
    sums: dict[int, float] = {}
    for j, begin, end, name, share in features.occurrences(one):
        sums[j] = sums.get(j, 0.0) + share
        if j >= 0:
            assert features.names[j] == name
        if begin >= 0:
            assert 0 <= begin <= end <= len(one)
            if name.startswith("chars:") and not any(c.isspace() for c in one[begin:end]):
                shown = one[begin:end].lower().replace("\ud800", "\ufffd")
                assert name == f"chars:{shown}"
    sums.pop(-1, None)
    assert sums.keys() == set(row.indices.tolist())
    for j, x in zip(row.indices.tolist(), row.values.tolist(), strict=True):
        assert sums[j] == pytest.approx(x, rel=1e-6)


@pytest.mark.parametrize(
    "settings",
    [
        {"min_df": 2},
        {"scale": "idf", "tf": "sublinear"},
        {"scale": "nb", "statistics": ("length",), "stop_words": "english"},
        {"hash_bits": 8},
        {"hash_bits": 8, "keep_names": True, "scale": "idf"},
    ],
)
def test_parts_give_the_same_features_again(settings: dict) -> None:
    features = TextFeatures(**settings)
    features.fit_rows(TEXTS, CODES, 2)
    spec = json.loads(json.dumps(features.spec()))
    tensors = features.tensors()
    for array in tensors.values():
        array.flags.writeable = False
    loaded = TextFeatures.from_parts(spec, tensors)
    ours, theirs = features.rows(TEXTS), loaded.rows(TEXTS)
    assert ours.values.tobytes() == theirs.values.tobytes()
    assert ours.indices.tobytes() == theirs.indices.tobytes()
    assert list(loaded.names) == list(features.names)
    assert loaded.spec() == features.spec()
    if "statistics" not in settings and settings.get("scale") != "nb":
        more = ["entirely new words", *TEXTS[:3]]
        a, b = features.grow_rows(more), loaded.grow_rows(more)
        assert a.indices.tobytes() == b.indices.tobytes()
        assert a.values.tobytes() == b.values.tobytes()
        assert list(loaded.names) == list(features.names)


def test_a_hostile_table_is_refused_or_harmless() -> None:
    features = TextFeatures(scale="idf")
    features.fit_rows(TEXTS)
    spec, tensors = features.spec(), features.tensors()
    for name, array in tensors.items():
        with pytest.raises(DataError):
            TextFeatures.from_parts(spec, tensors | {name: array[:-1]})
        with pytest.raises(DataError):
            TextFeatures.from_parts(spec, {k: v for k, v in tensors.items() if k != name})
    with pytest.raises(DataError):
        TextFeatures.from_parts(spec | {"features": 10**9}, tensors)
    rng = np.random.default_rng(0)
    for slots in (
        rng.integers(0, 2**64, len(tensors["slots"]), dtype=np.uint64),  # full, ids anywhere
        tensors["slots"] | np.uint64(0x7FFFFFFF),
        np.full_like(tensors["slots"], 2**64 - 1),
    ):
        loaded = TextFeatures.from_parts(spec, tensors | {"slots": slots})
        rows = loaded.rows(TEXTS)
        assert ((rows.indices >= 0) & (rows.indices < features.n_features)).all()
    offsets = rng.integers(-(2**62), 2**62, len(tensors["name_offsets"]))
    offsets[0], offsets[-1] = 0, tensors["name_offsets"][-1]
    assert len(list(TextFeatures.from_parts(spec, tensors | {"name_offsets": offsets}).names)) > 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that signals")
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupted_stream_is_as_before(threads: int) -> None:
    features = TextFeatures(chars=(1, 6), scale="idf")
    features.grow_rows(TEXTS[:10])
    names, values = list(features.names), features.values
    many = as_texts([f"{text} {i}" for i, text in enumerate(TEXTS * 200)])

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            features.grow_rows(many, threads=threads)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert list(features.names) == names
    np.testing.assert_array_equal(features.values, values)
    fresh = TextFeatures(chars=(1, 6), scale="idf")
    for chunk in (TEXTS[:10], TEXTS[10:20]):
        expected = fresh.grow_rows(chunk)
    again = features.grow_rows(TEXTS[10:20])
    np.testing.assert_array_equal(again.indices, expected.indices)
    np.testing.assert_array_equal(again.values, expected.values)


def test_features_can_be_pickled() -> None:
    features = TextFeatures(min_df=2, scale="idf")
    assert repr(pickle.loads(pickle.dumps(features))) == repr(features)
    expected = features.fit_rows(TEXTS)
    again = pickle.loads(pickle.dumps(features))
    assert again.rows(TEXTS).values.tobytes() == expected.values.tobytes()
    assert again.get_params() == features.get_params()
