"""scikit-learn's own checks, and life in its pipelines and searches."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import linnet
from linnet.data import samples

# Learners that walk through the data in a random order and stop before the last digit cannot give
# weights equal to 1e-7 for a repeated and a weighted instance; scikit-learn makes the same exception
# for its own LinearSVC, Perceptron and SGDClassifier.
ORDERED = {
    "check_sample_weight_equivalence_on_dense_data": "depends on the order of the instances",
    "check_sample_weight_equivalence_on_sparse_data": "depends on the order of the instances",
}
EXPECTED = {
    linnet.LinearClassifier: {},
    linnet.NaiveBayes: {},
}


@parametrize_with_checks(
    [
        linnet.LinearClassifier(learner="newton", tol=1e-10),
        linnet.LinearClassifier(learner="sgd"),
        linnet.AROW(),
        linnet.LinearSVM(),
        linnet.LinearSVM(loss="squared_hinge"),
        linnet.LogisticRegression(),
        linnet.LogisticRegression(penalty="l1"),
        linnet.MIRA(),
        linnet.MaxEnt(),
        linnet.NaiveBayes(),
        linnet.NaiveBayes("bernoulli"),
        linnet.NaiveBayes("complement"),
        linnet.PassiveAggressive(),
        linnet.Perceptron(),
        linnet.Winnow(),
    ],
    expected_failed_checks=lambda e: (
        {} if isinstance(e, linnet.NaiveBayes) or e.learner == "newton" else ORDERED
    ),
)
def test_sklearn_checks(estimator: object, check: object) -> None:
    check(estimator)


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
