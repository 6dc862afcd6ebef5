"""Word lists: a classifier without training, and a start for one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet import TextClassifier
from linnet.errors import DataError
from linnet.features import TextFeatures

from ...birds import BIRDS, HELD_TEXTS, TEXTS, TWO_BIRDS, TWO_TEXTS

MOODS = {"good": {"great": 2.0, "not bad": 3.0}, "bad": {"bad": 1.5, "awful": 2.0}}


def test_a_lexicon_is_a_classifier(tmp_path: Path) -> None:
    model = TextClassifier.from_lexicon(MOODS)
    texts = ["GREAT, great!", "awful", "not bad", "bad", "nothing at all"]
    np.testing.assert_allclose(model.decision_function(texts), [4.0, -2.0, 1.5, -1.5, 0.0])
    assert model.predict(texts).tolist() == ["good", "bad", "good", "bad", "bad"]  # a tie: the earlier
    np.testing.assert_allclose(
        model.predict_proba(texts)[:, 1], 1 / (1 + np.exp([-4, 2, -1.5, 1.5, 0]))
    )
    assert model.choice_.why == ["weights set by hand"]
    assert model.explain("great").scores.tolist() == [2.0]
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(
        linnet.load(tmp_path / "m").decision_function(texts), model.decision_function(texts)
    )


def test_intercepts_and_many_labels() -> None:
    lexicon = {"a": {"x": 1.0}, "b": {"y": 1.0, "x": 0.25}, "c": {}}
    model = TextClassifier.from_lexicon(lexicon, intercepts={"c": 0.5})
    np.testing.assert_allclose(
        model.decision_function(["x", "y", "z"]), [[1, 0.25, 0.5], [0, 1, 0.5], [0, 0, 0.5]]
    )
    assert model.predict(["x", "y", "z"]).tolist() == ["a", "b", "c"]
    two = TextClassifier.from_lexicon({0: {"x": 1.0}, 1: {"y": 1.0}}, intercepts={0: 0.5, 1: 0.25})
    assert two.decision_function(["", "x", "y"]).tolist() == [-0.25, -1.25, 0.75]
    assert two.predict(["x", "y"]).tolist() == [0, 1]


def test_a_lexicon_over_other_features_leaves_them_alone() -> None:
    features = TextFeatures(word=(1, 2), tf="binary", norm="none")
    model = TextClassifier.from_lexicon(MOODS, features=features, thresholds=0.9)
    assert model.decision_function(["great great"]).tolist() == [2.0]
    assert not hasattr(features, "_features")
    assert model.predict(["nothing"]).tolist() == ["unsure"]
    hashed = TextClassifier.from_lexicon(MOODS, features=TextFeatures(hash_bits=16, norm="none"))
    assert hashed.decision_function(["not bad"]).tolist() == [1.5]


def test_wrong_lexicons() -> None:
    with pytest.raises(ValueError, match="dict of dicts"):
        TextClassifier.from_lexicon(["great"])
    with pytest.raises(ValueError, match="two labels or more"):
        TextClassifier.from_lexicon({"good": {"great": 1}})
    with pytest.raises(ValueError, match="no entries"):
        TextClassifier.from_lexicon({"good": {}, "bad": {}})
    with pytest.raises(ValueError, match="intercepts name 'ugly'"):
        TextClassifier.from_lexicon(MOODS, intercepts={"ugly": 1})
    with pytest.raises(DataError, match="'not bad' is no n-gram"):
        TextClassifier.from_lexicon(MOODS, features=TextFeatures(word=(1, 1)))
    for weight in ("x", float("nan"), None):
        with pytest.raises(ValueError, match="lexicon: the weight of 'dusk' must be a number"):
            TextClassifier(lexicon={"owl": {"dusk": weight}}).fit(TEXTS, BIRDS)
    with pytest.raises(ValueError, match="an n-gram must be a str"):
        TextClassifier.from_lexicon({"a": {3: 1.0}, "b": {}})
    with pytest.raises(DataError, match="mixed type"):
        TextClassifier.from_lexicon({"a": {"x": 1.0}, 2: {"y": 1.0}})
    with pytest.raises(ValueError, match="intercepts must be a dict"):
        TextClassifier.from_lexicon(MOODS, intercepts=[1.0])
    with pytest.raises(ValueError, match="intercepts: that of 'bad'"):
        TextClassifier.from_lexicon(MOODS, intercepts={"bad": "x"})
    with pytest.raises(ValueError, match="a stream begins at"):
        TextClassifier(lexicon={"owl": {"dusk": 1.0}}).partial_fit(TEXTS, BIRDS)
    with pytest.raises(DataError, match="is no n-gram"):
        TextClassifier.from_lexicon({"a": {" ": 1.0}, "b": {"x": 1.0}})


def test_a_lexicon_model_goes_on_learning() -> None:
    model = TextClassifier.from_lexicon(MOODS)
    model.partial_fit(
        ["superb work", "a great day", "awful food", "bad luck"] * 5, ["good", "good", "bad", "bad"] * 5
    )
    assert model.predict(["superb", "great", "awful"]).tolist() == ["good", "good", "bad"]


HINTS = {
    "linnet": {"finch": 2.0, "gorse": 1.0, "no such word": 9.0},
    "heron": {"heron": 2.0, "grey": 1.0},
}


@pytest.mark.parametrize("labels", [2, 6])
@pytest.mark.parametrize("inside", [False, True])
def test_a_start_changes_the_way_not_the_end(labels: int, inside: bool) -> None:
    X, y = (TWO_TEXTS, TWO_BIRDS) if labels == 2 else (TEXTS, BIRDS)
    words = TextFeatures(word=(1, 1))

    def fitted(lexicon: object, **settings: object) -> TextClassifier:
        if inside:
            classifier = linnet.LinearClassifier("logistic", "lbfgs", C=1.0, **settings)
            return TextClassifier(words, classifier=classifier, lexicon=lexicon).fit(X, y)
        return TextClassifier(words, "logistic", "lbfgs", C=1.0, lexicon=lexicon, **settings).fit(X, y)

    cold, warm = fitted(None, tol=1e-9), fitted(HINTS, tol=1e-9)
    np.testing.assert_allclose(
        warm.decision_function(HELD_TEXTS), cold.decision_function(HELD_TEXTS), atol=1e-3
    )
    assert (warm.coef_ != cold.coef_).any()


@pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")
def test_a_good_start_is_ahead() -> None:
    trained = TextClassifier(TextFeatures(word=(1, 1)), "logistic", "sgd", C=10.0).fit(TEXTS, BIRDS)
    lexicon = {
        bird: {
            name: float(trained.coef_[k, j])
            for j, name in enumerate(trained.features_.names)
            if name.isalpha()
        }
        for k, bird in enumerate(trained.classes_)
    }
    mistakes = []
    for start in (None, lexicon):
        model = TextClassifier(
            TextFeatures(word=(1, 1)), "logistic", "sgd", C=10.0, lexicon=start, max_iter=1
        ).fit(TEXTS, BIRDS)
        mistakes.append(model.record_.epochs[0].mistakes)
    assert mistakes[1] < mistakes[0]
