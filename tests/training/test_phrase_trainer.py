"""The fast trainer of parsers of phrases against the generic learners, and against enumeration."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import linnet._core as _core
import linnet.learners as learners
from linnet import testing
from linnet.data.bracket_chains import ChainedBrackets
from linnet.data.brackets import Brackets
from linnet.estimators.phrases.settings import structure_of
from linnet.features.spans import SpanFeatures
from linnet.structures import Bracketing, Problem
from linnet.training import Stopping, train

from .. import phrase_bank


def bracketing(partial: bool = False) -> Bracketing:
    trees = phrase_bank.trees(20)
    features = SpanFeatures(templates=phrase_bank.TEMPLATES, hash_bits=10).fit(trees.sequences)
    flags = np.arange(len(trees)) % 2 == 0 if partial else None
    return structure_of(trees, ChainedBrackets.of(trees), features, flags)


def problem(structure: Bracketing, loss: str, average: bool = True) -> Problem:
    ones = np.ones(structure.size)
    return Problem(structure, loss, "none", ones, 0.0, 0.0, 1.0, tol=0.0, seed=3, average=average)


def learnt(learner: Any, asked: Problem, passes: int = 3) -> np.ndarray:
    return np.asarray(train(learner, asked, Stopping(passes), False).learnt.weights)


@pytest.mark.parametrize(
    ("learner", "loss"),
    [
        (learners.Perceptron(), "perceptron"),
        (learners.Perceptron(), "hinge"),
        (learners.PassiveAggressive(C=np.inf), "hinge"),
        (learners.AdaGrad(), "softmax_margin"),
        (learners.AdaGrad(), "logistic"),
    ],
)
@pytest.mark.parametrize("average", [False, True])
def test_steps_are_those_of_the_online_learners(learner: Any, loss: str, average: bool) -> None:
    structure = bracketing()
    fast = learnt(learner, problem(structure, loss, average))
    slow = learnt(learner, problem(replace(structure, tokens=None), loss, average))
    assert np.abs(slow).max() > 0
    # AdaGrad's fast loop passes over tiny gradients.
    np.testing.assert_allclose(fast, slow, atol=0.05 if isinstance(learner, learners.AdaGrad) else 2e-4)


def test_partial_trees_are_completed() -> None:
    """By the same trees, where weights are whole numbers: rounding breaks ties otherwise."""
    learner, structure = learners.Perceptron(), bracketing(partial=True)
    fast = learnt(learner, problem(structure, "hinge"))
    slow = learnt(learner, problem(replace(structure, tokens=None), "hinge"))
    np.testing.assert_allclose(fast, slow, atol=2e-4)


def test_partial_trees_are_summed_out_as_by_enumeration() -> None:
    """Log Σ over all trees − log Σ over trees that have what is known."""
    trees = Brackets.from_nested([("S", ("NP", ("DT", "a"), ("NN", "wren")), ("VBZ", "sings"))])
    known = replace(trees, begins=trees.begins[1:], ends=trees.ends[1:], labels=trees.labels.take([1]),
                    starts=np.array([0, 1]))  # fmt: skip
    features = SpanFeatures(templates=phrase_bank.TEMPLATES, hash_bits=8).fit(trees.sequences)
    chained = ChainedBrackets.of(known, [("NP",), ("S",)])
    structure = structure_of(known, chained, features, np.array([True]))
    asked = problem(structure, "logistic", average=False)
    objective = (
        train(learners.LBFGS(), asked, Stopping(1, meant=True), False).record.epochs[0].objective
    )
    assert objective is not None
    every = list(testing.all_bracketings(3, 2, whole=structure.whole))
    agreeing = [tree for tree in every if 1 * 2 + 0 in tree]  # NP over [0, 2), the second span
    first = np.log(len(every)) - np.log(len(agreeing))
    assert 0 < objective <= first + 1e-9


def test_a_trainer_goes_on_from_its_state() -> None:
    structure = bracketing()
    made = [
        _core.PhraseTrainer(structure.tokens, structure.templates, structure.gold, True, step="pa")
        for _ in range(2)
    ]
    made[0].epoch()
    made[1].restore(made[0].state())
    for trainer in made:
        trainer.epoch()
    np.testing.assert_array_equal(made[0].weights(), made[1].weights())
