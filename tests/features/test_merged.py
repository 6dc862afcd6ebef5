"""Texts that are counted in many places: features as if all had been in one."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest

import linnet._core as _core
from linnet.data import as_texts
from linnet.features import TextFeatures
from linnet.features.text.merged import MergedFeatures, RowMaker, SeeingFeatures

TEXTS = [f"w{k % 7} w{k % 3} w{k * k % 11} common {'rare' * (k == 20)}" for k in range(40)]
LABELS = [("no", "yes")[k % 3 == 0] for k in range(40)]
CODES = np.array([label == "yes" for label in LABELS], np.int32)
SETTINGS = {
    "counts": {"tf": "count"},
    "pruned": {"min_df": 2, "max_df": 0.9, "max_features": 9, "scale": "idf"},
    "ratios": {"scale": "nb", "tf": "binary", "min_df": 2},
    "ratios of logarithms": {"scale": "nb", "tf": "sublinear"},
    "hashed": {"hash_bits": 6, "scale": "idf", "keep_names": True},
    "hashed ratios": {"hash_bits": 6, "scale": "nb"},
    "blocks": {"chars": (3, 3), "mix": {"chars": 0.5}},
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("cuts", [[0, 40], [0, 1, 7, 7, 30, 40]], ids=["one place", "many"])
def test_features_and_rows_are_the_same(name, cuts):
    whole = TextFeatures(**SETTINGS[name])
    rows = whole.fit_rows(TEXTS, CODES, 2)
    merged = MergedFeatures(TextFeatures(**SETTINGS[name]))
    for begin, end in pairwise(cuts):
        seeing = SeeingFeatures(TextFeatures(**SETTINGS[name]), 1)
        here = sorted({*LABELS[begin:end]}, reverse=True)  # numbered in whatever order
        codes = [here.index(label) for label in LABELS[begin:end]]
        seeing.add(as_texts(TEXTS[begin:end]), np.array(codes, np.int32), here)
        merged.add(pickle.loads(pickle.dumps(seeing.seen())))
    merged.settle(CODES, 2)
    assert merged.entries == rows.entries
    wanted, found = whole.tensors(), merged.features.tensors()
    assert {k: v.tobytes() for k, v in found.items()} == {k: v.tobytes() for k, v in wanted.items()}
    assert merged.features.spec() == whole.spec()
    maker = pickle.loads(pickle.dumps(RowMaker.of(merged.features)))
    made = maker.features().rows(TEXTS)
    for array in ("indptr", "indices", "values"):
        np.testing.assert_array_equal(getattr(made, array), getattr(rows, array))


def test_texts_of_a_place_may_come_some_at_a_time():
    features = TextFeatures(scale="nb", tf="sublinear")
    at_once, in_parts = (
        SeeingFeatures(features, 1),
        SeeingFeatures(TextFeatures(**features.get_params()), 1),
    )
    at_once.add(as_texts(TEXTS), CODES, ["no", "yes"])
    for begin in range(0, 40, 7):
        some = slice(begin, begin + 7)
        in_parts.add(as_texts(TEXTS[some]), CODES[some], ["no", "yes"])
    one, other = at_once.seen(), in_parts.seen()
    assert (one.documents, one.entries) == (other.documents, other.entries)
    for name in one.arrays:
        np.testing.assert_array_equal(one.arrays[name], other.arrays[name])
    for label in ("no", "yes"):
        np.testing.assert_array_equal(one.sums[label], other.sums[label])


def test_sums_do_not_depend_on_the_order_of_texts():
    """The order in which parts are added up must not change a bit."""
    features, random = TextFeatures(tf="sublinear", scale="nb"), np.random.default_rng(0)
    texts = [" ".join(["x"] * int(n)) for n in random.integers(1, 90, 2000)]
    found = set()
    for order in (np.arange(2000), random.permutation(2000)):
        seeing = SeeingFeatures(TextFeatures(**features.get_params()), 1)
        seeing.add(as_texts([texts[k] for k in order]), np.zeros(2000, np.int32), ["a"])
        found.add(seeing.seen().sums["a"].tobytes())
    assert len(found) == 1


def test_more_than_two_labels_have_no_sums():
    seeing = SeeingFeatures(TextFeatures(scale="nb"), 1)
    seeing.add(as_texts(["a", "b", "c"]), np.arange(3, dtype=np.int32), ["x", "y", "z"])
    assert seeing.seen().sums is None


def test_what_is_merged_is_checked():
    counter = _core.FeatureCounter()
    hashes, df = np.array([1, 2], np.uint64), np.ones(2, np.uint32)
    names = np.frombuffer(b"ab", np.uint8)
    assert counter.merge(hashes, df, names, np.array([0, 1, 2])).tolist() == [0, 1]
    assert counter.merge(hashes[::-1].copy(), df, names, np.array([0, 1, 2])).tolist() == [1, 0]
    assert counter.document_frequencies.tolist() == [2, 2]
    for offsets in ([0, 1], [0, 2, 1], [1, 1, 2], [0, 1, 3], [0, 9, 2]):
        with pytest.raises(ValueError, match="one hash, count and name"):
            counter.merge(hashes, df, names, np.array(offsets))
    with pytest.raises(ValueError, match="at least two labels"):
        _core.LabelSums.of(np.zeros((3, 1)))


def test_hashes_of_texts_are_combined():
    texts = as_texts(TEXTS)
    hashes = _core.text_hashes(texts)
    assert len(hashes) == 40
    both = _core.combine_hashes(hashes[25:], _core.combine_hashes(hashes[:25]))
    assert both == _core.hash_texts(texts)
