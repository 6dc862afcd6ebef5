"""What users get wrong: heads that make no tree, settings, sentences of any length and kind."""

import warnings
from typing import Any

import numpy as np
import pytest

import linnet._core as _core
from linnet import DependencyParser, Tagger
from linnet.data import Sequences
from linnet.data.trees import Trees
from linnet.errors import DataError, TrainingWarning
from linnet.estimators.parsing.input import finding_trees
from linnet.features.arc_candidates import ArcCandidates

BIRDS = [("a", "DET"), ("linnet", "NOUN"), ("sings", "VERB")]
X = [BIRDS, [("wrens", "NOUN"), ("hide", "VERB")]]
Y = [([2, 3, 0], ["det", "nsubj", "root"]), ([2, 0], ["nsubj", "root"])]
HUGE = 10**400


@pytest.fixture(scope="module")
def parser() -> DependencyParser:
    return DependencyParser().fit(X, Y)


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ([[2, 1, None]], "known: sentence 1, word 1: the heads make a cycle: 1 → 2 → 1"),
        ([[0, 0, None]], "known: sentence 1, word 2: word 2 is a second root beside word 1"),
        ([[2, None, 1]], "known: sentence 1, word 1: no tree keeps to all of these heads"),
        ([[4, None, None]], "known: sentence 1, word 1: the head of word 1 is 4"),
        ([[2.7, None, None]], r"sentence 1, word 1: the head is 2\.7; the number of a word"),
        ([["2", None, None]], "the head is '2'; the number of a word"),
        ([[2**40, None, None]], "the head is 1099511627776; the number of a word"),
        (np.array([2**40, 3, 0]), "the head of word 1 is 2147483647"),
        (np.array([2.5, 3, 0]), "heads are whole numbers; these are of type float64"),
        (np.array([[2, 3, 0]]), "heads are one row of numbers"),
        ([None], "sentence 1 is of type NoneType; heads is a list of sentences"),
        (3, "heads is of type int; heads is a list of sentences"),
    ],
)
def test_heads_that_cannot_be_known(parser: DependencyParser, known: Any, message: str) -> None:
    for ask in ({}, {"k": 4}):
        with pytest.raises(DataError, match=message):
            parser.predict([BIRDS], known=known, **ask)


def test_several_roots_may_be_known_where_they_may_be() -> None:
    many = DependencyParser(roots="many").fit(X, Y)
    assert many.predict([BIRDS], known=[[0, 0, None]])[0][0][:2] == [0, 0]


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (None, "X is of type NoneType; X is a list of sentences, each a list of tokens"),
        (3, "X is of type int"),
        (b"birds", "X is of type bytes"),
        ({1: 2}, "X is of type dict"),
        ([BIRDS, None], "sentence 2 is of type NoneType"),
    ],
)
def test_what_is_no_list_of_sentences(parser: DependencyParser, sentences: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parser.predict(sentences)
    with pytest.raises(DataError, match=message):
        Tagger().fit(sentences, [["x"]])


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        ([([2, 3, 0], ["det", "", "root"])], "sentence 1, word 2: the relation is empty"),
        ([([2, 3, 10**20], ["a", "b", "c"])], "sentence 1, word 3: the head is 1000"),
        ([(None, ["a", "b", "c"])], "sentence 1 is of type NoneType; heads is a list"),
        ([([2, 3, 0], [None] * 3)], "y has heads only: no word has a relation to its head"),
    ],
)
def test_what_is_no_tree(trees: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        DependencyParser().fit([BIRDS], trees)


def test_relations_are_wanted_where_they_are_compared(parser: DependencyParser) -> None:
    heads = [heads for heads, _ in Y]
    with pytest.raises(DataError, match="no relations to compare with; metric='uas' needs none"):
        parser.score(X, heads)
    assert parser.score(X, heads, metric="uas") == 1


def test_numbers_that_are_no_counts(parser: DependencyParser) -> None:
    for wrong in (0, 1.5, "3", True, -1):
        with pytest.raises(ValueError, match="k must be a whole number of 1 or more"):
            parser.predict([BIRDS], k=wrong)
        with pytest.raises(ValueError, match="word must be a whole number of 1 or more"):
            parser.explain(BIRDS, word=wrong)
    assert len(parser.predict([BIRDS], k=10**30)[0]) == 7  # all there are
    with pytest.raises(ValueError, match="there is no word 4 in a sentence of 3 words"):
        parser.explain(BIRDS, word=4)
    with pytest.raises(ValueError, match="top must be a whole number of 0 or more"):
        parser.inspect(top="x")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"order": 2.0}, "order must be"),
        ({"C": HUGE}, "C must be"),
        ({"tol": HUGE}, "tol must be"),
        ({"loss": ["hinge"]}, "unknown loss"),
        ({"learner": ["pa"]}, "unknown learner"),
        ({"penalty": ["l2"]}, "unknown penalty"),
    ],
)
@pytest.mark.parametrize("estimator", [DependencyParser, Tagger])
def test_settings_of_any_type_and_size(estimator: Any, setting: Any, message: str) -> None:
    y = Y if estimator is DependencyParser else [["a", "b", "c"], ["b", "c"]]
    with pytest.raises(ValueError, match=message):
        estimator(**setting).fit(X, y)


def test_a_sentence_of_many_words_has_so_many_candidates_and_no_more() -> None:
    words = Sequences.from_lists([[("a", "N")] * 300])
    gold = np.array([0, *range(1, 300)], np.int32)
    first_pass = ArcCandidates().fit(words, gold)
    also = np.full(300, -1, np.int32)
    also[20] = 299
    found = first_pass.arcs(words, also)
    assert np.diff(found.starts).max() == 64
    for m in range(1, 301):
        heads = found.heads[found.starts[m - 1] : found.starts[m]].tolist()
        assert heads == sorted(set(heads) - {m})
        assert {0, m - 1} <= set(heads)
        assert m == 300 or m + 1 in heads
        assert m != 21 or 299 in heads


def test_sentences_that_are_too_long_are_told_with_their_place() -> None:
    said = "the tree is too large: it has more than 2^31 siblings"  # by the core, of some sentence
    message = "sentence 2, word 1: a sentence of 9 words is too long .*candidates.*order=1"
    trees = Trees.from_lists([BIRDS, [("a", "N")] * 9])
    with pytest.raises(DataError, match=message), finding_trees(trees):
        raise ValueError(said)
    with pytest.raises(ValueError, match="2\\^31 siblings"):
        _core.SiblingsOracle(2500)


def test_batch_learners_read_rows_that_are_computed() -> None:
    """Enough arcs that a look at starts of rows, which are not there, would leave all memory."""
    n = 40_000
    trees = Trees.from_lists([BIRDS] * n, [Y[0][0]] * n, [Y[0][1]] * n)
    settings: Any = {"loss": "logistic", "learner": "lbfgs", "order": 1, "max_iter": 3}
    parser = DependencyParser(features=["h.upos m.upos"], candidates=None, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        parser.fit(trees)
    assert parser.predict([BIRDS])[0][0] == [2, 3, 0]


def test_an_interrupt_while_taggers_learn_ends_the_training(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []
    fit = Tagger.fit_for_tags

    def interrupted(self: Tagger, *data: Any) -> Tagger:
        begun.append(self)
        fit(self, *data).record_.stopped = "interrupted"
        return self

    monkeypatch.setattr(Tagger, "fit_for_tags", interrupted)
    with pytest.raises(KeyboardInterrupt):
        DependencyParser(tagger="auto", jackknife=2).fit(X, Y)
    assert len(begun) == 1
