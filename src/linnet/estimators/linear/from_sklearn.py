"""scikit-learn's fitted linear classifiers as weights, intercepts and labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import RefusedError
from linnet.estimators.base import Labels

Array = NDArray[np.float64]

_LOSSES = {
    "hinge": "hinge",
    "squared_hinge": "squared_hinge",
    "log_loss": "logistic",
    "perceptron": "perceptron",
    "squared_error": "squared",
}
_LOSS_OF = {
    "LogisticRegression": "logistic",
    "LogisticRegressionCV": "logistic",
    "Perceptron": "perceptron",
    "RidgeClassifier": "squared",
    "RidgeClassifierCV": "squared",
}
_NAIVE_BAYES = ("BernoulliNB", "ComplementNB", "MultinomialNB")


@dataclass(frozen=True)
class LinearPart:
    """(features, width) weights; two labels share a column that scores the second."""

    weights: Array
    intercepts: Array
    classes: Labels
    loss: str
    joint: bool
    presence: bool = False  # features count as present or absent, whatever their values
    notes: list[str] = field(default_factory=list)


def linear_part(classifier: Any, n_features: int) -> LinearPart:
    """Read a fitted classifier; one that is not linear in its features is refused."""
    name = type(classifier).__name__
    if not hasattr(classifier, "classes_"):
        raise _refused(f"{name} is no classifier, or not fitted")
    classes = np.asarray(classifier.classes_)
    if classes.ndim != 1 or len(classes) < 2 or getattr(classifier, "multilabel_", False):
        raise _refused(f"{name} has no list of two or more labels, one for each text")
    presence = False
    if name in _NAIVE_BAYES:
        coef, intercept = _log_probabilities(classifier, name)
        presence = name == "BernoulliNB" and classifier.binarize is not None
    else:
        coef, intercept = _weights(classifier, name)
    if len(coef) == 2 == len(classes):
        coef, intercept = coef[1:] - coef[:1], intercept[1:] - intercept[:1]
    if coef.shape != (1 if len(classes) == 2 else len(classes), n_features):
        raise _refused(
            f"{name} has weights {coef.shape} for {len(classes)} labels and {n_features} features"
        )
    loss = _loss(classifier, name)
    notes = [] if loss else [f"{name} has a loss that Linnet does not have; scores are margins"]
    return LinearPart(
        np.ascontiguousarray(coef.T),
        intercept,
        classes,
        loss or "hinge",
        len(classes) == 2 or _is_joint(classifier, name),
        presence,
        notes,
    )


def _weights(classifier: Any, name: str) -> tuple[Array, Array]:
    """(1 or labels, features) and (1 or labels,)."""
    if hasattr(classifier, "support_vectors_") or name == "OneVsOneClassifier":
        raise _refused(f"{name} decides between pairs of labels or by kernels; use LinearSVC")
    if name == "OneVsRestClassifier":
        parts = [_weights(one, type(one).__name__) for one in classifier.estimators_]
        return np.vstack([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
    if not hasattr(classifier, "coef_") or not hasattr(classifier, "intercept_"):
        raise _refused(f"{name} has no coef_ and intercept_: it is not linear, or wraps one that is")
    coef = classifier.coef_
    coef = np.atleast_2d(np.asarray(coef.toarray() if hasattr(coef, "toarray") else coef, np.float64))
    intercept = np.ravel(np.asarray(classifier.intercept_, dtype=np.float64))
    return coef, np.array(np.broadcast_to(intercept, len(coef)))  # 0.0 where there is none


def _log_probabilities(classifier: Any, name: str) -> tuple[Array, Array]:
    """Naive Bayes: log P(x, y) is linear in x."""
    log_p = np.asarray(classifier.feature_log_prob_, dtype=np.float64)
    prior = np.asarray(classifier.class_log_prior_, dtype=np.float64)
    if name == "MultinomialNB":
        return log_p, prior
    if name == "ComplementNB":
        return log_p, np.zeros(len(log_p))
    if classifier.binarize not in (None, 0):
        raise _refused(f"BernoulliNB(binarize={classifier.binarize!r}) is not 0")
    log_absent = np.log1p(-np.exp(log_p))
    return log_p - log_absent, prior + log_absent.sum(axis=1)


def _loss(classifier: Any, name: str) -> str | None:
    if name == "OneVsRestClassifier":
        inner = classifier.estimators_[0]
        return _loss(inner, type(inner).__name__)
    if name in _NAIVE_BAYES:
        return "joint_likelihood"
    return _LOSS_OF.get(name) or _LOSSES.get(getattr(classifier, "loss", ""))


def _is_joint(classifier: Any, name: str) -> bool:
    """Naive Bayes and multinomial logistic regression; the others go one label against the rest."""
    if name.startswith("LogisticRegression"):
        ovr = getattr(classifier, "multi_class", None) == "ovr"
        return not ovr and classifier.solver != "liblinear"
    return name in _NAIVE_BAYES or getattr(classifier, "multi_class", None) == "crammer_singer"


def _refused(why: str) -> RefusedError:
    return RefusedError(f"the classifier cannot become a model of Linnet: {why}")
