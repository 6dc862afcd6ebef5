"""Linnet: linear models for language."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
        VotedPerceptron,
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
    "VotedPerceptron",
    "Winnow",
    "compatible",
    "learners",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used: ``import linnet`` costs nothing."""
    if name == "learners":
        return import_module("linnet.learners")
    if name not in __all__:
        raise AttributeError(f"module 'linnet' has no attribute {name!r}")
    room = "linnet.training" if name == "compatible" else "linnet.estimators"
    return getattr(import_module(room), name)


def __dir__() -> list[str]:
    return __all__
