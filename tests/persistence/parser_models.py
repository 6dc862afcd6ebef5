"""Small parsers of every kind, for the tests of their files."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import linnet
from linnet import DependencyParser
from linnet.data.multiword import MultiwordSplits
from linnet.data.trees import Trees
from linnet.features.arcs import ArcFeatures

from .damage import Files

X = [
    [("a", "DET"), ("linnet", "NOUN"), ("sings", "VERB")],
    [("wrens", "NOUN"), ("hide", "VERB"), ("in", "ADP"), ("ivy", "NOUN")],
    [("the", "DET"), ("wren", "NOUN"), ("sings", "VERB"), ("sweetly", "ADV")],
    [("sing", "VERB")],
] * 3
Y = [
    ([2, 3, 0], ["det", "nsubj", "root"]),
    ([2, 0, 4, 2], ["nsubj", "root", "case", "obl"]),
    ([2, 3, 0, 3], ["det", "nsubj", "root", "advmod"]),
    ([0], ["root"]),
] * 3
ASKED = [*X[:4], [("\ud800 é 漢 !", "NOUN"), ("hides", "VERB")]]
TEMPLATES = ["h.upos m.upos *", "m.form", "h.upos s.upos m.upos"]
SMALL = ArcFeatures(templates=TEMPLATES, hash_bits=6)
JOINT = ArcFeatures(templates=["h.upos m.upos direction", "m.form"], hash_bits=5)
NAMES = ArcFeatures(templates=["h.upos m.upos direction", "m.first.upos"], hash_bits=5)


def small(**settings: Any) -> DependencyParser:
    return DependencyParser(
        **{"features": SMALL, "relations": NAMES, "joint": None, "max_iter": 2} | settings
    )


def whole() -> DependencyParser:
    """One that learnt everything that columns show, with a table of multiword tokens."""
    rows = [
        [
            {"form": word, "upos": tag, "feats": f"F={tag[0]}", "lemma": word.rstrip("s"), "misc": "_"}
            for word, tag in sentence
        ]
        for sentence in X
    ] * 6
    for row in rows:
        row[-1]["misc"] = "SpaceAfter=No"
    heads, relations = ([tree[k] for tree in Y] * 6 for k in (0, 1))
    made = small(tagger="auto", jackknife=2, roots="many").fit(Trees.from_lists(rows, heads, relations))
    assert made.segmenter_ is not None
    made.segmenter_.splits = MultiwordSplits.learnt([("inthe", ["in", "the"]), ("zum", ["zu", "dem"])])
    return made


MODELS = {
    "second order": lambda: small(n_jobs=1).fit(X, Y),
    "first order": lambda: small(order=1, candidates=None, learner="perceptron").fit(X, Y),
    "crossing": lambda: small(projective=False, features=TEMPLATES[:2], relations="auto").fit(X, Y),
    "probabilities": lambda: small(loss="logistic", learner=linnet.learners.SGD(eta0=0.5)).fit(X, Y),
    "counted": lambda: small(features="auto", loss="joint_likelihood").fit(X, Y),
    "tagger": lambda: small(tagger="auto", jackknife=2, roots="many").fit(X, Y),
    "taggers": lambda: small(
        tagger={"upos": linnet.StructuredPerceptron(features=["word", "suffix2"], max_iter=2)}
    ).fit(X, Y),
    "voted tagger": lambda: small(
        tagger=linnet.Tagger(["word", "suffix2"], learner="voted", max_iter=2), jackknife=2
    ).fit(X, Y),
    "whole": whole,
    "joint": lambda: small(joint=JOINT).fit(X, Y),
    "joint, packed": lambda: small(joint="auto").fit(X, Y).quantize(),
    "packed": lambda: small(tagger="auto", jackknife=2).fit(X, Y).quantize(),
    "packed to 4 bits": lambda: small(order=1).fit(X, Y).quantize(4),
}
DAMAGED = ["second order", "joint", "tagger", "whole", "voted tagger", "packed", "packed to 4 bits"]


def use(model: DependencyParser) -> None:
    """Everything a parser is asked for; numbers may be wrong, nothing may break."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        trees = model.predict(ASKED)
        assert [len(heads) for heads, _ in trees] == [len(words) for words in ASKED]
        for heads, relations in trees:
            Trees.from_lists([["w"] * len(heads)], [heads], [relations], roots="many")
        if hasattr(model, "predict_proba"):
            assert len(model.predict_proba(ASKED)) == len(ASKED)
        if model.segmenter_ is not None and not model.words_lack():
            assert model.parse(["A linnet sings. Inthe ivy zum\n\nwrens hide"]).tokens > 0
        told = model.explain(ASKED[0])
        assert str(told)
        assert told.to_html()
        assert str(model.inspect(3))
        assert repr(model)


# What sentences lack.
FILES = Files(MODELS, use, excuses=("column", "weights", "max_words", "words have no"), limit=(2, 400))
