"""Entropy regularisation of two labels, several, and chains: by all outputs, and finite differences."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core
from linnet.learners import LBFGS
from linnet.learners.unlabelled import EntropyRegularised
from linnet.structures import Binary, Chain, Multiclass, Problem

from ..tag_problems import event_rows

LABELS, EVENTS = 3, 5
LENGTHS = {"chain": (3, 1, 4, 2, 3, 2), "multiclass": (1,) * 6, "binary": (1,) * 6}


def made(shape: str, seed: int, C: float = 1.0) -> Problem:
    """Instances of one event for each token, with labels of all of them."""
    random = np.random.default_rng(seed)
    lengths = LENGTHS[shape]
    tokens = sum(lengths)
    rows = event_rows(random.integers(0, EVENTS, tokens), EVENTS, 1.0)
    labels = random.integers(0, 2 if shape == "binary" else LABELS, tokens).astype(np.int32)
    if shape == "chain":
        offsets = np.cumsum([0, *lengths], dtype=np.int64)
        structure = Chain(rows, offsets, labels, LABELS, ends=True)
    else:
        structure = Binary(rows, labels) if shape == "binary" else Multiclass(rows, labels, LABELS)
    weights = random.uniform(0.5, 2, len(lengths))
    return Problem(structure, "logistic", "l2", weights, 0.0, 1.0, C, 1e-6, 0)


def entropies(problem: Problem, w: np.ndarray) -> np.ndarray:
    """Of each instance, by −log p of all its outputs."""
    found = []
    for i in range(problem.structure.size):
        one = problem.part(i, i + 1)
        count = 2 if isinstance(one.structure, Binary) else LABELS
        every = itertools.product(range(count), repeat=len(one.structure.labels))
        losses = []
        for y in every:
            structure = replace(one.structure, labels=np.array(y, dtype=np.int32))
            data = structure.dataset(np.ones(1))
            losses.append(_core.BatchObjective(data, "logistic", 0.0).evaluate(w)[0])
        p = np.exp(-np.array(losses))
        assert p.sum() == pytest.approx(1)
        found.append(p @ losses)
    return np.array(found)


def point(objective: _core.Objective, seed: int) -> np.ndarray:
    return np.random.default_rng(seed + 1).normal(size=objective.dim)


@pytest.mark.parametrize("shape", LENGTHS)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.2, 1.5]))
@settings(max_examples=15, deadline=None)
def test_the_objective_is_that_of_all_outputs_and_its_gradient_that_of_differences(shape, seed, weight):
    problem = made(shape, seed, C=2.0)
    objective, _ = EntropyRegularised(2, weight).objective(problem)
    w = point(objective, seed)
    value, gradient = objective.evaluate(w)
    given_, others = problem.part(0, 2), problem.part(2, 6)
    plain = _core.BatchObjective(given_.data(given_.costs), "logistic", 1.0).evaluate(w)[0]
    share = 2.0 * weight * given_.weights.sum() / others.weights.sum()
    assert value == pytest.approx(plain + share * others.weights @ entropies(others, w))
    for j in np.random.default_rng(seed).permutation(len(w))[:12]:
        step = np.zeros_like(w)
        step[j] = 1e-5
        slope = (objective.evaluate(w + step)[0] - objective.evaluate(w - step)[0]) / 2e-5
        assert gradient[j] == pytest.approx(slope, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("shape", LENGTHS)
def test_labels_of_the_others_make_no_difference(shape):
    problem = made(shape, 3)
    tokens = sum(LENGTHS[shape][:2])
    w = None
    values = []
    for label in (0, 1, -1) if shape == "chain" else (0, 1):  # -1 is a missing one
        labels = problem.structure.labels.copy()
        labels[tokens:] = label
        other = replace(problem, structure=replace(problem.structure, labels=labels))
        objective, _ = EntropyRegularised(2, 0.7).objective(other)
        w = point(objective, 0) if w is None else w
        values.append(objective.evaluate(w))
    for value, gradient in values[1:]:
        assert value == pytest.approx(values[0][0])
        assert np.allclose(gradient, values[0][1])


@pytest.mark.parametrize("shape", LENGTHS)
def test_more_weight_makes_more_certain_and_none_is_the_labels_alone(shape):
    problem = made(shape, 7)
    others = problem.part(2, 6)

    def learnt(learner, problem):
        solver = learner.solver(problem)
        for _ in range(100):
            solver.epoch()
        return solver.weights()

    at = [learnt(EntropyRegularised(2, weight), problem) for weight in (0.0, 0.2, 1.0)]
    none, some, much = (entropies(others, w) @ others.weights for w in at)
    assert much < some < none
    assert np.allclose(at[0], learnt(LBFGS(), problem.part(0, 2)), atol=1e-4)


def test_the_same_bits_for_any_number_of_threads():
    problem = made("chain", 5)
    one, two = (
        EntropyRegularised(2, 0.5).objective(replace(problem, threads=threads))[0] for threads in (1, 2)
    )
    w = point(one, 2)
    assert one.evaluate(w)[0] == two.evaluate(w)[0]
    assert np.array_equal(one.evaluate(w)[1], two.evaluate(w)[1])


def test_what_makes_no_sense_is_refused():
    data = made("chain", 1)
    for labelled, weight, message in ((0, 0.1, "labelled"), (2, -1, "weight"), (2, "a", "weight")):
        with pytest.raises(ValueError, match=message):
            EntropyRegularised(labelled, weight).objective(data)
    plain = _core.BatchObjective(data.data(), "logistic", 0.0)
    with pytest.raises(ValueError, match="no penalty"):
        _core.EntropyObjective(plain, _core.BatchObjective(data.data(), "logistic", 1.0), 0.1)
    with pytest.raises(ValueError, match="logistic"):
        _core.EntropyObjective(plain, _core.BatchObjective(data.data(), "hinge", 0.0), 0.1)
