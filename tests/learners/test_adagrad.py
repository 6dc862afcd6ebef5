"""AdaGrad equals its dense statement, penalties included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core

from . import dense

ETA, EPSILON = 0.4, 1e-3


def adagrad(
    problem: dense.Problem, loss: str, l1: float, l2: float, intercept: bool, passes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient, prox with the old steps, update with the new: (last weights, their average)."""
    x = problem.columns
    w = np.zeros((x.shape[1], problem.width))
    squares, total = np.zeros_like(w), np.zeros_like(w)
    first = 0 if intercept else 1
    for i in np.tile(np.arange(len(x)), passes):
        assert problem.weights is not None
        g = problem.weights[i] * np.outer(x[i], dense.gradient(loss, x[i] @ w, problem.y[i]))
        h = (ETA / np.sqrt(squares + EPSILON))[first:]
        p = w[first:]
        p[:] = np.sign(p) * np.maximum(0, np.abs(p) - h * l1) / (1 + h * l2)
        squares += g * g
        w -= ETA / np.sqrt(squares + EPSILON) * g
        total += w
    return w, total / (passes * len(x))


@pytest.mark.parametrize(("l1", "l2"), [(0, 0), (0.003, 0), (0, 0.02), (0.002, 0.01)])
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    labels=st.sampled_from([1, 2, 3, 9]),
    density=st.sampled_from([0.02, 0.3]),
    intercept=st.booleans(),
    exact_stride=st.booleans(),
)
def test_lazy_equals_dense(
    l1: float,
    l2: float,
    seed: int,
    labels: int,
    density: float,
    intercept: bool,
    exact_stride: bool,
) -> None:
    problem = dense.random_problem(seed, 90, 7, max(labels, 2), labels == 1, density)
    problem.weights = np.random.default_rng(seed).uniform(0.5, 2, 90)
    data = problem.data
    last, average = adagrad(problem, "logistic", l1, l2, intercept, passes=2)
    for averaging in [False, True] if l1 == l2 == 0 else [False]:
        learner = _core.AdaGrad(
            "logistic",
            data.dim,
            averaging=averaging,
            eta=ETA,
            epsilon=EPSILON,
            l1=l1,
            l2=l2,
            penalize_intercept=intercept,
            stride=data.stride if exact_stride else 1,
        )
        problem.check_two_passes(learner, average if averaging else last, atol=5e-5)


def test_candidates_that_share_features() -> None:
    """What several sites give one weight is summed before it is squared."""
    x = np.array([[1, 1], [1, 0], [1, -1]], dtype=np.float32)
    offsets, gold = np.array([0, 3]), np.array([0], dtype=np.int32)
    rows = _core.Rows.dense(x)
    learner = _core.AdaGrad("logistic", 3, eta=1.0, epsilon=1e-12)
    learner.epoch(_core.CandidateData(rows, offsets, gold))
    # delta = (-2, 1, 1) / 3: the first feature's gradient is 0, the second's -1; the step is 1.
    np.testing.assert_allclose(learner.weights(), [0, 0, 1], atol=1e-6)


def test_separable_data_is_learned() -> None:
    problem = dense.random_problem(3, 200, 12, 2, True, density=0.5)
    truth = np.random.default_rng(0).normal(size=13)
    problem.y = (problem.columns @ truth >= 0).astype(np.int32)
    learner = _core.AdaGrad("hinge", 13, eta=0.5, seed=1)
    for _ in range(60):
        stats = learner.epoch(problem.data)
    assert stats.mistakes <= 4


def test_refusals() -> None:
    with pytest.raises(ValueError, match="averaging"):
        _core.AdaGrad("hinge", 4, averaging=True, l2=0.1)
    with pytest.raises(ValueError, match="epsilon"):
        _core.AdaGrad("hinge", 4, epsilon=0.0)
    with pytest.raises(ValueError, match="positive"):
        _core.AdaGrad("hinge", 4, eta=-1.0)
