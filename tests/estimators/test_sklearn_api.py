"""scikit-learn's own checks, and life in its pipelines and searches."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import linnet
from linnet.data import samples

pytestmark = pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")

# Learners that walk through the data in a random order and stop before the last digit cannot give
# weights equal to 1e-7 for a repeated and a weighted instance; scikit-learn makes the same exception
# for its own LinearSVC, Perceptron and SGDClassifier.
ORDER = "the weights depend on the order of the instances, to a few digits"
NEGATIVE = "the check's data are negative"

ONLINE = (
    linnet.AROW,
    linnet.MIRA,
    linnet.PassiveAggressive,
    linnet.Perceptron,
    linnet.VotedPerceptron,
    linnet.Winnow,
)


def expected_failures(estimator: linnet.LinearClassifier) -> dict[str, str]:
    if isinstance(estimator, linnet.NaiveBayes):
        return {
            "check_class_weight_classifiers": NEGATIVE,
            "check_decision_proba_consistency": NEGATIVE,
        }
    failures = {}
    if isinstance(estimator, linnet.Winnow):
        failures["check_class_weight_classifiers"] = "1.5 to the power of 1000 is out of range"
    if isinstance(estimator, ONLINE) or estimator.loss == "hinge":
        failures["check_sample_weight_equivalence_on_dense_data"] = ORDER
        failures["check_sample_weight_equivalence_on_sparse_data"] = ORDER
    return failures


@parametrize_with_checks(
    [
        linnet.LinearClassifier(tol=1e-10),
        linnet.AROW(),
        linnet.LinearSVM(),
        linnet.LinearSVM(loss="squared_hinge", tol=1e-10),
        linnet.LogisticRegression(tol=1e-10),
        linnet.LogisticRegression(penalty="l1"),
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
    expected_failed_checks=expected_failures,
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
