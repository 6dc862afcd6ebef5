"""Blocks of features normalised apart, the first words, and rows under other labels' ratios."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet._core as _core
from linnet.features import TextFeatures, label_ratios, quantise, reweighed

from ..birds import BIRDS, HELD_TEXTS, TEXTS

CODES = (np.array(BIRDS) < "m").astype(np.int32)
MIXES = [
    {"mix": {}},
    {"mix": {"lead": 0.5, "chars_wb": 0.25}},
    {"mix": {"word": 3.0}, "norm": "l1"},
    {"mix": {"lead": 2.0}, "scale": "idf", "tf": "sublinear"},
    {"mix": {"lead": 0.5}, "scale": "nb"},
    {"mix": {"lead": 0.5}, "tf": "count", "elementwise": "square"},
]
BLOCKS = {"word": (1, 2), "chars_wb": (2, 3), "lead": 3, "chars_first": 30}


def fitted(**settings: object) -> TextFeatures:
    features = TextFeatures(**BLOCKS | settings)
    features.fit_rows(TEXTS, CODES, 2)
    return features


def blocks(features: TextFeatures) -> np.ndarray:
    """The block of each feature, by features of each block alone."""
    kinds = np.array(["?"] * features.n_features, dtype=object)
    for kind in ("word", "chars_wb", "lead"):
        alone = {"word": None, "chars_wb": None, "lead": 0} | {kind: BLOCKS[kind]}
        part = TextFeatures(**BLOCKS | alone)
        part.fit_rows(TEXTS)
        names = set(part.names)
        kinds[[name in names for name in features.names]] = kind
    assert "?" not in kinds
    return kinds


@pytest.mark.parametrize("settings", MIXES, ids=str)
def test_each_block_has_its_share_of_the_norm(settings: dict) -> None:
    features = fitted(**settings)
    kinds = blocks(features)
    plain = TextFeatures(**BLOCKS | settings | {"mix": None, "norm": "none"})
    plain.fit_rows(TEXTS, CODES, 2)
    assert list(plain.names) == list(features.names)
    texts = [*HELD_TEXTS[:40], "", " ", "gorse", "?", "xyzzy", "the the the"]
    raw = plain.rows(texts).scipy().toarray().astype(np.float64)
    x = features.rows(texts).scipy().toarray()
    order = 1 if settings.get("norm") == "l1" else 2
    weight = {"word": 1.0, "chars_wb": 1.0, "lead": 1.0} | settings["mix"]
    for row, unweighed in zip(x, raw, strict=True):
        sizes = {kind: np.linalg.norm(unweighed[kinds == kind], order) for kind in weight}
        there = [weight[kind] for kind, size in sizes.items() if size > 0]
        total = np.linalg.norm(there, order) if there else 1.0
        for kind, size in sizes.items():
            expected = unweighed[kinds == kind] / (size or 1.0) * weight[kind] / total
            np.testing.assert_allclose(row[kinds == kind], expected, atol=2e-6)
        if there:
            assert np.linalg.norm(row, order) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize(
    "settings", [*MIXES, {"mix": {}, "hash_bits": 6}, {"mix": {}, "norm": "none"}], ids=str
)
@pytest.mark.parametrize("width", [1, 5])
def test_fused_scores_are_rows_times_weights(settings: dict, width: int) -> None:
    features = fitted(**settings)
    weights = np.zeros((features.n_features + 1, _core.padded(width)), dtype=np.float32)
    weights[:, :width] = np.random.default_rng(0).normal(size=(len(weights), width))
    rows = features.rows(HELD_TEXTS).scipy().astype(np.float64)
    expected = rows @ weights[1:, :width].astype(np.float64) + 0.3 * weights[0, :width]
    for threads in (1, 2, 3):
        scores = features.scorer(weights, width, 0.3).scores(HELD_TEXTS, threads)
        np.testing.assert_allclose(scores, expected, atol=2e-4)
    if "hash_bits" not in settings:
        small, packed = quantise(features, weights, width)
        block = packed.block().astype(np.float64)
        rows = small.rows(HELD_TEXTS).scipy().astype(np.float64)
        expected = rows @ block[1:, :width] + 0.3 * block[0, :width]
        scores = small.scorer(packed, width, 0.3).scores(HELD_TEXTS)
        np.testing.assert_allclose(scores, expected, atol=2e-4)


@settings(max_examples=40, deadline=None)
@given(text=st.text(max_size=30) | st.lists(st.sampled_from(" ".join(TEXTS[:3]).split())).map(" ".join))
def test_shares_of_occurrences_add_up_to_the_row(text: str) -> None:
    for features in (MIXED, HASHED):
        row = features.rows([text]).scipy().toarray()[0]
        sums = np.zeros(features.n_features)
        for j, _, _, _, share in features.occurrences(text):
            if j >= 0:
                sums[j] += share
        np.testing.assert_allclose(sums, row, atol=1e-6)


MIXED, HASHED = fitted(mix={"lead": 0.5}), fitted(mix={"lead": 0.5}, hash_bits=4)


@pytest.mark.parametrize("settings", MIXES, ids=str)
def test_growing_and_parts_of_files(settings: dict) -> None:
    features = fitted(**settings)
    spec = json.loads(json.dumps(features.spec()))
    found = TextFeatures.from_parts(spec, features.tensors())
    a, b = features.rows(HELD_TEXTS), found.rows(HELD_TEXTS)
    np.testing.assert_array_equal(a.values, b.values)
    np.testing.assert_array_equal(a.part_starts, b.part_starts)
    before = found.n_features
    grown = found.grow_rows(["words that nobody has ever written"])
    assert found.n_features > before
    assert grown.features == found.n_features


def test_lead_is_the_first_words_once_more() -> None:
    features = TextFeatures(word=None, lead=3, norm="none", tf="count")
    rows = features.fit_rows(["a b a c d", "b"]).scipy().toarray()
    names = [name.removeprefix("lead:").strip() for name in features.names]
    assert sorted(names) == sorted(["a", "b", "a b", "b a"])
    assert dict(zip(names, rows[0], strict=True)) == {"a": 2, "b": 1, "a b": 1, "b a": 1}
    with_words = TextFeatures(word=(1, 1), lead=1, norm="none")
    with_words.fit_rows(["a b"])
    assert with_words.n_features == 3  # the first word is a feature of its own


def test_chars_first_looks_at_the_beginning_only() -> None:
    whole = TextFeatures(word=None, chars=(2, 2), norm="none")
    first = TextFeatures(word=None, chars=(2, 2), chars_first=4, norm="none")
    whole.fit_rows(["abcdefgh"])
    first.fit_rows(["abcdefgh"])
    assert len(first.names) == 3
    assert set(first.names) < set(whole.names)
    first.fit_rows(["éééxyz"])  # characters, not bytes
    assert len(first.names) == 2
    wb = TextFeatures(word=None, chars_wb=(3, 3), chars_first=3, norm="none")
    wb.fit_rows(["ab cd ef gh"])
    assert not any("e" in name.removeprefix("chars") for name in wb.names)


def test_wrong_mixes() -> None:
    with pytest.raises(ValueError, match="mix names 'chars'"):
        TextFeatures(mix={"chars": 1.0}).fit_rows(TEXTS)
    for weight in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="positive weights"):
            TextFeatures(mix={"word": weight}).fit_rows(TEXTS)


# ---------------------------------------------------------------------- other labels' ratios


@pytest.mark.parametrize("norm", ["l1", "l2", "none"])
@pytest.mark.parametrize("mix", [None, {"lead": 0.5}], ids=str)
@pytest.mark.parametrize("elementwise", ["none", "abs", "square"])
def test_reweighed_rows_are_those_of_other_labels(
    norm: str, mix: dict | None, elementwise: str
) -> None:
    kept = np.arange(len(TEXTS)) % 3 > 0
    texts = [text for text, keep in zip(TEXTS, kept, strict=True) if keep]
    settings = BLOCKS | {"scale": "nb", "norm": norm, "mix": mix, "elementwise": elementwise}
    own = TextFeatures(**settings)
    expected = own.fit_rows(texts, CODES[kept], 2)
    all_codes = CODES[kept].copy()
    all_codes[::4] ^= 1  # the ratios that the rows came with
    other = TextFeatures(**settings)
    rows = other.fit_rows(texts, all_codes, 2)
    assert list(own.names) == list(other.names)
    new = label_ratios(rows, CODES[kept], 2)[:, 1]
    alive = other.values != 0
    assert alive.mean() > 0.95
    np.testing.assert_allclose(new[alive], own.values[alive], atol=0.05 if not alive.all() else 1e-5)
    found = reweighed(rows, other.values, own.values, norm, elementwise)
    a, b = found.scipy().toarray(), expected.scipy().toarray()
    if alive.all():
        np.testing.assert_allclose(a, b, atol=2e-6)
    else:  # what had the ratio 0 has left no trace
        clean = (b[:, ~alive] == 0).all(axis=1)
        assert clean.any()
        np.testing.assert_allclose(a[clean], b[clean], atol=2e-6)
    held = [text for text, keep in zip(TEXTS, kept, strict=True) if not keep]
    a = reweighed(other.rows(held), other.values, own.values, norm, elementwise).scipy().toarray()
    b = own.rows(held).scipy().toarray()
    clean = (b[:, ~alive] == 0).all(axis=1)
    np.testing.assert_allclose(a[clean], b[clean], atol=2e-6)


def test_reweighing_parts_of_rows() -> None:
    features = fitted(mix={"lead": 0.5}, scale="nb")
    rows = features.rows(TEXTS)
    some = np.array([5, 3, 3, 77])
    np.testing.assert_array_equal(rows[some].scipy().toarray(), rows.scipy().toarray()[some])
    new = np.linspace(-1, 1, features.n_features).astype(np.float32)
    whole = reweighed(rows, features.values, new, "l2")[some].scipy().toarray()
    part = reweighed(rows[some], features.values, new, "l2").scipy().toarray()
    np.testing.assert_allclose(whole, part, atol=1e-6)
    empty = features.rows(["", "xyzzy"])
    assert reweighed(empty, features.values, new, "l2").scipy().nnz == empty.scipy().nnz
