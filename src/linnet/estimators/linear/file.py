"""Classifiers of rows to model files and back."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

import linnet.estimators.parts as parts
from linnet.errors import RefusedError
from linnet.estimators.linear.classifier import LinearClassifier
from linnet.estimators.linear.naive_bayes import NaiveBayes
from linnet.estimators.linear.presets import (
    AROW,
    MIRA,
    AdaBoost,
    LinearSVM,
    LogisticRegression,
    MaxEnt,
    PassiveAggressive,
    Perceptron,
    VotedPerceptron,
    Winnow,
)
from linnet.estimators.linear.regressor import LinearRegressor
from linnet.persistence import ModelFile, StoredStrings, pack_strings

Path = str | os.PathLike[str]

LINEAR: dict[str, type[LinearClassifier]] = {
    estimator.__name__: estimator
    for estimator in (
        AROW,
        MIRA,
        AdaBoost,
        LinearClassifier,
        LinearSVM,
        LogisticRegression,
        MaxEnt,
        NaiveBayes,
        PassiveAggressive,
        Perceptron,
        VotedPerceptron,
        Winnow,
    )
}


def linear_parts(
    estimator: LinearClassifier, dtype: Any = None
) -> tuple[dict[str, Any], parts.Tensors]:
    """What a model file holds of a linear classifier, its weights as they are or cast to ``dtype``.

    What is being learnt by an online learner (averages, variances) is not in the file: `partial_fit`
    goes on from the weights, as after unpickling.
    """
    if LINEAR.get(type(estimator).__name__) is not type(estimator):
        raise RefusedError(
            f"{type(estimator).__name__} cannot be saved: a model file holds no code, only the weights "
            f"and settings of {', '.join(LINEAR)}"
        )
    tensors: parts.Tensors = {}
    spec: dict[str, Any] = {
        "kind": "linear classifier",
        "estimator": type(estimator).__name__,
        "classes": parts.pack_labels(estimator.classes_, tensors),
    }
    spec |= _common_parts(estimator, tensors, dtype)
    if estimator.calibration is not None and estimator.calibrators_ is not None:
        spec["calibration"] = parts.pack_calibrators(estimator.calibrators_, tensors)
    return spec, tensors


def _common_parts(estimator: Any, tensors: parts.Tensors, dtype: Any = None) -> dict[str, Any]:
    """What classifiers and regressors have."""
    spec: dict[str, Any] = {
        "params": parts.pack_params(estimator, tensors),
        "model": parts.pack_model(estimator.model_, tensors, dtype),
        "record": parts.pack_record(estimator.record_, tensors),
        "features": estimator.n_features_in_,
        "epochs": estimator.n_iter_,
        "names": None,
    }
    if estimator.vocabulary_ is not None:
        spec["names"] = "vocabulary"
        tensors |= pack_strings("names", estimator.vocabulary_.names)
    elif hasattr(estimator, "feature_names_in_"):
        spec["names"] = "columns"
        tensors |= pack_strings("names", estimator.feature_names_in_)
    return spec


def regressor_parts(estimator: LinearRegressor) -> tuple[dict[str, Any], parts.Tensors]:
    """What a model file holds of a linear regressor."""
    if type(estimator) is not LinearRegressor:
        raise RefusedError(f"{type(estimator).__name__} cannot be saved: a model file holds no code")
    tensors: parts.Tensors = {}
    return {"kind": "linear regressor"} | _common_parts(estimator, tensors), tensors


def load_regressor(file: ModelFile) -> LinearRegressor:
    """From its file."""
    estimator = parts.unpack_params(file, LinearRegressor)
    _unpack_common(estimator, file, 1)
    if estimator.model_.width != 1 or estimator.model_.votes is not None:
        raise file.error("it has more than one score, and is none of a regressor")
    return estimator


def _unpack_common(estimator: Any, file: ModelFile, labels: int) -> None:
    try:
        estimator._learner()
        estimator._threads()
    except (TypeError, ValueError) as e:
        raise file.error(f"its settings make no sense: {e}") from None
    estimator.model_ = parts.unpack_model(file, labels, 1)
    estimator.n_features_in_ = parts.whole(file, file.spec, "features")
    estimator.n_iter_ = parts.whole(file, file.spec, "epochs")
    estimator.record_ = parts.unpack_record(file)
    if estimator.model_.features != estimator.n_features_in_:
        raise file.error("the number of weights is not that of the features")
    _name_features(estimator, file)


def load_linear(file: ModelFile) -> LinearClassifier:
    name = file.spec.get("estimator")
    if not isinstance(name, str) or name not in LINEAR:
        raise file.error(f"there is no linear classifier {name!r:.60}; a later linnet may know it")
    estimator = parts.unpack_params(file, LINEAR[name])
    estimator.classes_ = parts.unpack_labels(file)
    _unpack_common(estimator, file, len(estimator.classes_))
    if "calibration" in file.spec:
        estimator.calibrators_ = parts.unpack_calibrators(file, estimator.model_.width)
    elif estimator.calibration is not None:
        estimator.calibrators_ = None  # training was interrupted before it came to them
    return estimator


def _name_features(estimator: Any, file: ModelFile) -> None:
    estimator.vocabulary_ = None
    kind = file.spec.get("names")
    if kind is None:
        return
    stored = StoredStrings(file, "names")
    if kind not in ("vocabulary", "columns") or len(stored) != estimator.n_features_in_:
        raise file.error("the names of its features do not go with its weights")
    if kind == "vocabulary":
        estimator.vocabulary_ = parts.StoredVocabulary(stored)
    else:
        estimator.feature_names_in_ = np.array(stored.decode(), dtype=object)
