"""Linnet: linear models for language."""

from __future__ import annotations

from linnet import learners
from linnet.estimators import (
    AROW,
    MIRA,
    JointClassifier,
    LinearClassifier,
    LinearSVM,
    LogisticRegression,
    MaxEnt,
    NaiveBayes,
    PassiveAggressive,
    Perceptron,
    Reranker,
    Winnow,
)
from linnet.training import compatible

__version__ = "0.1.0"

__all__ = [
    "AROW",
    "MIRA",
    "JointClassifier",
    "LinearClassifier",
    "LinearSVM",
    "LogisticRegression",
    "MaxEnt",
    "NaiveBayes",
    "PassiveAggressive",
    "Perceptron",
    "Reranker",
    "Winnow",
    "compatible",
    "learners",
]
