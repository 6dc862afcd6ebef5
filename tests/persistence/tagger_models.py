"""Small taggers of every kind, for the tests of their files."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import linnet
from linnet.estimators import CRF, HMM, MEMM, StructuredMIRA, StructuredPerceptron, Tagger
from linnet.features import TokenFeatures
from linnet.model import VotedChain

from .damage import Files

WORDS = [
    "the linnet sings in the gorse",
    "a small wren hides in ivy",
    "Anna Reed saw a linnet in Kent",
    "the wren of Kent sings",
    "Reed hides",
]
TAGS = [
    "O B-BIRD O O O B-PLANT",
    "O B-BIRD I-BIRD O O B-PLANT",
    "B-PER I-PER O O B-BIRD O B-LOC",
    "O B-BIRD O B-LOC O",
    "B-PER O",
]
X = [words.split() for words in WORDS] * 4
Y = [tags.split() for tags in TAGS] * 4
WITH_POS = [[(word, word[-1:]) for word in sentence] for sentence in X]
ASKED = [*X[:5], ["Anna", "sings", "\ud800 é 漢 !"], ["wren"]]
TEMPLATES = ["word", "word[-1]", "suffix2", "shape"]
OBSERVED = [*TEMPLATES, "transition: word"]
LEXICON = {"birds": ["linnet", "wren", "small wren"], "kind": {"linnet": "bird", "ivy": "plant"}}
ATTRIBUTES = [[{"w": word, "n": len(word)} for word in sentence] for sentence in X]


def small(**settings: Any) -> Tagger:
    return Tagger(**{"features": TEMPLATES, "max_iter": 5} | settings)


MODELS = {
    "auto": lambda: Tagger(max_iter=5).fit(X, Y),
    "independent": lambda: small(order=0).fit(X, Y),
    "first order": lambda: small(ends=True).fit(X, Y),
    "second order": lambda: small(order=2, ends=True, learner="sgd").fit(X, Y),
    "third order": lambda: small(order=3, learner="perceptron").fit(X, Y),
    "fourth order": lambda: small(order=4, ends=True, learner="sgd").fit(X, Y),
    "observed": lambda: small(features=OBSERVED, learner="sgd").fit(X, Y),
    "segments": lambda: small(segments=True, longest=4).fit(X, Y),
    "local": lambda: MEMM(features=TEMPLATES, max_iter=5, ends=True).fit(X, Y),
    "hidden": lambda: HMM(smoothing=0.5).fit(X, Y),
    "perceptron": lambda: StructuredPerceptron(features=TEMPLATES, max_iter=3).fit(X, Y),
    "mira": lambda: StructuredMIRA(features=TEMPLATES, max_iter=3).fit(X, Y),
    "voted": lambda: small(learner="voted", ends=True, max_iter=3).fit(X, Y),
    "voted, second order": lambda: small(learner="voted", order=2, max_iter=3).fit(X, Y),
    "voted, third order": lambda: small(learner="voted", order=3, ends=True, max_iter=2).fit(X, Y),
    "voted, observed": lambda: small(features=OBSERVED, learner="voted", max_iter=3).fit(
        X, Y, sample_weight=np.linspace(0.3, 1, len(X))
    ),
    "attributes": lambda: CRF(max_iter=5).fit(ATTRIBUTES, Y),
    "lexicons": lambda: small(
        features=TokenFeatures(
            templates=["word", "birds", "kind", "capital"],
            lexicons=LEXICON,
            classes={"capital": "^[A-Z]"},
        )
    ).fit(X, Y),
    "usual": lambda: small(features=["word", "usual[-1]", "usual[1]"]).fit(X, Y),
    "hashed": lambda: small(features=TokenFeatures(templates=TEMPLATES, hash_bits=8)).fit(X, Y),
    "tagged first": lambda: small(features=["word", "pos"], tagger="auto", jackknife=0).fit(
        WITH_POS, Y
    ),
    "settings": lambda: small(
        loss="softmax_margin",
        learner=linnet.learners.SGD(eta0=0.5),
        cost={("O", "B-PER"): 2.0, ("B-PER", "O"): 3},
        dictionary={"ivy": ["B-PLANT", "O"], "wren": {"B-BIRD", "I-BIRD"}},
        transitions={"B-LOC": ["O"]},
        legal="bio",
        class_weight={"O": 0.5},
    ).fit(X, Y),
    "packed": lambda: MODELS["auto"]().quantize(),
    "packed, 4 bits": lambda: MODELS["first order"]().quantize(4, keep=30, names=True),
    "packed observed": lambda: MODELS["observed"]().quantize(),
    "packed observed, 4 bits": lambda: MODELS["observed"]().quantize(4),
    "packed third order": lambda: MODELS["third order"]().quantize(4),
    "packed hidden": lambda: MODELS["hidden"]().quantize(),
    "packed hashed": lambda: MODELS["hashed"]().quantize(),
    "packed usual": lambda: MODELS["usual"]().quantize(),
    "packed lexicons": lambda: MODELS["lexicons"]().quantize(),
}


def asked(model: Tagger) -> Any:
    if model.features_.columns:
        return ASKED
    return [[{"w": word, "n": len(word)} for word in sentence] for sentence in ASKED]


def use(model: Tagger) -> None:
    """Everything a tagger is asked for; numbers may be wrong, nothing may break."""
    given = asked(model)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert [len(tags) for tags in model.predict(given)] == [len(words) for words in given]
        if hasattr(model, "predict_proba"):
            assert len(model.predict_proba(given)) == len(given)
        assert repr(model)
        if isinstance(model.model_, VotedChain):  # they have no weights to explain
            return
        found = model.explain(given[0])
        assert str(found)
        assert found.to_html()
        assert str(model.inspect(3))


# What sentences lack, or rules that allow nothing.
FILES = Files(MODELS, use, excuses=("column", "rules", "words"))
