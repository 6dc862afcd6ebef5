"""Parsers go on from their weights: what they are shown is learnt, and the one given stays as it is."""

from typing import Any

import numpy as np
import pytest

import linnet
from linnet.data import Brackets, Trees
from linnet.data.samples import load_trees
from linnet.errors import DataError, RefusedError
from linnet.estimators.parsing.going_on import gone_on
from linnet.estimators.phrases.going_on import gone_on as phrases_gone_on
from linnet.estimators.phrases.going_on import learnable
from linnet.evaluation import tree_scores

TRAIN = load_trees("rambles-train")


def words_of(trees: Trees) -> Trees:
    return Trees.from_lists(trees.column("form"), trees.head_lists(), trees.relation_lists())


@pytest.mark.parametrize("settings", [{}, {"loss": "logistic"}, {"loss": "perceptron"}, {"order": 1}])
def test_arcs_are_learnt(settings: dict[str, Any]) -> None:
    parser = linnet.DependencyParser(tagger="auto", **settings).fit(TRAIN.take(list(range(15))))
    new = words_of(TRAIN.take(list(range(100, 130))))
    before = {name: array.copy() for name, array in parser.model_.tensors().items()}
    made = gone_on(parser, new)
    for name, array in parser.model_.tensors().items():
        np.testing.assert_array_equal(array, before[name])

    def las(one: Any) -> float:
        found = one.parse_trees(new)
        return tree_scores(new, found.heads, found.relations).las

    assert las(made) > las(parser)
    again = gone_on(parser, new)
    for name, array in made.model_.tensors().items():
        np.testing.assert_array_equal(array, again.model_.tensors()[name])


def test_relations_that_the_parser_does_not_know_are_passed_over() -> None:
    parser = linnet.DependencyParser(tagger="auto").fit(TRAIN.take(list(range(15))))
    new = Trees.from_lists([["wrens", "sang"]], [[2, 0]], [["oddly", "root"]])
    made = gone_on(parser, new)
    assert made.classes_.tolist() == parser.classes_.tolist()
    assert made.parse_trees(new).head_lists() == [[2, 0]]
    odd = Trees.from_lists([["wrens", "sang"]], [[2, 0]], [["oddly", "odder"]])
    weights = gone_on(parser, odd).model_.relation_weights
    np.testing.assert_array_equal(weights, parser.model_.relation_weights)


def test_a_parser_that_counts_has_no_steps() -> None:
    parser = linnet.DependencyParser(tagger="auto", loss="joint_likelihood").fit(
        TRAIN.take(list(range(15)))
    )
    with pytest.raises(RefusedError, match="no steps"):
        gone_on(parser, words_of(TRAIN.take([20])))


def bank(places: tuple[str, ...], attached: bool) -> Brackets:
    """Where phrases with 'in' hang: on the verb, or on the noun before it."""
    verb = ("VP", ("VBZ", "sees"), ("NP", ("NN", "birds")))
    trees = []
    for place in places:
        where = ("PP", ("IN", "in"), ("NP", ("NN", place)))
        noun = ("VP", ("VBZ", "sees"), ("NP", ("NP", ("NN", "birds")), where))
        phrase = noun if attached else (*verb, where)
        trees.append(("S", ("NP", ("NN", "she")), phrase))
    return Brackets.from_nested(trees)


PLACES = ("town", "spring", "hedges", "trees", "woods", "fields", "marshes", "winter", "gardens", "May")


@pytest.mark.parametrize("loss", ["auto", "hinge"])
@pytest.mark.parametrize("second", [False, True])
def test_brackets_are_learnt(loss: str, second: bool) -> None:
    if second and loss == "hinge":
        pytest.skip("a second look goes by probabilities")
    both = Brackets.from_trees([*bank(PLACES, False), *bank(PLACES[:2], True)])
    parser = linnet.ConstituencyParser(loss=loss, second=second).fit(both)
    new = bank(PLACES, True)
    before = {name: array.copy() for name, array in parser.model_.tensors().items()}
    made = phrases_gone_on(parser, new, passes=10)
    for name, array in parser.model_.tensors().items():
        np.testing.assert_array_equal(array, before[name])
    assert parser.score(new, metric="exact") < 1
    assert made.score(new, metric="exact") == 1
    assert type(made.model_) is type(parser.model_)


def test_trees_with_labels_that_it_never_saw_together_are_left_out() -> None:
    parser = linnet.ConstituencyParser(second=False).fit(bank(PLACES, False))
    odd = Brackets.from_nested([("S", ("XX", ("NN", "she")), ("VP", ("VBZ", "sees")))])
    both = Brackets.from_trees([*odd, *bank(PLACES[:1], True)])
    assert learnable(parser, both).tolist() == [1]
    with pytest.raises(DataError, match="seen together"):
        phrases_gone_on(parser, odd)
