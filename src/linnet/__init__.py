"""Linnet: linear models for language."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from linnet import engines, formats, grammars, graphs, kernels, learners
    from linnet.engines import engine
    from linnet.estimators import (
        AROW,
        CRF,
        HMM,
        MEMM,
        MIRA,
        AdaBoost,
        BrillClassifier,
        BrillTagger,
        ConstituencyParser,
        DecisionList,
        DependencyParser,
        GrammarParser,
        GraphModel,
        JointClassifier,
        KernelPerceptron,
        KernelRegressor,
        KernelSVM,
        LinearClassifier,
        LinearRegressor,
        LinearSVM,
        LogisticRegression,
        MappedClassifier,
        MaxEnt,
        MemoryClassifier,
        MemoryTagger,
        NaiveBayes,
        PassiveAggressive,
        Perceptron,
        Reranker,
        StructuredMIRA,
        StructuredPerceptron,
        StructuredSVM,
        Tagger,
        TextBrill,
        TextClassifier,
        TextDecisionList,
        TextNeighbors,
        TextRegressor,
        VotedPerceptron,
        Winnow,
        compare,
        load,
        tune,
    )
    from linnet.features import TextFeatures, TokenFeatures
    from linnet.grammars import Grammar
    from linnet.graphs import FactorGraph
    from linnet.training import compatible

__version__ = "0.1.0"

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
    "FactorGraph",
    "Grammar",
    "GrammarParser",
    "GraphModel",
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
    "TextFeatures",
    "TextNeighbors",
    "TextRegressor",
    "TokenFeatures",
    "VotedPerceptron",
    "Winnow",
    "compare",
    "compatible",
    "engine",
    "engines",
    "formats",
    "grammars",
    "graphs",
    "kernels",
    "learners",
    "load",
    "tune",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used: ``import linnet`` costs nothing."""
    if name in ("engines", "formats", "grammars", "graphs", "kernels", "learners"):
        return import_module(f"linnet.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'linnet' has no attribute {name!r}")
    rooms = {
        "FactorGraph": "linnet.graphs",
        "Grammar": "linnet.grammars",
        "TextFeatures": "linnet.features",
        "TokenFeatures": "linnet.features",
        "compatible": "linnet.training",
        "engine": "linnet.engines",
    }
    return getattr(import_module(rooms.get(name, "linnet.estimators")), name)


def __dir__() -> list[str]:
    return __all__
