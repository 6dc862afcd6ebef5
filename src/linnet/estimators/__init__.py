"""Estimators: the text classifier, every flat cell of the grid, and the familiar names as presets."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet.estimators._files import load, save
    from linnet.estimators._import_sklearn import ImportedPipeline, import_sklearn
    from linnet.estimators._imports import from_liblinear
    from linnet.estimators.joint import JointClassifier, Reranker
    from linnet.estimators.linear import LinearClassifier
    from linnet.estimators.naive_bayes import NaiveBayes
    from linnet.estimators.parser import DependencyParser
    from linnet.estimators.presets import (
        AROW,
        MIRA,
        LinearSVM,
        LogisticRegression,
        MaxEnt,
        PassiveAggressive,
        Perceptron,
        VotedPerceptron,
        Winnow,
    )
    from linnet.estimators.tagger import Tagger
    from linnet.estimators.taggers import (
        CRF,
        HMM,
        MEMM,
        StructuredMIRA,
        StructuredPerceptron,
        StructuredSVM,
    )
    from linnet.estimators.text import TextClassifier

__all__ = [
    "AROW",
    "CRF",
    "HMM",
    "MEMM",
    "MIRA",
    "DependencyParser",
    "ImportedPipeline",
    "JointClassifier",
    "LinearClassifier",
    "LinearSVM",
    "LogisticRegression",
    "MaxEnt",
    "NaiveBayes",
    "PassiveAggressive",
    "Perceptron",
    "Reranker",
    "StructuredMIRA",
    "StructuredPerceptron",
    "StructuredSVM",
    "Tagger",
    "TextClassifier",
    "VotedPerceptron",
    "Winnow",
    "from_liblinear",
    "import_sklearn",
    "load",
    "save",
]

_ROOMS = {
    "CRF": "taggers",
    "HMM": "taggers",
    "MEMM": "taggers",
    "StructuredMIRA": "taggers",
    "StructuredPerceptron": "taggers",
    "StructuredSVM": "taggers",
    "Tagger": "tagger",
    "DependencyParser": "parser",
    "ImportedPipeline": "_import_sklearn",
    "JointClassifier": "joint",
    "LinearClassifier": "linear",
    "NaiveBayes": "naive_bayes",
    "Reranker": "joint",
    "TextClassifier": "text",
    "from_liblinear": "_imports",
    "import_sklearn": "_import_sklearn",
    "load": "_files",
    "save": "_files",
}


def __getattr__(name: str) -> Any:
    """A model that only predicts does not pay for the import of what trains others."""
    if name not in __all__:
        raise AttributeError(f"module 'linnet.estimators' has no attribute {name!r}")
    return getattr(import_module(f"linnet.estimators.{_ROOMS.get(name, 'presets')}"), name)


def __dir__() -> list[str]:
    return __all__
