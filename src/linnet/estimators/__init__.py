"""Estimators: the text classifier, every flat cell of the grid, and the familiar names as presets."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet.estimators.comparing import compare
    from linnet.estimators.files import load, save
    from linnet.estimators.grammars.parser import GrammarParser
    from linnet.estimators.graphs.model import GraphModel
    from linnet.estimators.kernels.mapped import MappedClassifier
    from linnet.estimators.kernels.perceptron import KernelPerceptron
    from linnet.estimators.kernels.regressor import KernelRegressor
    from linnet.estimators.kernels.svm import KernelSVM
    from linnet.estimators.linear.candidates import JointClassifier, Reranker
    from linnet.estimators.linear.classifier import LinearClassifier
    from linnet.estimators.linear.from_liblinear import from_liblinear
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
    from linnet.estimators.lists.brill import BrillClassifier, TextBrill
    from linnet.estimators.lists.decision_list import DecisionList, TextDecisionList
    from linnet.estimators.memory.rows import MemoryClassifier
    from linnet.estimators.memory.tagger import MemoryTagger
    from linnet.estimators.memory.texts import TextNeighbors
    from linnet.estimators.parsing.parser import DependencyParser
    from linnet.estimators.phrases.parser import ConstituencyParser
    from linnet.estimators.tagging.brill import BrillTagger
    from linnet.estimators.tagging.presets import (
        CRF,
        HMM,
        MEMM,
        StructuredMIRA,
        StructuredPerceptron,
        StructuredSVM,
    )
    from linnet.estimators.tagging.tagger import Tagger
    from linnet.estimators.text.classifier import TextClassifier
    from linnet.estimators.text.from_sklearn import ImportedPipeline, import_sklearn
    from linnet.estimators.text.regressor import TextRegressor
    from linnet.estimators.trials import Tuned, tune

__all__ = [
    "AROW",
    "CRF",
    "HMM",
    "MEMM",
    "MIRA",
    "AdaBoost",
    "BrillClassifier",
    "BrillTagger",
    "ConstituencyParser",
    "DecisionList",
    "DependencyParser",
    "GrammarParser",
    "GraphModel",
    "ImportedPipeline",
    "JointClassifier",
    "KernelPerceptron",
    "KernelRegressor",
    "KernelSVM",
    "LinearClassifier",
    "LinearRegressor",
    "LinearSVM",
    "LogisticRegression",
    "MappedClassifier",
    "MaxEnt",
    "MemoryClassifier",
    "MemoryTagger",
    "NaiveBayes",
    "PassiveAggressive",
    "Perceptron",
    "Reranker",
    "StructuredMIRA",
    "StructuredPerceptron",
    "StructuredSVM",
    "Tagger",
    "TextBrill",
    "TextClassifier",
    "TextDecisionList",
    "TextNeighbors",
    "TextRegressor",
    "Tuned",
    "VotedPerceptron",
    "Winnow",
    "compare",
    "from_liblinear",
    "import_sklearn",
    "load",
    "save",
    "tune",
]

_ROOMS = {
    "linear.presets": (
        "AROW",
        "MIRA",
        "AdaBoost",
        "LinearSVM",
        "LogisticRegression",
        "MaxEnt",
        "PassiveAggressive",
        "Perceptron",
        "VotedPerceptron",
        "Winnow",
    ),
    "graphs.model": ("GraphModel",),
    "kernels.mapped": ("MappedClassifier",),
    "kernels.perceptron": ("KernelPerceptron",),
    "kernels.regressor": ("KernelRegressor",),
    "kernels.svm": ("KernelSVM",),
    "linear.candidates": ("JointClassifier", "Reranker"),
    "linear.classifier": ("LinearClassifier",),
    "linear.from_liblinear": ("from_liblinear",),
    "linear.naive_bayes": ("NaiveBayes",),
    "linear.regressor": ("LinearRegressor",),
    "text.classifier": ("TextClassifier",),
    "text.regressor": ("TextRegressor",),
    "text.from_sklearn": ("ImportedPipeline", "import_sklearn"),
    "tagging.presets": (
        "CRF",
        "HMM",
        "MEMM",
        "StructuredMIRA",
        "StructuredPerceptron",
        "StructuredSVM",
    ),
    "lists.brill": ("BrillClassifier", "TextBrill"),
    "lists.decision_list": ("DecisionList", "TextDecisionList"),
    "memory.rows": ("MemoryClassifier",),
    "memory.tagger": ("MemoryTagger",),
    "memory.texts": ("TextNeighbors",),
    "tagging.brill": ("BrillTagger",),
    "tagging.tagger": ("Tagger",),
    "parsing.parser": ("DependencyParser",),
    "phrases.parser": ("ConstituencyParser",),
    "grammars.parser": ("GrammarParser",),
    "files": ("load", "save"),
    "trials": ("Tuned", "tune"),
    "comparing": ("compare",),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> Any:
    """A model that only predicts does not pay for the import of what trains others."""
    if name not in __all__:
        raise AttributeError(f"module 'linnet.estimators' has no attribute {name!r}")
    return getattr(import_module(f"linnet.estimators.{_ROOM_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__
