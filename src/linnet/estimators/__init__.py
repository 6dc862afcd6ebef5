"""Estimators: every flat cell of the grid, and the familiar names as presets of it."""

from __future__ import annotations

from linnet.estimators.joint import JointClassifier, Reranker
from linnet.estimators.linear import LinearClassifier
from linnet.estimators.naive_bayes import NaiveBayes
from linnet.estimators.presets import (
    AROW,
    MIRA,
    LinearSVM,
    LogisticRegression,
    MaxEnt,
    PassiveAggressive,
    Perceptron,
    Winnow,
)

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
]
