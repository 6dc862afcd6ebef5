"""A small model file of every kind that `linnet.load` knows, and of every shape of their parts."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import linnet
from linnet.features.spans import SpanFeatures

from .. import phrase_bank
from ..grid import cells
from ..persistence import parser_models, tagger_models, text_models

_RNG = np.random.default_rng(0)
X, Y = np.abs(_RNG.normal(size=(30, 4))), _RNG.integers(0, 3, 30)
NAMED = [{"a": 1.0, "b": 0.5}, {"b": 1.0}, {"c": 2.0}]

LINEAR: dict[str, Callable[[], Any]] = {
    "linear": lambda: linnet.LogisticRegression(max_iter=5).fit(X, Y),
    "linear, two": lambda: linnet.LinearSVM(calibration="isotonic").fit(X, Y > 0),
    "linear, voted": lambda: linnet.VotedPerceptron(max_iter=2).fit(X, Y),
    "linear, named": lambda: linnet.NaiveBayes().fit(NAMED, ["x", "y", "x"]),
    "linear, votes of pairs": lambda: linnet.LinearSVM(multiclass="pairs_votes").fit(X, Y),
    "linear, boosted": lambda: linnet.AdaBoost(max_iter=5).fit(X > 0.5, Y),
    "linear, survivor": lambda: linnet.Perceptron(average="survivor").fit(X, Y),
    "linear, numbers": lambda: linnet.LinearRegressor().fit(X, X[:, 0]),
    "linear, stream": lambda: linnet.Perceptron().partial_fit(X, Y, classes=[0, 1, 2]),
}

SPANS = SpanFeatures(templates=phrase_bank.TEMPLATES, hash_bits=8)
PHRASES: dict[str, Callable[[], Any]] = {
    "one look": lambda: _phrases(second=False),
    "two looks": lambda: _phrases(second=True),
    "tagged, small": lambda: _phrases(second=True, tagger="auto", jackknife=0).quantize(8),
}


def _weighted_grammar() -> linnet.GrammarParser:
    return linnet.GrammarParser(learner="perceptron", hash_bits=8).fit(cells.phrases())


GRAMMARS: dict[str, Callable[[], Any]] = {
    "counted": lambda: linnet.GrammarParser().fit(cells.phrases()),
    "weighted": _weighted_grammar,
    "weighted, small": lambda: _weighted_grammar().quantize(8),
}
TEXT_NUMBERS = (["two wrens", "ten wrens", "two larks", "ten larks"], [2.0, 10.0, 2.0, 10.0])
NUMBERS: dict[str, Callable[[], Any]] = {
    "texts": lambda: linnet.TextRegressor().fit(*TEXT_NUMBERS),
    "texts, small": lambda: linnet.TextRegressor().fit(*TEXT_NUMBERS).quantize(8),
}
RULES: dict[str, Callable[[], Any]] = {
    "two words": lambda: linnet.BrillTagger(min_score=1).fit(
        [["the", "can"], ["birds", "can", "sing"]], [["D", "N"], ["N", "V", "V"]]
    ),
    "endings": lambda: linnet.BrillTagger("brill24", min_score=1).fit(
        *linnet.data.samples.load_tagged("sightings-train")
    ),
}
KERNELS: dict[str, Callable[[], Any]] = {
    "numbers": lambda: linnet.KernelSVM().fit([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 2]),
    "texts": lambda: linnet.KernelSVM("linear").fit(["a linnet", "a wren"], ["linnet", "wren"]),
    "strings": lambda: linnet.KernelSVM("gappy length=2").fit(["a linnet", "a wren"], [0, 1]),
    "trees": lambda: linnet.KernelSVM("normalised subset_tree").fit(
        [("S", ("N", "linnet")), ("S", ("N", "wren"))], [0, 1]
    ),
    "gram": lambda: linnet.KernelRegressor("precomputed").fit([[1.0, 0.0], [0.0, 1.0]], [1.0, 2.0]),
    "votes": lambda: linnet.KernelPerceptron(hypothesis="voted").fit(
        [{"a": 1.0}, {"b": 1.0}, {"a": 2.0, "b": 1.0}], ["x", "y", "x"]
    ),
    "code": lambda: linnet.KernelSVM(multiclass="ecoc_votes").fit(X, Y),
    "conjunctions": lambda: linnet.MappedClassifier("conjunctions bits=8").fit(NAMED, ["x", "y", "x"]),
    "landmarks": lambda: linnet.MappedClassifier("nystroem of gappy length=2").fit(
        ["a linnet", "a wren"], [0, 1]
    ),
    "fragments": lambda: linnet.MappedClassifier("tree_fragments bits=8 of subset_tree").fit(
        [("S", ("N", "linnet")), ("S", ("N", "wren"))], [0, 1]
    ),
    "directions": lambda: linnet.MappedClassifier("random_fourier components=4").fit(X, Y),
}
SYMBOLS = [["red", "round"], ["red", "long"], ["green", "round"], ["green", "long"]] * 2
KINDS = ["fruit", "pepper", "fruit", "cucumber"] * 2
BASS = ["a bass sings", "the bass sings low", "he caught a bass", "bass for lunch", "fish"]
SENSES = ["music", "music", "fish", "fish", "fish"]
MEMORY: dict[str, Callable[[], Any]] = {
    "overlap": lambda: linnet.MemoryClassifier(2).fit(SYMBOLS, KINDS),
    "mvdm": lambda: linnet.MemoryClassifier(3, "mvdm", decay="inverse").fit(SYMBOLS, KINDS),
    "tree": lambda: linnet.MemoryClassifier(algorithm="igtree").fit(SYMBOLS, KINDS),
    "list": lambda: linnet.DecisionList(conjunctions=2).fit(SYMBOLS, KINDS),
    "mending": lambda: linnet.BrillClassifier(min_score=1).fit(SYMBOLS, KINDS),
}
WINDOWS: dict[str, Callable[[], Any]] = {
    "windows": lambda: linnet.MemoryTagger(1, k=2).fit(
        [["the", "can"], ["birds", "can", "sing"]], [["D", "N"], ["N", "V", "V"]]
    ),
}
LISTS: dict[str, Callable[[], Any]] = {
    "list": lambda: linnet.TextDecisionList().fit(BASS, SENSES),
    "rules": lambda: linnet.TextBrill(min_score=1).fit(BASS, SENSES),
    "mended": lambda: linnet.TextBrill(
        initial=linnet.TextClassifier().fit(BASS, SENSES), min_score=1
    ).fit(BASS, SENSES),
    "neighbours": lambda: linnet.TextNeighbors(k=2).fit(BASS, SENSES),
}
GRAPHS: dict[str, Callable[[], Any]] = {
    "exact": lambda: linnet.GraphModel(max_iter=3).fit(*cells.problem("graph")),
    "loopy": lambda: linnet.GraphModel(inference="loopy", max_iter=2).fit(*cells.problem("graph")),
}


def _phrases(**settings: Any) -> linnet.ConstituencyParser:
    given = {"tagger": None, "max_iter": 2} | settings
    return linnet.ConstituencyParser(SPANS, **given).fit(phrase_bank.trees(30, longest=7))


@cache
def model_files() -> dict[str, bytes]:
    """What each file holds, by family and name of the model."""
    families: Mapping[str, Mapping[str, Callable[[], Any]]] = {
        "linear": LINEAR,
        "text": text_models.MODELS,
        "numbers": NUMBERS,
        "tagger": tagger_models.MODELS,
        "parser": parser_models.MODELS,
        "phrases": PHRASES,
        "grammar": GRAMMARS,
        "graph": GRAPHS,
        "rules": RULES,
        "kernel": KERNELS,
        "memory": MEMORY,
        "windows": WINDOWS,
        "lists": LISTS,
    }
    made = {}
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the few passes that these models get
        path = Path(folder) / "model.linnet"
        for family, makers in families.items():
            for name, make in makers.items():
                make().save(path)
                made[f"{family}: {name}"] = path.read_bytes()
    return made
