"""The fused scorer against rows and a matrix product: every weighting, numbering and width."""

from __future__ import annotations

import itertools
import signal
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet._core as core
from linnet.data.matrix import as_rows
from linnet.features import PackedWeights, TextFeatures, quantise

TEXTS = [
    "The cat sat on the mat; the cat slept.",
    "A dog! A dog bit the cat, the CAT bit back.",
    "",
    "Größe 東京タワー naïve café — 100% déjà-vu",
    "mat mat mat mat mat cat",
    "words that nobody has seen before",
] * 40
LABELS = np.array([0, 1, 0, 1, 1, 0] * 40, dtype=np.int32)


def fitted(width: int, **settings: object) -> tuple[TextFeatures, np.ndarray]:
    """Features and weights that have nothing special about them."""
    features = TextFeatures(**{"word": (1, 2), **settings})
    features.fit_rows(TEXTS[:200], LABELS[:200], 2)
    rng = np.random.default_rng(len(str(settings)) + width)
    weights = np.zeros((features.n_features + 1, core.padded(width)), dtype=np.float32)
    weights[:, :width] = rng.normal(size=(features.n_features + 1, width))
    return features, weights


def by_rows(features: TextFeatures, weights: np.ndarray, width: int, bias: float) -> np.ndarray:
    rows = as_rows(features.rows(TEXTS), bias)
    return core.decision(rows, weights.astype(np.float64).reshape(-1), width, 1)


def agree(ours: np.ndarray, theirs: np.ndarray) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5 * np.abs(theirs).max())


@pytest.mark.parametrize("norm", ["none", "l1", "l2"])
@pytest.mark.parametrize("tf", ["count", "binary", "sublinear"])
def test_every_weighting_gives_the_scores_of_its_rows(tf: str, norm: str) -> None:
    grid = itertools.product(["none", "idf", "nb"], ["none", "abs", "square"], [None, 5], [1, 5])
    for scale, elementwise, hash_bits, width in grid:
        features, weights = fitted(
            width, tf=tf, norm=norm, scale=scale, elementwise=elementwise, hash_bits=hash_bits
        )
        scores = features.scorer(weights, width, 0.5).scores(TEXTS)
        assert scores.shape == (len(TEXTS), width)
        agree(scores, by_rows(features, weights, width, 0.5))


@pytest.mark.parametrize("width", [1, 2, 3, 4, 7, 8, 9, 31, 32, 33, 57, 77])
@pytest.mark.parametrize("bits", [32, 8, 4])
def test_every_width_and_precision(width: int, bits: int) -> None:
    features, weights = fitted(width, tf="count", scale="idf")
    if bits == 32:
        agree(features.scorer(weights, width, 1.0).scores(TEXTS), by_rows(features, weights, width, 1))
        return
    small, packed = quantise(features, weights, width, bits=bits)
    agree(small.scorer(packed, width, 1.0).scores(TEXTS), by_rows(small, packed.block(), width, 1))


@pytest.mark.parametrize("bits", [8, 4])
def test_packed_weights_of_unscaled_and_of_hashed_features(bits: int) -> None:
    for settings_ in ({}, {"hash_bits": 6}, {"hash_bits": 6, "scale": "nb"}):
        for width in (1, 5):
            features, weights = fitted(width, **settings_)
            small, packed = quantise(features, weights, width, bits=bits)
            agree(
                small.scorer(packed, width, 1.0).scores(TEXTS),
                by_rows(small, packed.block(), width, 1.0),
            )


def test_what_stands_beside_the_text_is_added_outside_of_the_norm() -> None:
    columns = {"stars": np.arange(240) / 240, "shop": np.array(["a", "b", "c"] * 80)}
    features = TextFeatures(
        statistics=("punctuation", "length"), numeric=("stars",), categorical=("shop",)
    )
    features.fit_rows(TEXTS, columns=columns)
    columns["shop"][0] = "never seen"
    for width in (1, 3):
        weights = np.zeros((features.n_features + 1, core.padded(width)), dtype=np.float32)
        weights[:, :width] = np.random.default_rng(0).normal(size=(len(weights), width))
        rows = as_rows(features.rows(TEXTS, columns=columns), 1.0)
        expected = core.decision(rows, weights.astype(np.float64).reshape(-1), width, 1)
        agree(features.scorer(weights, width, 1.0).scores(TEXTS, columns=columns), expected)
        small, packed = quantise(features, weights, width)
        rows = as_rows(small.rows(TEXTS, columns=columns), 1.0)
        expected = core.decision(rows, packed.block().reshape(-1), width, 1)
        agree(small.scorer(packed, width, 1.0).scores(TEXTS, columns=columns), expected)


@pytest.mark.parametrize("width", [1, 5])
def test_the_same_bits_for_any_number_of_threads(width: int) -> None:
    features, weights = fitted(width, scale="nb")
    scorer = features.scorer(weights, width, 1.0)
    texts = TEXTS * 50
    one = scorer.scores(texts, threads=1)
    for threads in (2, 3):
        np.testing.assert_array_equal(scorer.scores(texts, threads=threads), one)


def test_a_text_scores_the_same_in_any_company() -> None:
    features, weights = fitted(3)
    scorer = features.scorer(weights, 3, 1.0)
    together = scorer.scores(TEXTS[:6])
    alone = np.vstack([scorer.scores([text]) for text in TEXTS[:6]])
    np.testing.assert_array_equal(together, alone)
    assert scorer.scores([]).shape == (0, 3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_any_text(texts: list[str]) -> None:
    for numbering in ({}, {"hash_bits": 3}):
        features = TextFeatures(word=(1, 2), chars_wb=(2, 3), tf="sublinear", **numbering)
        features.fit_rows(texts)
        weights = np.random.default_rng(1).normal(size=(features.n_features + 1, 1)).astype(np.float32)
        rows = as_rows(features.rows(texts), 1.0)
        expected = core.decision(rows, weights.astype(np.float64).reshape(-1), 1, 1)
        scores = features.scorer(weights, 1, 1.0).scores(texts)
        np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-5)  # what is summed may cancel


def test_tables_of_wrong_sizes_are_refused() -> None:
    floats = np.zeros(9, dtype=np.float32)
    core.ModelTables(8, 1, floats, 1.0)
    with pytest.raises(ValueError, match="do not fit"):
        core.ModelTables(9, 1, floats, 1.0)
    with pytest.raises(ValueError, match="do not fit"):
        core.ModelTables(8, 2, floats, 1.0)
    with pytest.raises(ValueError, match="fewer values"):
        core.ModelTables(8, 1, floats, 1.0, floats[:7])
    with pytest.raises(ValueError, match="too large"):
        core.ModelTables(2**31, 1, floats, 1.0)
    codes, one = np.zeros(4, dtype=np.uint8), np.ones(1, dtype=np.float32)
    core.ModelTables(8, one, codes, one, 4)
    for features, scales, bits in [(9, one, 4), (8, one, 8), (8, floats, 4), (8, one, 5)]:
        with pytest.raises(ValueError, match=r"do not fit|8 or 4"):
            core.ModelTables(features, one, codes, scales, bits)


def test_a_hostile_vocabulary_reads_nothing_outside() -> None:
    """Slots may hold anything: ids beyond the features are no features."""
    analyzer = core.Analyzer([("word", 1, 2)])
    texts = core.Texts.from_list(TEXTS)
    rng = np.random.default_rng(0)
    for size in [1024, 1032] * 10:  # searched slot by slot, and by lines
        slots = rng.integers(0, 2**64, size=size, dtype=np.uint64)
        hashes = np.concatenate([analyzer.grams(text)[0] for text in TEXTS[:6]])
        homes = (hashes >> np.uint64(54)).astype(np.intp)
        slots[homes] = (hashes << np.uint64(32)) | rng.integers(0, 2**32, len(homes), dtype=np.uint64)
        table = core.FeatureTable.interned(slots, 10)
        tables = core.ModelTables(10, 1, np.ones(11, dtype=np.float32), 1.0)
        scores = core.TextScorer(analyzer, table, tables, "count", "l2", "none").scores(texts)
        assert np.isfinite(scores).all()
    full = np.full(64, 7, dtype=np.uint16)  # no empty slot: lookups end all the same
    table = core.FeatureTable.packed(full)
    tables = core.ModelTables(64, 1, np.ones(65, dtype=np.float32), 1.0)
    core.TextScorer(analyzer, table, tables, "count", "l2", "none").scores(texts)


def test_a_vocabulary_larger_than_the_model_is_refused() -> None:
    analyzer = core.Analyzer([("word", 1, 1)])
    tables = core.ModelTables(63, 1, np.ones(64, dtype=np.float32), 1.0)
    with pytest.raises(ValueError, match="more features"):
        core.TextScorer(analyzer, core.FeatureTable.hashed(6), tables, "count", "l2", "none")


def test_weights_of_another_model_are_refused() -> None:
    features, weights = fitted(3)
    with pytest.raises(ValueError, match="shape"):
        features.scorer(weights[:-1], 3, 1.0)
    small, packed = quantise(features, weights, 3)
    with pytest.raises(ValueError, match="do not fit"):
        small.scorer(packed, 2, 1.0)
    with pytest.raises(ValueError, match="do not fit"):
        features.scorer(packed, 3, 1.0)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 9), st.integers(0, 9), st.sampled_from([8, 4]), st.integers(0, 2**32 - 1))
def test_a_packed_weight_is_the_nearest_level(width: int, rows: int, bits: int, seed: int) -> None:
    weights = np.random.default_rng(seed).normal(size=(rows, width)).astype(np.float32)
    packed = PackedWeights.of(weights, weights[:0].sum(0), weights[:0], bits)
    levels = np.arange(128.0) if bits == 8 else np.arange(8.0) ** 2
    largest = np.abs(weights).max(axis=0, initial=0)
    np.testing.assert_allclose(packed.scales * levels[-1], largest, rtol=1e-6)
    found = packed.block()[1:, :width]
    steps = np.hstack([-levels[:0:-1], levels])[:, None, None] * packed.scales
    nearest = np.abs(weights - steps).min(axis=0)
    np.testing.assert_allclose(np.abs(found - weights), nearest, atol=1e-6 * largest.max(initial=1))
    again = PackedWeights.from_parts(packed.spec(), packed.tensors())
    np.testing.assert_array_equal(again.block(), packed.block())


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs an interval timer")
def test_ctrl_c_ends_a_long_call() -> None:
    features, weights = fitted(1)
    scorer = features.scorer(weights, 1, 1.0)
    texts = core.Texts.from_list(["a long text of many words, " * 400] * 50_000)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    started = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            scorer.scores(texts, threads=2)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - started < 2
