"""scikit-learn's own checks, and life in its pipelines and searches."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

import linnet
from linnet.data import samples
from linnet.features import TextFeatures
from linnet.testing import expected_failed_checks

pytestmark = pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")


@parametrize_with_checks(
    [
        linnet.LinearClassifier(tol=1e-10),
        linnet.AdaBoost(max_iter=30),
        linnet.LinearRegressor(tol=1e-10),
        linnet.AROW(),
        linnet.LinearSVM(tol=1e-10),
        linnet.LinearSVM(loss="squared_hinge", tol=1e-10),
        linnet.LogisticRegression(tol=1e-10),
        linnet.LogisticRegression(penalty="l1", tol=1e-10),
        linnet.MIRA(),
        linnet.MaxEnt(tol=1e-10),
        linnet.NaiveBayes(),
        linnet.NaiveBayes("bernoulli"),
        linnet.NaiveBayes("complement"),
        linnet.PassiveAggressive(),
        linnet.Perceptron(),
        linnet.VotedPerceptron(),
        linnet.Winnow(),
    ],
    expected_failed_checks=expected_failed_checks,
)
def test_sklearn_checks(estimator: object, check: object) -> None:
    check(estimator)


# All that scikit-learn can check without data, which it has none of for texts.
WITHOUT_DATA = [
    getattr(estimator_checks, name)
    for name in (
        "check_do_not_raise_errors_in_init_or_set_params",
        "check_estimator_repr",
        "check_get_params_invariance",
        "check_mixin_order",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_set_params",
        "check_valid_tag_types",
    )
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")  # no check has texts
@pytest.mark.parametrize(
    "estimator",
    [TextFeatures(), TextFeatures(scale="nb"), linnet.TextClassifier(), linnet.TextRegressor()],
    ids=repr,
)
def test_checks_of_what_takes_texts(estimator: object) -> None:
    results = check_estimator(estimator, on_skip=None)
    assert {result["status"] for result in results} == {"passed"}
    for check in WITHOUT_DATA:
        check(type(estimator).__name__, clone(estimator))
    with pytest.raises(NotFittedError):
        check_is_fitted(estimator)


def test_features_of_texts_in_scikit_learn() -> None:
    texts, labels = samples.load("verse-train")
    features = TextFeatures(word=(1, 1))
    with pytest.raises(NotFittedError, match="text features have learnt nothing yet"):
        features.transform(texts)
    rows = features.fit_transform(texts)
    assert features.set_output(transform="default") is features.set_output()
    np.testing.assert_array_equal(features.transform(texts).toarray(), rows.toarray())
    assert list(features.get_feature_names_out()) == list(features.names)
    check_is_fitted(features)
    pipeline = make_pipeline(clone(features), linnet.LinearSVM()).fit(texts, labels)
    assert pipeline.set_output(transform="default").score(texts, labels) > 0.9
    features.set_output(transform="pandas")  # as OneHotEncoder, whose rows are sparse as well
    for method in (features.transform, features.fit_transform):
        with pytest.raises(
            ValueError, match=r"sparse matrix, .* use set_output\(transform='default'\)"
        ):
            method(texts)


def test_pipeline_and_grid_search() -> None:
    texts, labels = samples.load("birds-train")
    pipeline = make_pipeline(CountVectorizer(), TfidfTransformer(), linnet.LinearSVM())
    assert cross_val_score(pipeline, texts, labels, cv=3).mean() > 0.85
    search = GridSearchCV(pipeline, {"linearsvm__C": [0.1, 1.0]}, cv=3).fit(texts, labels)
    assert search.best_score_ > 0.85


def test_settings_inside_a_learner_can_be_searched() -> None:
    X = np.random.default_rng(0).normal(size=(60, 4))
    y = X[:, 0] > 0
    model = linnet.LinearClassifier("hinge", linnet.learners.PassiveAggressive(), "none")
    search = GridSearchCV(model, {"learner__C": [0.01, 1.0]}, cv=3).fit(X, y)
    assert search.best_estimator_.learner.C in (0.01, 1.0)
    assert model.learner.C == 1.0
    with pytest.raises(ValueError, match="Invalid parameter 'eta'"):
        model.set_params(learner__eta=1)
