"""Quantised models: what is kept, what it costs, and that parts round-trip."""

from __future__ import annotations

import numpy as np
import pytest

import linnet
from linnet.data import samples
from linnet.errors import DataError
from linnet.features import TextFeatures, quantise

TEXTS, BIRDS = samples.load("birds-train")
CODES = np.unique(BIRDS, return_inverse=True)[1].astype(np.int32)
TWO = (CODES % 2).astype(np.int32)


def trained(width: int, **settings: object) -> tuple[TextFeatures, np.ndarray]:
    features = TextFeatures(**settings)
    codes = TWO if width == 1 else CODES
    rows = features.fit_rows(TEXTS, codes, int(codes.max()) + 1)
    model = linnet.LinearSVM().fit(rows.scipy(), codes).model_
    assert model.width == width
    return features, np.asarray(model.weights, dtype=np.float32)


WIDTH = len(set(BIRDS))


@pytest.mark.parametrize("settings", [{"scale": "nb"}, {"scale": "idf"}, {}])
@pytest.mark.parametrize("bits", [8, 4])
def test_two_labels_keep_their_predictions(bits: int, settings: dict[str, str]) -> None:
    features, weights = trained(1, **settings)
    exact = features.scorer(weights, 1, 1.0).scores(TEXTS)
    small, packed = quantise(features, weights, 1, bits=bits)
    scores = small.scorer(packed, 1, 1.0).scores(TEXTS)
    assert ((scores > 0) == (exact > 0)).mean() > (0.99 if bits == 8 else 0.97)
    errors = np.abs(scores - exact)
    assert np.median(errors) < (0.01 if bits == 8 else 0.1)
    assert errors.max() < (0.2 if bits == 8 else 0.5)


@pytest.mark.parametrize("bits", [8, 4])
def test_many_labels_keep_their_predictions(bits: int) -> None:
    features, weights = trained(WIDTH)
    exact = features.scorer(weights, WIDTH, 1.0).scores(TEXTS).argmax(axis=1)
    small, packed = quantise(features, weights, WIDTH, bits=bits)
    scores = small.scorer(packed, WIDTH, 1.0).scores(TEXTS)
    assert (scores.argmax(axis=1) == exact).mean() > 0.97


def test_the_features_that_matter_are_kept() -> None:
    features, weights = trained(1, scale="nb", tf="count")
    small, packed = quantise(features, weights, 1, keep=100)
    kept = np.flatnonzero(small.numbering.fingerprints)
    assert 95 <= len(kept) <= 100
    # v in 8 bits and w in 8 bits: their product is near that of the features that were kept.
    df = features.numbering.document_frequencies
    importance = np.abs(weights[1:, 0] * features.values) * np.sqrt(df)
    best = np.argsort(-importance, kind="stable")[:100]
    products = np.sort(np.abs(packed.block()[1:, 0] * small.values)[kept])
    np.testing.assert_allclose(
        products[-50:], np.sort(np.abs(weights[1:, 0] * features.values)[best])[-50:], rtol=0.1
    )


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("size", [1000, 3000])
def test_max_bytes_is_an_upper_bound(size: int, bits: int) -> None:
    for width, settings in ((1, {"scale": "nb"}), (1, {}), (WIDTH, {})):
        features, weights = trained(width, **settings)
        small, packed = quantise(features, weights, width, bits=bits, max_bytes=size)
        used = sum(t.nbytes for t in small.tensors().values()) + packed.nbytes
        assert 0.8 * size < used <= size


def test_the_parts_of_a_file_give_the_same_model() -> None:
    features, weights = trained(1, scale="nb")
    small, packed = quantise(features, weights, 1)
    again = TextFeatures.from_parts(small.spec(), small.tensors())
    np.testing.assert_array_equal(
        again.scorer(packed, 1, 1.0).scores(TEXTS), small.scorer(packed, 1, 1.0).scores(TEXTS)
    )
    assert again.tensors()["values"].dtype == np.int8


def test_without_a_norm_weights_of_zero_are_dropped() -> None:
    features, weights = trained(1, norm="none")
    weights[5:] = 0
    small, packed = quantise(features, weights, 1)
    assert np.count_nonzero(small.numbering.fingerprints) == 4
    normed, weights = trained(1)
    weights[5:] = 0
    small, packed = quantise(normed, weights, 1)
    assert np.count_nonzero(small.numbering.fingerprints) > 0.99 * normed.n_features
    assert packed.features == small.size


def test_names_are_dropped_unless_asked_for() -> None:
    features, weights = trained(1, scale="nb")
    small, _ = quantise(features, weights, 1, keep=50)
    assert set(small.tensors()) == {"fingerprints", "values"}
    with pytest.raises(ValueError, match="dropped"):
        _ = small.names
    named, _ = quantise(features, weights, 1, keep=50, names=True)
    named = TextFeatures.from_parts(named.spec(), named.tensors())
    found = dict(zip(named.names, named.values.tolist(), strict=True))
    exact = dict(zip(features.names, features.values.tolist(), strict=True))
    shared = set(found) - {""}
    assert 45 <= len(shared) <= 50
    assert all(abs(found[name] - exact[name]) < 0.03 for name in shared)


def test_hashed_features_keep_their_numbering() -> None:
    features, weights = trained(1, hash_bits=10)
    same, packed = quantise(features, weights, 1, bits=4)
    assert same is features
    assert packed.codes.nbytes == 512
    with pytest.raises(ValueError, match="hashed features cannot be dropped"):
        quantise(features, weights, 1, keep=5)


def test_refusals() -> None:
    features, weights = trained(1)
    for settings, message in [
        ({"bits": 3}, "8 or 4"),
        ({"keep": 0}, "of 1 or more"),
        ({"max_bytes": 10}, "too small"),
    ]:
        with pytest.raises(ValueError, match=message):
            quantise(features, weights, 1, **settings)
    with pytest.raises(ValueError, match="shape"):
        quantise(features, weights[1:], 1)
    small, packed = quantise(features, weights, 1)
    with pytest.raises(ValueError, match="already"):
        quantise(small, packed.block(), 1)
    with pytest.raises(ValueError, match="no new features"):
        small.grow_rows(TEXTS)


def test_damaged_parts_are_refused() -> None:
    features, weights = trained(1, scale="nb")
    small, packed = quantise(features, weights, 1)
    spec, tensors = small.spec(), small.tensors()
    for damaged in (
        {k: v for k, v in tensors.items() if k != "values"},
        tensors | {"values": tensors["values"][:-1]},
        tensors | {"fingerprints": tensors["fingerprints"].astype(np.int64)},
        tensors | {"fingerprints": tensors["fingerprints"][:0], "values": tensors["values"][:0]},
    ):
        with pytest.raises(DataError, match="damaged"):
            TextFeatures.from_parts(spec, damaged)
    parts = packed.tensors()
    for wrong in (parts | {"codes": parts["codes"][1:]}, parts | {"intercept": parts["scales"][:0]}):
        with pytest.raises(ValueError, match="do not fit"):
            type(packed).from_parts(packed.spec(), wrong)
