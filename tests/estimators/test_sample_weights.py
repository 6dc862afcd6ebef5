"""A weight of 0 is absence for every estimator; a weight of n is n copies if there is an objective.

Learners that take steps see a weighted instance once and its copies one by one; their steps differ, and
`linnet.testing.expected_failed_checks` says so to scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import CRF, HMM, Tagger, TextClassifier
from linnet.features import TextFeatures, TokenFeatures

from ..birds import BIRDS, HELD_TEXTS, SEVERAL, TEXTS

pytestmark = pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")

RANDOM = np.random.default_rng(7)
X = np.abs(RANDOM.normal(size=(40, 6)))
Y = RANDOM.integers(0, 3, 40)
WEIGHTS = RANDOM.integers(0, 4, 40)

ROWS = {
    "LinearClassifier": lambda: linnet.LinearClassifier(tol=1e-10),
    "calibrated": lambda: linnet.LinearSVM(calibration="sigmoid"),
    "early stopping": lambda: linnet.LinearClassifier(learner="sgd", early_stopping=True),
    **{
        name: getattr(linnet, name)
        for name in (
            "AROW",
            "LinearSVM",
            "LogisticRegression",
            "MIRA",
            "MaxEnt",
            "NaiveBayes",
            "PassiveAggressive",
            "Perceptron",
            "VotedPerceptron",
            "Winnow",
        )
    },
}


@pytest.mark.parametrize("name", ROWS)
def test_no_weight_is_absence_of_rows(name: str) -> None:
    weights = np.where(WEIGHTS > 0, 1.5, 0.0)
    present = weights > 0
    found = ROWS[name]().fit(X, Y, sample_weight=weights)
    absent = ROWS[name]().fit(X[present], Y[present], sample_weight=weights[present])
    np.testing.assert_array_equal(found.decision_function(X), absent.decision_function(X))
    if name == "LinearSVM":  # counted among the rows that were given
        places = np.flatnonzero(present)[absent.record_.facts["support_vectors"]]
        assert found.record_.facts["support_vectors"].tolist() == places.tolist()


@pytest.mark.parametrize("name", ["AROW", "Perceptron", "PassiveAggressive"])
def test_no_weight_is_absence_of_a_batch(name: str) -> None:
    weights = np.where(WEIGHTS > 0, 1.0, 0.0)
    present = weights > 0
    found = ROWS[name]().partial_fit(X, Y, classes=[0, 1, 2], sample_weight=weights)
    absent = ROWS[name]().partial_fit(X[present], Y[present], classes=[0, 1, 2])
    np.testing.assert_array_equal(found.decision_function(X), absent.decision_function(X))


def test_a_class_without_weight_stays_a_class() -> None:
    model = linnet.LinearSVM().fit(X, Y, sample_weight=np.where(Y == 2, 0, 1))
    assert model.classes_.tolist() == [0, 1, 2]
    assert 2 not in model.predict(X)


TEXT_MODELS: dict[str, Callable[[], Any]] = {
    "auto": TextClassifier,
    "idf": lambda: TextClassifier(TextFeatures(word=(1, 1), scale="idf"), "logistic"),
    "online": lambda: TextClassifier(learner="perceptron"),
    "naive Bayes": lambda: TextClassifier(classifier=linnet.NaiveBayes()),
}


@pytest.mark.parametrize("labels", [BIRDS, SEVERAL], ids=["one label", "several"])
@pytest.mark.parametrize("name", TEXT_MODELS)
def test_no_weight_is_absence_of_texts(name: str, labels: list) -> None:
    if (name, labels) == ("naive Bayes", SEVERAL):
        pytest.skip("one label only")
    kept = [i for i in range(len(TEXTS)) if i % 3]
    weights = [1.0 if i % 3 else 0.0 for i in range(len(TEXTS))]
    found = TEXT_MODELS[name]().fit(TEXTS, labels, sample_weight=weights)
    absent = TEXT_MODELS[name]().fit([TEXTS[i] for i in kept], [labels[i] for i in kept])
    assert found.features_.n_features == absent.features_.n_features
    np.testing.assert_array_equal(
        found.decision_function(HELD_TEXTS), absent.decision_function(HELD_TEXTS)
    )


def test_columns_of_texts_without_weight_are_absent_too() -> None:
    sizes = [1e6 if i % 3 == 0 else len(text) for i, text in enumerate(TEXTS)]
    kept = [i for i in range(len(TEXTS)) if i % 3]
    model = TextClassifier(numeric=["size"])
    table = {"text": TEXTS, "size": sizes}
    found = model.fit(table, BIRDS, sample_weight=[i % 3 for i in range(len(TEXTS))])
    assert max(sizes[i] for i in kept) == found.features_.spec()["columns"]["scales"]["size"]


def test_copies_of_texts_are_weights_of_texts() -> None:
    model = TextClassifier(TextFeatures(word=(1, 1), scale="none"), "logistic", C=1.0, tol=1e-10)
    weights = np.arange(len(TEXTS)) % 3
    copied = np.repeat(np.arange(len(TEXTS)), weights)
    found = model.fit(TEXTS, BIRDS, sample_weight=weights).decision_function(HELD_TEXTS)
    model.fit([TEXTS[i] for i in copied], [BIRDS[i] for i in copied])
    np.testing.assert_allclose(found, model.decision_function(HELD_TEXTS), atol=1e-4)


WORDS = [["a", "linnet", "sings"], ["the", "owl", "hoots"], ["wrens", "sing"], ["an", "owl"]] * 3
TAGS = [["D", "N", "V"], ["D", "N", "V"], ["N", "V"], ["D", "X"]] * 3
TAGGERS = {
    "CRF": lambda: CRF(
        features=TokenFeatures(templates=["word", "suffix2"]), learner="lbfgs", tol=1e-9
    ),
    "HMM": HMM,
    "perceptron": lambda: Tagger(learner="perceptron"),
    "SVM": linnet.StructuredSVM,
}


@pytest.mark.parametrize("name", TAGGERS)
def test_no_weight_is_absence_of_sentences(name: str) -> None:
    weights = [0.0 if "X" in tags else 1.0 for tags in TAGS]
    kept = [i for i, weight in enumerate(weights) if weight]
    found = TAGGERS[name]().fit(WORDS, TAGS, sample_weight=weights)
    absent = TAGGERS[name]().fit([WORDS[i] for i in kept], [TAGS[i] for i in kept])
    assert found.classes_.tolist() == absent.classes_.tolist() == ["D", "N", "V"]
    assert found.features_.n_features == absent.features_.n_features
    assert found.predict(WORDS) == absent.predict(WORDS)
    assert found.record_.epochs == absent.record_.epochs


def test_copies_of_sentences_are_weights_of_sentences() -> None:
    weights = [1 + i % 3 for i in range(len(WORDS))]
    copied = np.repeat(np.arange(len(WORDS)), weights)
    found = TAGGERS["CRF"]().fit(WORDS, TAGS, sample_weight=weights)
    other = TAGGERS["CRF"]().fit([WORDS[i] for i in copied], [TAGS[i] for i in copied])
    assert found.record_.objective == pytest.approx(other.record_.objective, rel=1e-6)


def test_no_weight_is_absence_of_candidates() -> None:
    X = [[{"a": 1}, {"b": 1}], [{"b": 1}, {"c": 2}], [{"d": 1}, {"a": 1}]]
    found = linnet.Reranker().fit(X, [0, 1, 0], sample_weight=[1, 1, 0])
    absent = linnet.Reranker().fit(X[:2], [0, 1])
    assert found.vocabulary_.names == absent.vocabulary_.names
    np.testing.assert_array_equal(found.coef_, absent.coef_)
