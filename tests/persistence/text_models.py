"""Small text classifiers of every kind, for the tests of their files."""

from __future__ import annotations

import warnings

import numpy as np

import linnet
from linnet import TextClassifier
from linnet.features import TextFeatures

from ..birds import BIRDS, SEVERAL, TEXTS, TWO_BIRDS, TWO_TEXTS
from .damage import Files

ASKED = ["a grey bird in the reeds", "", "\ud800 é 漢 !"]
WORDS = {"word": (1, 1), "min_df": 3}
COLUMNS = {"year": [len(t) for t in TEXTS], "place": [b[:1] for b in BIRDS]}

MODELS = {
    "plain": lambda: TextClassifier(TextFeatures(**WORDS)).fit(TEXTS, BIRDS),
    "two": lambda: TextClassifier(TextFeatures(**WORDS, scale="nb")).fit(TWO_TEXTS, TWO_BIRDS),
    "mix": lambda: TextClassifier(
        TextFeatures(**WORDS, lead=2, chars_wb=(2, 2), mix={"lead": 0.5}, scale="idf")
    ).fit(TEXTS, BIRDS),
    "sparse": lambda: TextClassifier(TextFeatures(**WORDS), penalty="l1").fit(TEXTS, BIRDS),
    "several": lambda: TextClassifier(TextFeatures(**WORDS)).fit(TEXTS, SEVERAL),
    "calibrated": lambda: TextClassifier(TextFeatures(**WORDS), calibration="isotonic").fit(
        TEXTS, BIRDS
    ),
    "hashed": lambda: TextClassifier(TextFeatures(hash_bits=8, keep_names=True, scale="idf")).fit(
        TEXTS, BIRDS
    ),
    "columns": lambda: TextClassifier(
        TextFeatures(**WORDS, statistics=["length"], numeric=["year"], categorical=["place"])
    ).fit({"text": TEXTS} | COLUMNS, BIRDS),
    "voted": lambda: TextClassifier(
        TextFeatures(**WORDS), classifier=linnet.VotedPerceptron(max_iter=2)
    ).fit(TEXTS, BIRDS),
    "packed": lambda: MODELS["plain"]().quantize(keep=80),
    "packed, 4 bits": lambda: MODELS["mix"]().quantize(4, keep=80, names=True),
    "packed several": lambda: MODELS["several"]().quantize(keep=80),
    "packed two": lambda: MODELS["two"]().quantize(keep=80),
    "packed columns": lambda: MODELS["columns"]().quantize(keep=80),
    "packed hashed": lambda: MODELS["hashed"]().quantize(),
}


def use(model: TextClassifier) -> None:
    """Everything a model is asked for; numbers may be wrong, nothing may break."""
    table = {model.text: ASKED, "year": [1, 2, 3], "place": ["l", "o", "?"]}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        assert model.decision_function(table).shape[0] == 3
        assert len(model.predict(table)) == 3
        if hasattr(model, "predict_proba"):
            assert model.predict_proba(table).shape == (3, len(model.classes_))
        if model.model_.votes is None:
            for k, text in enumerate(ASKED[:2]):
                found = model.explain(text, {"year": k, "place": "l"})
                assert str(found)
                assert found.to_html()
        assert str(model.choice_) is not None
        assert repr(model)


# Scores of weights that are no numbers.
FILES = Files(MODELS, use, excuses=("finite numbers",))
