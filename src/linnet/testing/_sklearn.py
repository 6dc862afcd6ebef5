"""What scikit-learn's checks ask for and an estimator cannot have, each with its reason."""

from __future__ import annotations

from typing import Any

from linnet.estimators import LinearClassifier, NaiveBayes, Winnow
from linnet.training import grid

ORDER = (
    "a weighted instance is one step and its copies are several, in an order drawn by chance: the "
    "weights differ, as those of scikit-learn's Perceptron and SGDClassifier do"
)
NEGATIVE = "the data of the check are negative, though the tags say that they must not be"
RANGE = "the check's weight of 1000 is an exponent: 1.5 to the power of 1000 is out of range"
SHORT_OF_IT = "it ends within tol of the optimum, 1e-4 of the objective; with tol=1e-10 it passes"


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """For ``sklearn.utils.estimator_checks.check_estimator(..., expected_failed_checks=...)``.

    >>> from linnet import LinearSVM, Perceptron
    >>> sorted(expected_failed_checks(Perceptron()))[0]
    'check_sample_weight_equivalence_on_dense_data'
    >>> expected_failed_checks(LinearSVM(tol=1e-10))
    {}
    """
    failures: dict[str, str] = {}
    if not isinstance(estimator, LinearClassifier):
        return failures
    if isinstance(estimator, NaiveBayes):
        failures["check_class_weight_classifiers"] = NEGATIVE
        failures["check_decision_proba_consistency"] = NEGATIVE
        return failures
    if isinstance(estimator, Winnow):
        failures["check_class_weight_classifiers"] = RANGE
    steps = estimator.learner != "auto" and grid.resolve(estimator.learner).family == "online"
    if steps or estimator.tol > CLOSE:
        for kind in ("dense", "sparse"):
            reason = ORDER if steps else SHORT_OF_IT
            failures[f"check_sample_weight_equivalence_on_{kind}_data"] = reason
    return failures


CLOSE = 1e-9  # the check compares to 1e-7
