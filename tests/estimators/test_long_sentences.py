"""One long sentence: Ctrl-C is heard within it, whatever is done with it.

The core asks after so many steps of work. Here it asks the test instead of the signals, which may
count how often, and say stop.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from linnet import DependencyParser, Tagger
from linnet.data.trees import Trees
from linnet.errors import DataError

from .parsers import TRAIN, as_lists, parser
from .stopping import asked

pytestmark = pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")
OFTEN = 4  # times that are enough to tell asking within a sentence from asking between two
Call = Callable[[], Any]


def heard(call: Call) -> None:
    """It asks often within the call, and ends when it is told to."""
    with asked() as question:
        call()
    assert question.times > OFTEN
    with asked(last=question.times // 2 + 1) as question, pytest.raises(KeyboardInterrupt):
        call()
    assert question.times == question.last


# ---------------------------------------------------------------------- trees

WORDS = 250
LONG = [token for sentence in as_lists(TRAIN)[0] for token in sentence][:WORDS]
SHAPES: dict[str, dict[str, Any]] = {
    "first order": {"order": 1},
    "siblings": {"order": 2},
    "crossing": {"projective": False},
    "all arcs": {"order": 1, "candidates": None},
}
LOG = {"loss": "logistic", "max_iter": 1}


@pytest.mark.parametrize("name", SHAPES)
def test_the_best_tree(name: str) -> None:
    model = parser(**SHAPES[name])
    heard(lambda: model.predict([LONG]))


@pytest.mark.parametrize("name", ["first order", "siblings", "crossing"])
@pytest.mark.parametrize(
    "ask",
    [
        lambda model: model.predict_proba([LONG]),
        lambda model: model.predict([LONG[:60]], k=3),
        lambda model: model.sample([LONG[:60]], n=2),
        lambda model: model.predict([LONG], decode="risk"),
        lambda model: model.explain(LONG[:100]),
    ],
    ids=["marginals", "k best", "samples", "risk", "explain"],
)
def test_all_that_is_asked_of_trees(name: str, ask: Callable[[Any], Any]) -> None:
    model = parser(**SHAPES[name], **LOG)
    heard(lambda: ask(model))


def chained(words: int) -> Trees:
    """A sentence of which each word governs the next."""
    tokens = (LONG * (words // len(LONG) + 1))[:words]
    y = [([*range(words)], ["root", *["dep"] * (words - 1)])]
    return Trees.from_lists([tokens], [y[0][0]], [y[0][1]])


@pytest.mark.parametrize(
    "settings",
    [{}, {"loss": "perceptron"}, {"projective": False}, LOG, LOG | {"projective": False}],
    ids=["mira", "perceptron", "crossing", "crf", "matrix-tree"],
)
def test_learning_from_one_long_tree(settings: dict[str, Any]) -> None:
    trees = chained(120)
    made = {"diagnostics": False, "candidates": None, "order": 1, "max_iter": 1} | settings
    with asked() as question:
        DependencyParser(**made).fit(trees)
    assert question.times > OFTEN


def test_sentences_beyond_the_limit_are_refused_with_their_place() -> None:
    few = DependencyParser(max_words=20, max_iter=1).fit(TRAIN.take(TRAIN.lengths <= 20))
    two = [LONG[:3], LONG[:21]]
    gold = [([0, 1, 2], ["root"] * 3), ([*range(21)], ["x"] * 21)]
    for call in (
        lambda: few.predict(two),
        lambda: few.predict(two, k=2),
        lambda: few.explain(two),
        lambda: few.score(two, gold),
    ):
        with pytest.raises(DataError, match=r"sentence 2.*of 21 words, of 20 at the most") as told:
            call()
        assert "split it into sentences, or raise the limit by max_words=" in str(told.value)
    few.max_words = 21
    assert len(few.predict([LONG[:21]])[0][0]) == 21
    with pytest.raises(DataError, match="a sentence of 2001 words, of 2000 at the most"):
        DependencyParser().fit(chained(2001))
    with pytest.raises(ValueError, match="max_words must be a whole number"):
        DependencyParser(max_words=0).fit(TRAIN)


# ---------------------------------------------------------------------- chains and segments

X = [["the", "small", "linnet", "sings"], ["a", "wren", "hides"], ["the", "wren", "sings"]] * 4
Y = [["D", "A", "N", "V"], ["D", "N", "V"], ["D", "N", "V"]] * 4
CHUNKS = [["B-NP", "I-NP", "I-NP", "O"], ["B-NP", "I-NP", "O"], ["B-NP", "I-NP", "O"]] * 4
TOKENS = ["the", "small", "linnet", "sings"] * 5000
TAGGERS: dict[str, dict[str, Any]] = {
    "order 0": {"order": 0, "loss": "logistic"},
    "crf": {},
    "order 2": {"order": 2, "loss": "logistic", "max_iter": 3},
    "local": {"normalisation": "local"},
    "segments": {"segments": True},
}


@cache
def tagger(name: str) -> Tagger:
    return Tagger(**TAGGERS[name]).fit(X, CHUNKS if name == "segments" else Y)


@pytest.mark.parametrize("name", TAGGERS)
def test_the_best_tags(name: str) -> None:
    heard(lambda: tagger(name).predict([TOKENS]))


@pytest.mark.parametrize("name", ["crf", "order 2", "segments"])
@pytest.mark.parametrize(
    "ask",
    [
        lambda model, tokens: model.predict_marginals([tokens]),
        lambda model, tokens: model.predict([tokens], k=2),
        lambda model, tokens: model.sample([tokens], n=2),
    ],
    ids=["marginals", "k best", "samples"],
)
def test_all_that_is_asked_of_tags(name: str, ask: Callable[[Any, Any], Any]) -> None:
    heard(lambda: ask(tagger(name), TOKENS[:4000]))


@pytest.mark.parametrize(
    "settings",
    [
        {"learner": "lbfgs"},
        {"learner": "dual"},
        {"learner": "sgd"},
        {"loss": "perceptron"},
        {"loss": "hinge"},
        {"order": 2, "loss": "perceptron"},
        {"segments": True},
    ],
    ids=lambda settings: " ".join(map(str, settings.values())),
)
def test_learning_from_one_long_sentence(settings: dict[str, Any]) -> None:
    tags = (CHUNKS if "segments" in settings else Y)[0] * 1500
    tokens = TOKENS[: len(tags)]
    made = {"max_iter": 1, "diagnostics": False} | settings
    with asked() as question:
        Tagger(["word[0]"], **made).fit([tokens], [tags])
    assert question.times > OFTEN


def test_weights_are_kept_when_learning_ends_within_a_sentence() -> None:
    with asked() as question:
        Tagger(["word[0]"], loss="perceptron", max_iter=8).fit([TOKENS], [Y[0] * 5000])
    with asked(last=question.times // 2), pytest.warns(UserWarning, match="was interrupted"):
        model = Tagger(["word[0]"], loss="perceptron", max_iter=8).fit([TOKENS], [Y[0] * 5000])
    assert model.record_.stopped == "interrupted"
    assert model.predict([X[0]]) == [Y[0]]


# ---------------------------------------------------------------------- threads


@pytest.mark.parametrize("threads", [2, 4])
def test_threads_that_help_end_as_well(threads: int) -> None:
    """Long sentences for all: those who are not asked are told."""
    model = tagger("crf")
    model.n_jobs = threads
    try:
        with asked(last=1), pytest.raises(KeyboardInterrupt):
            model.predict([TOKENS] * 8)
        assert len(model.predict([TOKENS[:4]] * 3)) == 3
    finally:
        model.n_jobs = None


def test_asking_changes_nothing() -> None:
    before = np.array(parser(order=1).predict([LONG])[0][0])
    with asked():
        assert (np.array(parser(order=1).predict([LONG])[0][0]) == before).all()
