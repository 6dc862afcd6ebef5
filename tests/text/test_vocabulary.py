"""The table from hash to number: while it grows, once it has settled, and as format 1 wrote it."""

import numpy as np
import pytest

from linnet import _core as core
from linnet.features import TextFeatures


def table_of(hashes: np.ndarray, slots: int) -> np.ndarray:
    """Linear probing from homes, as the header of the core says it."""
    lines = slots & (slots - 1) != 0
    table = [0] * slots
    for number, value in enumerate(hashes.tolist()):
        at = value * slots >> 64
        at = at // 8 * 8 if lines else at
        while table[at]:
            at = (at + 1) % slots
        table[at] = (value & 0xFFFFFFFF) << 32 | (number + 1)
    return np.array(table, dtype=np.uint64)


@pytest.mark.parametrize("slots", [1024, 1032, 1096, 2048, 1512])
def test_every_feature_is_found_and_no_other(slots: int) -> None:
    """Up to tables that are nearly full, whose last lines go on at the first."""
    words = [f"w{k}" for k in range(1000)]
    strangers = [f"s{k}" for k in range(1000)]
    analyzer = core.Analyzer([("word", 1, 1)])
    hashes = np.array([analyzer.grams(word)[0][0] for word in words], dtype=np.uint64)
    table = core.FeatureTable.interned(table_of(hashes, slots), len(words))
    weights = np.arange(1001, dtype=np.float32)
    scorer = core.TextScorer(
        analyzer, table, core.ModelTables(1000, 1, weights, 0.0), "count", "none", "none"
    )
    found = scorer.scores(core.Texts.from_list(words + strangers))[:, 0]
    np.testing.assert_array_equal(found, [*range(1, 1001), *[0] * 1000])


@pytest.mark.parametrize("words", [1, 600, 683, 700, 5000])
def test_tables_of_any_size(words: int) -> None:
    texts = [f"w{k}" for k in range(words)]
    features = TextFeatures(word=(1, 1), tf="count", norm="none")
    features.fit_rows(texts)
    slots = features.tensors()["slots"]
    assert len(slots) >= words + words // 2
    assert len(slots) % 8 == 0
    np.testing.assert_array_equal(slots, table_of(features.tensors()["hashes"], len(slots)))
    weights = np.ones((words + 1, 1), np.float32)
    np.testing.assert_array_equal(features.scorer(weights, 1, 0.0).scores(texts), np.ones((words, 1)))
    grown = features.grow_rows(["a new word", "w0"])
    assert features.n_features == words + 3
    assert grown is not None
