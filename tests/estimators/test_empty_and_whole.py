"""Nothing asked gives nothing, in all families; nothing but whole numbers is taken for a count."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import linnet
from linnet import TextFeatures, TokenFeatures, learners
from linnet.errors import DataError
from linnet.evaluation import stratified
from linnet.features.arcs import ArcFeatures

ROWS = np.eye(6)
TEXTS, LABELS = ["red forehead", "tiny tail"] * 4, ["a", "b"] * 4
SENTENCES, TAGS = [[("a", "D"), ("b", "N")]] * 4, [["X", "Y"]] * 4
TREES = [([2, 0], ["r", "root"])] * 4
THREE = ["a", "b", "c"] * 2


# ---------------------------------------------------------------------- nothing asked


@pytest.mark.parametrize("y", [[0, 1] * 3, THREE], ids=["two labels", "three"])
@pytest.mark.parametrize("nothing", [[], np.zeros((0, 6)), sparse.csr_matrix((0, 6))], ids=type)
def test_no_rows(y: list[Any], nothing: Any) -> None:
    model = linnet.LogisticRegression().fit(ROWS, y)
    labels = len(set(y))
    assert model.predict(nothing).shape == (0,)
    assert model.predict_proba(nothing).shape == (0, labels)
    assert model.decision_function(nothing).shape == ((0,) if labels == 2 else (0, 3))
    for call in (lambda: model.score(nothing, []), lambda: linnet.Perceptron().fit(nothing, [])):
        with pytest.raises(ValueError, match=r"empty|0 sample"):
            call()


def test_no_texts() -> None:
    model = linnet.TextClassifier().fit(TEXTS, LABELS)
    several = linnet.TextClassifier().fit(TEXTS, [["a"], ["a", "b"]] * 4)
    assert model.predict([]).shape == (0,)
    assert several.predict([]) == []
    assert model.predict_proba([]).shape == several.predict_proba([]).shape == (0, 2)
    with pytest.raises(DataError, match="empty"):
        model.score([], [])


TAGGERS: dict[str, Callable[[], Any]] = {
    "crf": lambda: linnet.CRF(max_iter=60),
    "hmm": linnet.HMM,
    "memm": lambda: linnet.MEMM(max_iter=60),
    "perceptron": linnet.StructuredPerceptron,
    "voted": lambda: linnet.Tagger(learner="voted", max_iter=2),
    "token by token": lambda: linnet.Tagger(order=0),
}


@pytest.mark.parametrize("make", TAGGERS.values(), ids=TAGGERS)
def test_no_sentences(make: Callable[[], Any]) -> None:
    model = make().fit(SENTENCES, TAGS)
    assert model.predict([]) == []
    assert model.predict([[]]) == [[]]
    for name in ("predict_proba", "sample", "predict_marginals", "entropy"):
        if hasattr(model, name):
            assert len(getattr(model, name)([])) == 0
    with pytest.raises(DataError, match="no token"):
        model.score([], [])


def test_no_trees() -> None:
    model = linnet.DependencyParser(loss="logistic").fit(SENTENCES, TREES)
    for call in (model.predict, model.predict_proba, model.sample):
        assert call([]) == []
    assert model.predict([], k=2) == model.predict([], decode="risk") == []
    assert model.predict([[]]) == [([], [])]
    assert len(model.parse_trees([])) == 0


# ---------------------------------------------------------------------- whole numbers

NOT_WHOLE = (1.5, 2.0, True, "3", np.float64(3), float("nan"))


def fit_text(**features: Any) -> Any:
    return linnet.TextClassifier(TextFeatures(**features)).fit(TEXTS, LABELS)


WHOLE: dict[str, Callable[[Any], Any]] = {
    **{
        f"{kind}, {end}": lambda v, kind=kind, k=k: fit_text(**{kind: (v, 3) if k == 0 else (1, v)})
        for kind in ("word", "chars", "chars_wb")
        for k, end in enumerate(("shortest", "longest"))
    },
    **{
        name: lambda v, name=name: fit_text(**{name: v})
        for name in ("skip", "lead", "hash_bits", "max_features", "min_length", "chars_first")
    },
    "hash_bits of tokens": lambda v: linnet.CRF(features=TokenFeatures(hash_bits=v)).fit(
        SENTENCES, TAGS
    ),
    "hash_bits of arcs": lambda v: linnet.DependencyParser(features=ArcFeatures(hash_bits=v)).fit(
        SENTENCES, TREES
    ),
    "patience": lambda v: linnet.Perceptron(patience=v).fit(ROWS, THREE),
    "patience of taggers": lambda v: linnet.StructuredPerceptron(patience=v).fit(SENTENCES, TAGS),
    "history": lambda v: linnet.LinearClassifier(learner=learners.LBFGS(history=v)).fit(ROWS, THREE),
    "keep": lambda v: linnet.TextClassifier().fit(TEXTS, LABELS).quantize(keep=v),
    "bits": lambda v: linnet.TextClassifier().fit(TEXTS, LABELS).quantize(8.0 if v == 2.0 else v),
    "bits of parsers": lambda v: linnet.DependencyParser().fit(SENTENCES, TREES).quantize(v),
    "n": lambda v: linnet.HMM().fit(SENTENCES, TAGS).sample(SENTENCES, v),
    "folds": lambda v: stratified(LABELS, v),
}


@pytest.mark.parametrize("name", WHOLE)
def test_nothing_else_is_taken_for_a_whole_number(name: str) -> None:
    for value in NOT_WHOLE:
        with pytest.raises(ValueError, match="must be"):
            WHOLE[name](value)


def test_a_seed_is_no_boolean() -> None:
    with pytest.raises(ValueError, match="random_state must be a whole number"):
        linnet.Perceptron(random_state=True).fit(ROWS, THREE)
    with pytest.raises(ValueError, match="prune must be"):
        linnet.CRF(prune=True).fit(SENTENCES, TAGS)


def test_whole_numbers_of_numpy_are_fine() -> None:
    model = fit_text(word=(np.int64(1), np.int32(2)), skip=np.int8(1))
    assert model.predict(TEXTS).tolist() == LABELS
