"""Models of many labels keep sparse rows of weights; who reads them finds what a block would tell."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import linnet
from linnet import TextClassifier
from linnet.errors import DataError
from linnet.explain import top_weights
from linnet.features import SparseWeights
from linnet.features.text.numbering import InternedFeatures
from linnet.persistence import read, write

LABELS = [f"bird {k:02}" for k in range(40)]
Y = [label for label in LABELS for _ in range(3)]
TEXTS = [f"note {i} on {label}, seen by day {i % 7} near place{i % 11}" for i, label in enumerate(Y)]
NEW = ["note 5 on bird 05", "", "day 3 near place9", "never seen"]


@pytest.fixture(scope="module")
def fitted() -> TextClassifier:
    return TextClassifier(loss="perceptron", learner="perceptron").fit(TEXTS, Y)


@pytest.fixture
def model(fitted: TextClassifier) -> TextClassifier:
    return copy.deepcopy(fitted)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "many.linnet"


def dense(model: TextClassifier) -> TextClassifier:
    """The same with a block of weights."""
    other = copy.deepcopy(model)
    other._set_model(replace(model.model_, stored=np.array(model.model_.weights)))
    return other


def saved(model: Any, path: Path) -> Any:
    model.save(path)
    return linnet.load(path)


def scores(model: TextClassifier) -> bytes:
    return model.decision_function(TEXTS + NEW).tobytes()


def top(model: TextClassifier) -> str:
    return str(top_weights(model.features_, model.model_, model.classes_.tolist()))


def test_many_labels_are_sparse_in_memory_and_in_the_file(model: TextClassifier, path: Path) -> None:
    assert isinstance(model.model_.stored, SparseWeights)
    loaded = saved(model, path)
    stored = loaded.model_.stored
    assert isinstance(stored, SparseWeights)
    for array in (stored.places, stored.full, stored.rows):
        assert not array.flags.owndata  # of the mapped file
        assert not array.flags.writeable
    assert "weights" not in read(path).tensors
    assert scores(loaded) == scores(model) == scores(dense(model))


def test_a_block_is_saved_as_rows_and_bytes_are_always_the_same(
    model: TextClassifier, path: Path
) -> None:
    loaded = saved(model, path)
    first = path.read_bytes()
    for again in (loaded, dense(model), copy.deepcopy(loaded), pickle.loads(pickle.dumps(loaded))):
        again.save(path)
        assert path.read_bytes() == first
    assert clone(loaded).fit(TEXTS, Y).decision_function(NEW).tobytes() == (
        model.decision_function(NEW).tobytes()
    )


def test_every_reader_of_weights(model: TextClassifier, path: Path) -> None:
    block, loaded = dense(model), saved(model, path)
    for other in (model, loaded):
        assert np.array_equal(other.coef_, block.coef_)
        assert np.array_equal(other.intercept_, block.intercept_)
        assert other.nonzero_weights() == block.nonzero_weights()
        assert str(other.explain(NEW[0])) == str(block.explain(NEW[0]))
        assert top(other) == top(block)
        assert list(other.get_feature_names_out()) == list(block.get_feature_names_out())
        assert np.array_equal(other.predict_proba(NEW), block.predict_proba(NEW))


@pytest.mark.parametrize("bits", [8, 4])
def test_quantised(model: TextClassifier, bits: int, path: Path) -> None:
    small = saved(model, path).quantize(bits, keep=60)
    assert small.model_.packed
    assert scores(small) == scores(dense(model).quantize(bits, keep=60))
    assert scores(saved(small, path)) == scores(small)
    with pytest.raises(ValueError, match="quantized already"):
        small.quantize()


def test_streams_go_on(model: TextClassifier, path: Path) -> None:
    block, loaded = dense(model), saved(model, path)
    texts, labels = ["a new owl in the reeds", "note 5 on bird 05"], ["owl", LABELS[7]]
    for other in (model, block, loaded):
        other.partial_fit(texts, labels)
    assert scores(model) == scores(block) == scores(loaded)
    assert scores(saved(loaded, path)) == scores(model)
    again = [saved(other, path).partial_fit(texts, labels) for other in (model, block)]
    assert scores(again[0]) == scores(again[1])


def test_rows_of_numbers(path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = np.eye(200)[rng.integers(0, 200, 400)], rng.integers(0, 50, 400)
    model = linnet.LinearSVM(warm_start=True, random_state=0).fit(X, y)
    assert isinstance(model.model_.stored, SparseWeights)
    loaded = saved(model, path)
    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))
    weights = model.model_.weights
    assert np.array_equal(model.coef_, weights[1:, :50].T)
    full = replace(model.model_, stored=weights)
    assert full.scores(X).tobytes() == model.model_.scores(X).tobytes()
    assert np.array_equal(model.fit(X, y).coef_, loaded.fit(X, y).coef_)  # from the weights there are


def test_single_precision_in_the_file(path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = np.eye(200)[rng.integers(0, 200, 400)], rng.integers(0, 50, 400)
    model = linnet.LogisticRegression(penalty="l1", C=10.0).fit(X, y)
    model.save(path, dtype="float32")
    loaded = linnet.load(path)
    assert loaded.model_.stored.dtype == np.float32
    assert np.array_equal(loaded.coef_, model.coef_.astype(np.float32))


def test_the_vocabulary_is_small_and_comes_back(model: TextClassifier, path: Path) -> None:
    loaded = saved(model, path)
    tensors = read(path).tensors
    assert "features.names.deflated" in tensors
    numbering = loaded.features_.numbering
    assert isinstance(numbering, InternedFeatures)
    for name, array in model.features_.numbering.tensors(True).items():
        assert np.array_equal(numbering.tensors(True)[name], array), name


@pytest.mark.parametrize(
    ("tensor", "at", "value", "why"),
    [
        ("weights.places", 17, 2**32 - 1, "no sparse row"),
        ("weights.rows", 0, 255, "sparse row"),
        ("features.names.deflated", 99, 255, "damaged"),
    ],
)
def test_damage_is_told(
    model: TextClassifier, path: Path, tensor: str, at: int, value: int, why: str
) -> None:
    model.save(path)
    file = read(path)
    tensors = {name: np.array(array) for name, array in file.tensors.items()}
    tensors[tensor][at] = value
    write(path, file.spec, tensors)
    del file
    with pytest.raises(DataError, match=why) as error:
        list(linnet.load(path).get_feature_names_out())
    assert tensor.startswith("features") or str(path) in str(error.value)
