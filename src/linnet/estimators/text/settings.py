"""The settings of a text classifier, read and checked, and the classifier of rows they describe."""

from __future__ import annotations

from typing import Any

from linnet.data.missing import Policy
from linnet.estimators.linear.classifier import LinearClassifier
from linnet.estimators.text.choice import Choice
from linnet.features import TextFeatures
from linnet.training.calibration import FITS


def check_settings(settings: Any) -> None:
    """Those that nobody else looks at."""
    classifier, calibration = settings.classifier, settings.calibration
    if classifier is not None and not isinstance(classifier, LinearClassifier):
        raise ValueError(
            f"classifier must be a LinearClassifier or one of its presets, not {classifier!r}"
        )
    Policy.of(settings.missing)
    if calibration not in (None, "auto", "softmax", *FITS):
        raise ValueError(
            f"calibration must be 'auto', None, 'softmax', 'sigmoid' or 'isotonic', not {calibration!r}"
        )


def class_weight_of(settings: Any) -> Any:
    """By the names of labels; the classifier of rows sees their numbers."""
    inner = None if settings.classifier is None else settings.classifier.class_weight
    return inner if settings.class_weight is None else settings.class_weight


def calibration_of(settings: Any) -> str | None:
    """The text classifier's own, or that of the classifier it was given."""
    inner = None if settings.classifier is None else settings.classifier.calibration
    found: str | None = settings.calibration
    return inner if found == "auto" and inner is not None else found


def linear(settings: Any, choice: Choice, **changes: Any) -> LinearClassifier:
    """The classifier of rows that the settings describe."""
    if settings.classifier is not None:
        given: dict[str, Any] = {
            "diagnostics": False,
            "n_jobs": settings.n_jobs,
            "class_weight": None,
            "calibration": None,
            "progressive": False,
            "warm_start": settings.lexicon is not None,
        }
        if settings.verbose is not None:
            given["verbose"] = settings.verbose
        inner: LinearClassifier = settings.classifier.__sklearn_clone__()
        return inner.set_params(**given | changes)
    given = {
        "alpha": settings.alpha,
        "l1_ratio": settings.l1_ratio,
        "margin": settings.margin,
        "multiclass": settings.multiclass,
        "average": settings.average,
        "max_iter": settings.max_iter,
        "random_state": settings.random_state,
        "n_jobs": settings.n_jobs,
        "verbose": settings.verbose,
        "warm_start": settings.lexicon is not None,
        "diagnostics": False,
        "C": choice.C,
        "tol": choice.tol,
        "intercept_scaling": choice.intercept_scaling,
    }
    return LinearClassifier(choice.loss, choice.learner, choice.penalty, **given | changes)


def unfitted(features: TextFeatures) -> TextFeatures:
    """A copy that has learnt nothing."""
    return type(features)(**features.get_params(deep=False))
