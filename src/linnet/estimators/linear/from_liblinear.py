"""Linear classifiers from model files of other libraries."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.estimators.linear.classifier import LinearClassifier
from linnet.formats.liblinear_model import read_liblinear
from linnet.model import LinearModel
from linnet.training.record import TrainingRecord


def from_liblinear(path: str | os.PathLike[str]) -> LinearClassifier:
    """A `LinearClassifier` with the weights of a LIBLINEAR model; feature f is column f − 1 of X.

    It scores as LIBLINEAR does. C and what else LIBLINEAR was told are not in its files.
    """
    found = read_liblinear(path)
    settings: dict[str, Any] = {"penalty": found.penalty, "fit_intercept": found.bias > 0}
    if found.bias > 0:
        settings["intercept_scaling"] = found.bias
    if found.loss == "logistic" and found.penalty == "l2" and len(found.labels) > 2:
        # LIBLINEAR's is one label against the rest; 'l2' here would be the joint likelihood.
        settings |= {"learner": "coordinate", "penalty": "elasticnet", "l1_ratio": 0.0}
    model = LinearClassifier(found.loss, **settings)
    weights = block(found.weights, found.intercepts)
    structure = "binary" if weights.shape[1] == 1 else "multiclass"
    model.classes_ = found.labels
    model.model_ = LinearModel(weights, found.weights.shape[1], found.bias)
    model.record_ = TrainingRecord(
        found.loss, f"LIBLINEAR {found.solver}", found.penalty, structure, 1.0, 0.0, stopped="imported"
    )
    model.n_features_in_, model.n_iter_, model.vocabulary_ = len(found.weights), 1, None
    return model


def block(weights: NDArray[np.float64], intercepts: NDArray[np.float64]) -> NDArray[np.float64]:
    """(features, width) and (width,) in the layout of the core: (features + 1, padded width)."""
    width = weights.shape[1]
    made = np.zeros((len(weights) + 1, _core.padded(width)))
    made[0, :width], made[1:, :width] = intercepts, weights
    return made
