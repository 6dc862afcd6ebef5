"""What would not fit into memory is refused before it is asked for, with its size and its cause."""

from __future__ import annotations

import resource
from typing import Any

import numpy as np
import pytest

from linnet import DependencyParser, LinearClassifier, Tagger, TextClassifier, _memory
from linnet.data import samples
from linnet.errors import DataError, DataWarning
from linnet.features import TextFeatures
from linnet.learners import checks

TEXTS = [f"a{i} b{i % 7} c{i % 5}" for i in range(60)]
LABELS = [f"label{i % 30}" for i in range(60)]
NAMED = r"would hold \d+\.\d GB, and there is room for 0\.0 GB: it has weights for every pair of the "


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "memory", lambda: 5e3)


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"loss": "logistic"},
        {"learner": "sgd", "loss": "hinge"},
        {"multiclass": "rest"},
        {"loss": "joint_likelihood", "learner": "counting"},
        {"features": TextFeatures(word=(1, 1), scale="nb")},
    ],
    ids=["auto", "maximum entropy", "sgd", "one against the rest", "counting", "ratios"],
)
def test_labels_times_features_of_texts(settings: dict[str, Any]) -> None:
    with pytest.raises(DataError, match=NAMED + r"\d+ features and 30 label") as told:
        TextClassifier(**settings).fit(TEXTS, LABELS)
    for advice in ("label=", "min_df", "hash_bits"):
        assert advice in str(told.value)


@pytest.mark.usefixtures("little")
def test_several_labels_and_rows() -> None:
    several = [[label, "all"] for label in LABELS]
    with pytest.raises(DataError, match=NAMED):
        TextClassifier().fit(TEXTS, several)
    X = np.eye(60)
    for settings in ({}, {"multiclass": "rest"}, {"loss": "logistic", "learner": "lbfgs"}):
        with pytest.raises(DataError, match=NAMED + "60 features and 30 label"):
            LinearClassifier(**settings).fit(X, LABELS)


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize(
    "settings",
    [{}, {"order": 0}, {"order": 2}, {"loss": "perceptron"}, {"learner": "dual"}],
    ids=str,
)
def test_transitions_between_all_tags(settings: dict[str, Any]) -> None:
    words = [[f"w{k}"] for k in range(40)]
    tags = [[f"t{k}"] for k in range(40)]
    with pytest.raises(DataError, match=r"would hold .* GB.* transitions between labels") as told:
        Tagger(["word[0]"], **settings).fit(words, tags)
    assert "label=" in str(told.value)


def test_the_dual_of_taggers_holds_transitions_of_each_sentence(monkeypatch) -> None:
    words, tags = [["a", "b"]] * 50, [["A", "B"]] * 50
    monkeypatch.setattr(checks, "memory", lambda: 500.0)
    Tagger(["word[0]"], learner="lbfgs").fit(words, tags)
    with pytest.raises(DataError, match="dual would hold"):
        Tagger(["word[0]"], learner="dual").fit(words, tags)


@pytest.mark.usefixtures("little")
def test_relations_of_parsers() -> None:
    trees = samples.load_trees("rambles-test").take(np.arange(8))
    with pytest.raises(DataError, match=r"would hold .* of arcs and relations"):
        DependencyParser().fit(trees)


def test_memory_is_the_least_of_what_there_is(monkeypatch, tmp_path) -> None:
    whole = _memory.memory()
    assert whole > 1e6
    limit = tmp_path / "memory.max"
    limit.write_text("12345678\n", "ascii")
    monkeypatch.setattr(_memory, "CONTAINER", (str(limit), str(tmp_path / "nowhere")))
    assert _memory.memory() == 12345678
    limit.write_text("max\n", "ascii")
    assert _memory.memory() >= whole
    monkeypatch.setattr(resource, "getrlimit", lambda _: (5_000_000, 5_000_000))
    assert _memory.memory() == 5_000_000


def test_labels_that_are_seen_once_are_told() -> None:
    texts = [f"w{i % 9}" for i in range(1200)]
    odd = [f"text number {i}" for i in range(1200)]
    fast = {"learner": "perceptron", "max_iter": 1}
    words = TextFeatures(word=(1, 1))
    with pytest.warns(DataWarning, match="1,200 labels for 1,200 examples; is something else") as told:
        TextClassifier(words, **fast).fit(texts, odd)
    assert len(told) == 1
