"""Sparse rows of weights score to the bit as the block they are made of."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import linnet._core as _core
from linnet.data import as_rows
from linnet.features import PackedWeights, SparseWeights, TextFeatures
from linnet.model import LinearModel

TEXTS = ["a grey heron in the reeds", "the reeds", "", "a robin, a robin; snow", "heron heron snow"]
FEATURES = TextFeatures(word=(1, 2), scale="idf").fit(TEXTS)
WIDTHS = (2, 3, 4, 5, 8, 9, 31, 79, 128, 129, 255, 256, 300, 70_000)


def sparse(block: np.ndarray, width: int) -> SparseWeights:
    """Sparse rows even where these are larger."""
    kind = _core.SparseFloats if block.dtype == np.float32 else _core.SparseDoubles
    places, full, rows = kind.made(block, width, 2**31)
    return SparseWeights(places, full.reshape(-1, block.shape[1]), rows, width)


def random_block(seed: int, features: int, width: int, dtype: Any = np.float32) -> np.ndarray:
    """Rows from empty to full, equal ones among them, labels without weights, and zeros below zero."""
    rng = np.random.default_rng(seed)
    block = np.zeros((features + 1, _core.padded(width)), dtype)
    shares = rng.choice([0, 0.02, 0.3, 0.8, 0.95, 1], size=features + 1)
    there = rng.random((features + 1, width)) < shares[:, None]
    values = rng.choice([-1.5, 1e-30, 0.1, 3.0, -0.0], size=there.shape)
    block[:, :width] = np.where(there, values * rng.choice([1, 1 / 3], size=there.shape), 0)
    block[rng.integers(1, features + 1, 3)] = block[1]
    block[:, rng.integers(0, width)] = 0
    return block


def same(a: np.ndarray, b: np.ndarray) -> bool:
    """To the bit."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


blocks = st.tuples(st.integers(0, 2**32), st.sampled_from(WIDTHS))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(max_examples=60, deadline=None)
@given(blocks, st.sampled_from([0.0, 1.0, 0.3]))
def test_rows_score_as_the_block(dtype: Any, shape: tuple[int, int], bias: float) -> None:
    seed, width = shape
    block = random_block(seed, 30, width, dtype)
    rows = sparse(block, width)
    assert np.array_equal(rows.block(), block)  # some -0 may have become 0
    asked = np.random.default_rng(seed).integers(0, 31, 7)
    assert np.array_equal(rows.chosen(asked), block[asked, :width])
    X = csr_matrix(np.random.default_rng(seed).choice([0, 0, 1.0, -2.0, 1 / 3], size=(9, 30)))
    X.data[::5] = 0.0  # zeros that are there
    dense = _core.decision(as_rows(X, bias), block.reshape(-1), width, 1)
    for threads in (1, 2):
        assert same(rows.core.scores(as_rows(X, bias), threads), dense)


def test_weights_of_minus_infinity_do_not_meet_zeros() -> None:
    block = random_block(1, 30, 9)
    block = block.astype(np.float64)
    block[3, 2] = block[5, 7] = -np.inf
    X = csr_matrix(np.ones((2, 30)))
    X.data[:] = np.arange(60) % 2
    dense = _core.decision(as_rows(X, 1.0), block.reshape(-1), 9, 1)
    assert same(sparse(block, 9).core.scores(as_rows(X, 1.0), 1), dense)


@settings(max_examples=60, deadline=None)
@given(blocks)
def test_texts_score_as_by_the_block(shape: tuple[int, int]) -> None:
    seed, width = shape
    block = random_block(seed, FEATURES.n_features, width)
    dense = FEATURES.scorer(block, width, 1.0).scores(TEXTS)
    assert same(FEATURES.scorer(sparse(block, width), width, 1.0).scores(TEXTS), dense)


@settings(max_examples=40, deadline=None)
@given(blocks, st.sampled_from([8, 4]))
def test_quantised_weights(shape: tuple[int, int], bits: int) -> None:
    seed, width = shape
    exact = random_block(seed, FEATURES.n_features, width)[:, :width]
    packed = PackedWeights.of(exact[1:-2], exact[0], exact[-2:], bits)
    block = packed.block()
    assert len(packed) == len(block)
    asked = np.random.default_rng(seed).integers(0, len(block), 6)
    assert same(packed.chosen(asked), block[asked, :width])
    dense = FEATURES.scorer(block, width, 1.0).scores(TEXTS)
    assert same(FEATURES.scorer(sparse(block, width), width, 1.0).scores(TEXTS), dense)


def test_rows_are_chosen_where_they_are_smaller() -> None:
    many = np.zeros((100, 80), np.float32)
    many[:, 3] = np.arange(100)
    model = LinearModel(many, 80, 1.0).compact()
    assert isinstance(model.stored, SparseWeights)
    stored = sum(array.nbytes for array in model.stored.tensors("").values())
    assert stored < many.nbytes / 10
    full = np.ones((100, 80), np.float32)
    assert LinearModel(full, 80, 1.0).compact().stored is full
    assert LinearModel(many[:, :1], 1, 1.0).compact().packed is False


def test_equal_rows_lie_there_once() -> None:
    block = np.tile(np.eye(1, 80, 3, dtype=np.float32), (1000, 1))
    rows = sparse(block, 80)
    assert len(set(rows.places.tolist())) == 1
    assert rows.rows.nbytes < 1000


# ---------------------------------------------------------------------- damage


def restored(weights: SparseWeights, **changed: np.ndarray) -> SparseWeights:
    tensors = weights.tensors("w") | {f"w.{name}": array for name, array in changed.items()}
    return SparseWeights.from_tensors("w", tensors, weights.width)


@pytest.mark.parametrize("width", [5, 79, 300])
def test_places_that_are_none(width: int) -> None:
    rows = sparse(random_block(2, 30, width), width)
    assert same(restored(rows).block(), rows.block())
    for wrong in (2**32 - 1, len(rows.full) + len(rows.rows) - 1, int(rows.places.max()) + 1):
        places = rows.places.copy()
        places[4] = wrong
        with pytest.raises(ValueError, match="no sparse row"):
            restored(rows, places=places)


def test_labels_out_of_range_or_order() -> None:
    block = np.zeros((2, 80), np.float32)
    block[1, [3, 9]] = 1
    rows = sparse(block, 79)  # an empty row, then 2, 3, 9 and the two weights
    assert rows.rows[:4].tolist() == [0, 2, 3, 9]
    for labels in ([3, 79], [9, 3], [3, 3], [255, 255]):
        bad = rows.rows.copy()
        bad[2:4] = labels
        with pytest.raises(ValueError, match="labels of a sparse row"):
            restored(rows, rows=bad)
    bad = rows.rows.copy()
    bad[1] = 80
    with pytest.raises(ValueError, match="too many labels"):
        restored(rows, rows=bad)
    with pytest.raises(ValueError, match="cut off"):
        restored(rows, rows=rows.rows[:-8])


@settings(max_examples=150, deadline=None)
@given(blocks, st.data())
def test_whatever_the_arrays_hold_nothing_breaks(shape: tuple[int, int], data: st.DataObject) -> None:
    seed, width = shape
    width = min(width, 300)
    rows = sparse(random_block(seed, FEATURES.n_features, width), width)
    damaged, places = rows.rows.copy(), rows.places.copy()
    for _ in range(data.draw(st.integers(1, 5))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
        places[data.draw(st.integers(0, len(places) - 1))] = data.draw(st.integers(0, 2**32 - 1))
    bad = SparseWeights(places, rows.full, damaged, width)
    with np.errstate(all="ignore"):  # a file that changes behind our back
        assert FEATURES.scorer(bad, width, 1.0).scores(TEXTS).shape == (len(TEXTS), width)
        assert bad.block().shape == rows.block().shape
    with contextlib.suppress(ValueError):  # refused, or only a weight is another
        restored(rows, rows=damaged, places=places)
