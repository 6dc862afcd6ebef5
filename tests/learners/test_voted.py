"""The voted perceptron against one that keeps every weight vector."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core

from . import dense


def predict(scores: np.ndarray) -> np.ndarray:
    """Return the label of each row of scores; ties go to the earlier label."""
    if scores.shape[1] == 1:
        return (scores[:, 0] > 0).astype(int)
    return np.argmax(scores, axis=1)


def naive_votes(problem: dense.Problem, test: np.ndarray, passes: int) -> tuple[np.ndarray, list[int]]:
    x = problem.columns
    w, vectors, counts = np.zeros((x.shape[1], problem.width)), [], [0]
    vectors.append(w)
    for i in np.tile(np.arange(len(x)), passes):
        weight = 1.0 if problem.weights is None else problem.weights[i]
        delta = dense.gradient("perceptron", x[i] @ w, problem.y[i])
        if delta.any():
            w = w - weight * np.outer(x[i], delta)
            vectors.append(w)
            counts.append(1)
        else:
            counts[-1] += 1
    votes = np.zeros((len(test), max(2, problem.width)))
    for w, count in zip(vectors, counts, strict=True):
        votes[np.arange(len(test)), predict(test @ w)] += count
    return votes, counts


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    labels=st.sampled_from([1, 2, 3, 5]),
    bias=st.sampled_from([0.0, 1.0]),
    weighted=st.booleans(),
)
def test_votes(seed: int, labels: int, bias: float, weighted: bool) -> None:
    """Whole numbers, so that ties are ties in any order of summing."""
    problem = dense.random_problem(seed, 40, 6, max(labels, 2), labels == 1, density=0.4)
    problem.x = np.round(2 * problem.x)
    problem.bias = bias
    if weighted:
        problem.weights = np.random.default_rng(seed).integers(1, 4, 40).astype(np.float64)
    test = dense.random_problem(seed + 1, 15, 6, max(labels, 2), labels == 1, density=0.5)
    test.x, test.bias = np.round(2 * test.x), bias
    data = problem.data
    learner = _core.VotedPerceptron(data.dim, problem.width)
    mistakes = sum(learner.epoch(data, shuffle=False).mistakes for _ in range(3))
    expected, counts = naive_votes(problem, test.columns, passes=3)
    del data
    assert learner.updates == mistakes
    assert learner.survived == counts
    np.testing.assert_array_equal(learner.votes().count(test.rows), expected)


def test_votes_before_any_update_go_to_the_zero_vector() -> None:
    problem = dense.random_problem(0, 5, 3, 2, True)
    problem.y[:] = 1
    learner = _core.VotedPerceptron(4, 1)
    np.testing.assert_array_equal(learner.votes().count(problem.rows), np.zeros((5, 2)))
    learner.epoch(problem.data)
    np.testing.assert_array_equal(learner.votes().count(problem.rows), np.tile([0.0, 5.0], (5, 1)))


def test_features_unseen_in_training() -> None:
    small = dense.random_problem(0, 20, 3, 2, True, density=0.8)
    large = dense.random_problem(1, 20, 9, 2, True, density=0.8)
    learner = _core.VotedPerceptron(4, 1)
    learner.epoch(small.data)
    large_votes = learner.votes().count(large.rows)
    large.x[:, 3:] = 0
    np.testing.assert_array_equal(large_votes, learner.votes().count(large.rows))


def test_only_flat_outputs() -> None:
    problem = dense.random_problem(0, 20, 3, 3, False)
    with pytest.raises(ValueError, match="voting"):
        _core.VotedPerceptron(4, 1).epoch(problem.data)
