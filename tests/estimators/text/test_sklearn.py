"""The text classifier among scikit-learn's tools, copied and pickled."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

import linnet
from linnet import TextClassifier
from linnet.features import TextFeatures

from ...birds import ALL_BIRDS, ALL_TEXTS, BIRDS, HELD_TEXTS, SEVERAL, TEXTS, TWO_BIRDS, TWO_TEXTS


def test_settings_reach_inside() -> None:
    model = TextClassifier(TextFeatures(), classifier=linnet.LinearSVM(C=2.0))
    params = model.get_params()
    assert params["features__word"] == (1, 2)
    assert params["classifier__C"] == 2.0
    model.set_params(features__word=(1, 1), classifier__C=0.5, thresholds=0.2)
    assert (model.features.word, model.classifier.C, model.thresholds) == ((1, 1), 0.5, 0.2)
    with pytest.raises(ValueError, match="Invalid parameter 'colour'"):
        model.set_params(colour="red")


def test_clone() -> None:
    model = TextClassifier(
        TextFeatures(word=(1, 1)), learner=linnet.learners.SGD(eta0=0.5), loss="logistic", n_jobs=2
    )
    model.fit(TEXTS, BIRDS)
    other = clone(model)
    assert repr(other) == repr(model)
    assert not hasattr(other, "classes_")
    assert other.features is not model.features
    other.set_params(features__word=(1, 3))
    assert model.features.word == (1, 1)
    nested = clone(TextClassifier(classifier=linnet.LinearSVM(C=2.0)))
    assert nested.classifier.C == 2.0
    check_is_fitted(model)
    assert is_classifier(model)


def test_grid_search_over_raw_strings() -> None:
    search = GridSearchCV(
        TextClassifier(TextFeatures(), "logistic"),
        {"features__word": [(1, 1), (1, 2)], "C": [0.01, 10.0]},
        cv=3,
        error_score="raise",
    )
    search.fit(ALL_TEXTS[:150], ALL_BIRDS[:150])
    assert search.best_params_["C"] == 10.0
    assert search.best_score_ > 0.6
    assert search.predict(HELD_TEXTS).shape == (len(HELD_TEXTS),)


def test_grid_search_over_features_of_the_default_classifier() -> None:
    model = TextClassifier().set_params(features__word=(1, 3))
    assert repr(model) == "TextClassifier(features=TextFeatures(word=(1, 3)))"
    default = TextClassifier(numeric=["length"])
    grid = {"features__word": [(1, 1), (2, 2)], "features__tf": ["count"]}
    X = pd.DataFrame({"text": ALL_TEXTS[:90], "length": [len(text) for text in ALL_TEXTS[:90]]})
    search = GridSearchCV(default, grid, cv=3, error_score="raise").fit(X, ALL_BIRDS[:90])
    assert search.best_params_ == {"features__tf": "count", "features__word": (1, 1)}
    best = search.best_estimator_.features_
    assert (best.word, best.tf, best.numeric) == ((1, 1), "count", ["length"])
    assert "column:length" in best.names
    assert default.features == "auto"
    inside = make_pipeline(TextClassifier()).set_params(textclassifier__features__lowercase=False)
    assert not inside[0].features.lowercase


def test_a_learner_that_was_named_has_settings() -> None:
    model = linnet.LinearClassifier(learner="sgd").set_params(learner__eta0=0.25)
    assert (model.learner.name, model.learner.eta0) == ("sgd", 0.25)
    with pytest.raises(ValueError, match=r"learner='auto' has no settings to reach into by learner__…"):
        linnet.LinearClassifier().set_params(learner__eta0=0.25)


def test_pipelines_and_cross_validation() -> None:
    shout = FunctionTransformer(lambda texts: [text.upper() for text in texts])
    pipeline = make_pipeline(shout, TextClassifier(TextFeatures(lowercase=False)))
    pipeline.fit(TEXTS, BIRDS)
    assert pipeline.score(TEXTS, BIRDS) == 1.0
    assert pipeline.predict_proba(HELD_TEXTS).shape == (len(HELD_TEXTS), 6)
    assert isinstance(clone(pipeline), Pipeline)
    scores = cross_val_score(TextClassifier(), np.array(TWO_TEXTS, dtype=object), TWO_BIRDS, cv=3)
    assert scores.mean() > 0.8
    found = cross_val_predict(TextClassifier(), TWO_TEXTS, TWO_BIRDS, cv=3, method="predict_proba")
    assert found.shape == (len(TWO_TEXTS), 2)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
@pytest.mark.parametrize("kind", ["six", "several", "stream", "quantised", "voted", "unfitted"])
def test_copies(copied: object, kind: str) -> None:
    model = TextClassifier()
    if kind == "voted":
        model.set_params(classifier=linnet.VotedPerceptron())
    if kind == "stream":
        model.partial_fit(TEXTS, BIRDS)
    elif kind != "unfitted":
        model.fit(TEXTS, SEVERAL if kind == "several" else BIRDS)
    if kind == "quantised":
        model = model.quantize()
    found = copied(model)
    assert repr(found) == repr(model)
    if kind == "unfitted":
        found.fit(TEXTS, BIRDS)
        return
    np.testing.assert_array_equal(
        found.decision_function(HELD_TEXTS), model.decision_function(HELD_TEXTS)
    )
    if kind == "several":
        assert found.predict(HELD_TEXTS) == model.predict(HELD_TEXTS)
    else:
        np.testing.assert_array_equal(found.predict_proba(HELD_TEXTS), model.predict_proba(HELD_TEXTS))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_learn_apart(copied: object) -> None:
    model = TextClassifier().partial_fit(TEXTS, BIRDS)
    before = model.decision_function(HELD_TEXTS)
    other = copied(model)
    other.partial_fit(["words unheard of"] * 3 + TEXTS[:9], ["owl"] * 3 + BIRDS[:9])
    assert other.features_.n_features > model.features_.n_features
    np.testing.assert_array_equal(model.decision_function(HELD_TEXTS), before)
    model.partial_fit(TEXTS[:9], BIRDS[:9])
    assert model.model_.features == model.features_.n_features


def test_names_of_features() -> None:
    model = TextClassifier(TextFeatures(word=(1, 1))).fit(TEXTS, BIRDS)
    names = model.get_feature_names_out()
    assert names.shape == (model.coef_.shape[1],)
    strongest = names[model.coef_[model.classes_.tolist().index("owl")].argmax()]
    assert any(strongest in t.lower() for t, b in zip(TEXTS, BIRDS, strict=True) if b == "owl")
    assert model.intercept_.shape == (6,)
