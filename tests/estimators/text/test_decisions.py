"""From scores to labels: probabilities, thresholds, "unsure", several labels."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet import TextClassifier
from linnet.features import TextFeatures

from ...birds import (
    ALL_BIRDS,
    ALL_TEXTS,
    BIRDS,
    HELD_BIRDS,
    HELD_TEXTS,
    SEVERAL,
    TEXTS,
    TWO_BIRDS,
    TWO_TEXTS,
)

WORDS = TextFeatures(word=(1, 1))
MANY = ALL_TEXTS[:400], ALL_BIRDS[:400]


def log_likelihood(model: TextClassifier, texts: list[str], labels: list[str]) -> float:
    at = np.searchsorted(model.classes_, labels)
    return float(np.log(model.predict_proba(texts)[np.arange(len(at)), at]).mean())


# ---------------------------------------------------------------------- calibration


@pytest.mark.parametrize("calibration", ["auto", "softmax", "sigmoid", "isotonic"])
@pytest.mark.parametrize("labels", [2, 6])
def test_probabilities_of_margins(calibration: str, labels: int, tmp_path: Path) -> None:
    chosen = [i for i, bird in enumerate(MANY[1]) if labels == 6 or bird in ("linnet", "heron")]
    X, y = [MANY[0][i] for i in chosen], [MANY[1][i] for i in chosen]
    model = TextClassifier(WORDS, calibration=calibration).fit(X, y)
    found = model.predict_proba(HELD_TEXTS)
    assert found.shape == (len(HELD_TEXTS), labels)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert ((found >= 0) & (found <= 1)).all()
    if calibration in ("auto", "softmax"):
        assert (
            found.argmax(axis=1) == np.searchsorted(model.classes_, model.predict(HELD_TEXTS))
        ).all()
        known = [i for i, bird in enumerate(HELD_BIRDS) if bird in y]
        held = [HELD_TEXTS[i] for i in known], [HELD_BIRDS[i] for i in known]
        assert log_likelihood(model, *held) > -np.log(labels)
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(linnet.load(tmp_path / "m").predict_proba(HELD_TEXTS), found)


@pytest.mark.parametrize("features", ["auto", "nb", "idf"])
@pytest.mark.parametrize("labels", [2, 6])
def test_automatic_calibration_is_better_than_knowing_nothing(features: str, labels: int) -> None:
    chosen = [i for i, bird in enumerate(MANY[1]) if labels == 6 or bird in ("linnet", "heron")]
    held = [i for i, bird in enumerate(HELD_BIRDS) if labels == 6 or bird in ("linnet", "heron")]
    model = TextClassifier("auto" if features == "auto" else TextFeatures(scale=features))
    model.fit([MANY[0][i] for i in chosen], [MANY[1][i] for i in chosen])
    likelihood = log_likelihood(model, [HELD_TEXTS[i] for i in held], [HELD_BIRDS[i] for i in held])
    assert likelihood > -0.75 * np.log(labels)


def test_few_texts_are_not_calibrated_by_themselves() -> None:
    model = TextClassifier(WORDS).fit(TEXTS[:12], BIRDS[:12])
    assert model.calibrator_.a == 1.0
    np.testing.assert_allclose(model.predict_proba(HELD_TEXTS).sum(axis=1), 1)


def test_margins_without_calibration_are_no_probabilities() -> None:
    model = TextClassifier(WORDS, "hinge", calibration=None).fit(TEXTS, BIRDS)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="margins, not probabilities"):
        model.predict_proba(TEXTS)
    model.set_params(calibration="auto")  # too late
    with pytest.raises(AttributeError, match="not calibrated"):
        model.predict_proba(TEXTS)
    with pytest.raises(ValueError, match="not calibrated"):
        model.set_params(thresholds=0.5).predict(TEXTS)
    several = TextClassifier(WORDS, "hinge").fit(TEXTS, SEVERAL)
    assert not hasattr(several, "predict_proba")


def test_imported_margins_are_no_probabilities() -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    pipeline = make_pipeline(CountVectorizer(token_pattern=r"(?u)\b\w+\b"), LinearSVC())
    model = TextClassifier.from_sklearn(pipeline.fit(TEXTS, BIRDS))
    assert model.predict(TEXTS).tolist() == pipeline.predict(TEXTS).tolist()
    assert not hasattr(model, "predict_proba")


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("learner", ["auto", "lbfgs", "dual", "coordinate", "newton"])
def test_logistic_probabilities_need_no_calibration(learner: str, penalty: str) -> None:
    if (learner in ("lbfgs", "dual", "newton")) != (penalty == "l2") and learner != "auto":
        pytest.skip("not in the grid")
    for X, y in ((TEXTS, BIRDS), (TWO_TEXTS, TWO_BIRDS)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", linnet.errors.TrainingWarning)
            model = TextClassifier(WORDS, "logistic", learner, penalty).fit(X, y)
        assert model.calibrator_ is None
        found = model.predict_proba(HELD_TEXTS)
        assert found.shape == (len(HELD_TEXTS), len(set(y)))
        np.testing.assert_allclose(found.sum(axis=1), 1)
        if len(set(y)) == 2:
            odds = np.log(found[:, 1] / found[:, 0])
            np.testing.assert_allclose(odds, model.decision_function(HELD_TEXTS), atol=1e-6)


def test_the_calibration_of_the_classifier_counts() -> None:
    inner = linnet.LinearSVM(calibration="isotonic")
    model = TextClassifier(WORDS, classifier=inner).fit(*MANY)
    assert [type(c).__name__ for c in model.calibrators_] == ["Isotonic"] * 6
    assert inner.calibration == "isotonic"


# ---------------------------------------------------------------------- thresholds


def test_unsure() -> None:
    model = TextClassifier(WORDS).fit(*MANY)
    best, probabilities = model.predict(HELD_TEXTS), model.predict_proba(HELD_TEXTS).max(axis=1)
    limit = float(np.median(probabilities))
    found = model.set_params(thresholds=limit, unsure="nobody knows").predict(HELD_TEXTS)
    sure = probabilities >= limit
    assert 0 < sure.sum() < len(sure)
    assert (found[sure] == best[sure]).all()
    assert (found[~sure] == "nobody knows").all()
    only = model.set_params(thresholds={"owl": 1.0}, unsure="no owl").predict(HELD_TEXTS)
    unlikely = (best == "owl") & (probabilities < 1.0)
    assert (only == np.where(unlikely, "no owl", best)).all()
    assert unlikely.any()
    assert (model.set_params(thresholds=0.0).predict(HELD_TEXTS) == best).all()
    assert model.score(HELD_TEXTS, best) == 1.0


def test_unsure_among_numbers() -> None:
    y = [bird == "linnet" for bird in TWO_BIRDS]
    model = TextClassifier(WORDS, thresholds=1.0, unsure=-1).fit(TWO_TEXTS, y)
    assert set(model.predict(HELD_TEXTS).tolist()) <= {True, False, -1}
    assert model.predict(["nothing of this"]).tolist() == [-1]


# ---------------------------------------------------------------------- several labels


@pytest.fixture(scope="module")
def several() -> TextClassifier:
    return TextClassifier(WORDS, C=100.0).fit(TEXTS, SEVERAL)


def test_several_labels(several: TextClassifier, tmp_path: Path) -> None:
    assert several.score(TEXTS, SEVERAL) > 0.95
    assert several.predict(TEXTS[:3]) == [tuple(sorted(labels)) for labels in SEVERAL[:3]]
    scores = several.decision_function(HELD_TEXTS)
    assert scores.shape == (len(HELD_TEXTS), len(several.classes_))
    probabilities = several.predict_proba(HELD_TEXTS)
    np.testing.assert_allclose(probabilities, 1 / (1 + np.exp(-scores)))
    assert [list(t) for t in several.predict(HELD_TEXTS)] == [
        several.classes_[row > 0].tolist() for row in scores
    ]
    several.save(tmp_path / "m")
    found = linnet.load(tmp_path / "m")
    assert found.several_
    np.testing.assert_array_equal(found.predict_proba(HELD_TEXTS), probabilities)
    assert found.predict(HELD_TEXTS) == several.predict(HELD_TEXTS)


def test_thresholds_of_several_labels(several: TextClassifier) -> None:
    probabilities = several.predict_proba(HELD_TEXTS)
    for setting in (0.3, {"water": 0.9, "owl": 0.05}):
        limits = np.full(len(several.classes_), 0.5 if isinstance(setting, dict) else setting)
        if isinstance(setting, dict):
            for label, value in setting.items():
                limits[several.classes_.tolist().index(label)] = value
        several.set_params(thresholds=setting)
        assert several.predict(HELD_TEXTS) == [
            tuple(several.classes_[row >= limits].tolist()) for row in probabilities
        ]
    everything = several.set_params(thresholds=0.0).predict(["?"])
    assert everything == [tuple(several.classes_.tolist())]
    several.set_params(thresholds=None)


def test_each_label_as_a_classifier_of_its_own(several: TextClassifier) -> None:
    for k, label in enumerate(several.classes_):
        has = [label in labels for labels in SEVERAL]
        alone = TextClassifier(WORDS, "logistic", C=100.0).fit(TEXTS, has)
        np.testing.assert_allclose(
            several.decision_function(HELD_TEXTS)[:, k],
            alone.decision_function(HELD_TEXTS),
            atol=1e-5,
        )


def test_no_label_all_labels_and_labels_that_all_have(tmp_path: Path) -> None:
    texts = ["red wing", "grey wing", "red tail", "grey tail", "nothing"] * 4
    labels = [{"red", "bird"}, {"grey", "bird"}, {"red", "bird"}, ("grey", "bird"), ["bird"]] * 4
    model = TextClassifier(WORDS, C=1e3).fit(texts, labels)
    assert model.predict(texts[:5]) == [tuple(sorted(s)) for s in labels[:5]]
    assert model.predict(["something else"]) == [("bird",)]  # what all have is always there
    model.save(tmp_path / "m")
    assert linnet.load(tmp_path / "m").predict(texts) == model.predict(texts)
    none = TextClassifier(WORDS, C=1e3).fit(texts, [["x"] if "red" in t else [] for t in texts])
    assert none.predict(texts[:2]) == [("x",), ()]
    assert none.predict_proba(texts).shape == (20, 1)
    none.save(tmp_path / "n")
    assert linnet.load(tmp_path / "n").predict(texts) == none.predict(texts)
    always = TextClassifier(WORDS).fit(texts, [["x"]] * 20)
    assert always.predict(["anything"]) == [("x",)]
    numbers = TextClassifier(WORDS, C=1e3).fit(texts, [[1, 2] if "red" in t else [2] for t in texts])
    assert numbers.predict(texts[:2]) == [(1, 2), (2,)]
