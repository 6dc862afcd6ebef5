"""Stochastic gradient descent: its optimum, Pegasos, determinism."""

import numpy as np
import pytest
from scipy.optimize import minimize

from linnet import _core

from . import dense

SMOOTH = [
    *[(loss, 1) for loss in ("squared_hinge", "logistic", "softmax_margin")],
    *[(loss, 3) for loss in ("logistic", "softmax_margin", "squared")],
]


def objective(problem: dense.Problem, loss: str, l2: float, w: np.ndarray) -> float:
    """(1/n) sum of losses + l2 |w|^2 / 2."""
    theta = problem.columns @ w.reshape(-1, problem.width)
    gold = problem.y
    rows = np.arange(len(gold))
    sign = 2 * gold - 1
    if loss == "squared":
        target = sign[:, None] if problem.binary else 2 * np.eye(problem.labels)[gold] - 1
        values = ((theta - target) ** 2).sum(axis=1) / 2
    else:
        scores = np.hstack([np.zeros_like(theta), theta]) if problem.binary else theta
        cost = np.ones_like(scores) * (loss in ("squared_hinge", "softmax_margin"))
        cost[rows, gold] = 0
        augmented = scores + cost
        best = (
            augmented.max(axis=1)
            if loss == "squared_hinge"
            else np.log(np.exp(augmented).sum(axis=1))
        )
        values = best - scores[rows, gold]
        if loss == "squared_hinge":
            values = values**2
    return float(values.mean() + l2 / 2 * (w**2).sum())


@pytest.mark.parametrize(("loss", "labels"), SMOOTH)
def test_reaches_the_optimum(loss: str, labels: int) -> None:
    problem = dense.random_problem(1, 80, 5, max(labels, 2), labels == 1, density=0.7)
    data, l2 = problem.data, 0.05
    start = np.zeros(6 * problem.width)
    best = minimize(lambda w: objective(problem, loss, l2, w), start, options={"gtol": 1e-7}).fun
    learner = _core.Sgd(
        loss,
        data.dim,
        seed=3,
        schedule=_core.Schedule.inverse,
        eta=1 / l2,
        decay=300.0,
        l2=l2,
        averaging=True,
        stride=data.stride,
    )
    for _ in range(300):
        learner.epoch(data)
    reached = objective(problem, loss, l2, problem.block(learner.weights()).ravel())
    assert best <= reached + 1e-9
    assert reached - best < 2e-3 * objective(problem, loss, l2, start)


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("labels", [1, 3])
@pytest.mark.parametrize("averaging", [False, True])
def test_pegasos_equals_dense(project: bool, labels: int, averaging: bool) -> None:
    problem = dense.random_problem(5, 100, 6, max(labels, 2), labels == 1, density=0.5)
    data, l2 = problem.data, 0.2
    radius = 1 / np.sqrt(l2) if project else 0.0
    learner = _core.Sgd(
        "hinge",
        data.dim,
        averaging=averaging,
        schedule=_core.Schedule.inverse,
        eta=1 / l2,
        l2=l2,
        radius=radius,
        stride=data.stride,
    )
    learner.epoch(data, shuffle=False)
    last, average = dense.sgd(problem, "hinge", lambda t: 1 / (l2 * t), l2=l2, radius=radius)
    expected = average if averaging else last
    np.testing.assert_allclose(problem.block(learner.weights()), expected, atol=2e-5)
    if project:
        assert np.linalg.norm(learner.weights()) <= radius * (1 + 1e-5)


def test_pegasos_bound() -> None:
    """The average of the objectives is within G^2 (1 + ln T) / (2 l2 T) of the best.

    Theorem 1 of Shalev-Shwartz et al., |x| <= R, with projection: G = sqrt(l2) + R. The bound holds
    for the averaged weights by convexity.
    """
    problem = dense.random_problem(7, 200, 5, 2, True, density=0.6)
    data, l2, passes = problem.data, 0.1, 5
    learner = _core.Sgd(
        "hinge",
        data.dim,
        averaging=True,
        schedule=_core.Schedule.inverse,
        eta=1 / l2,
        l2=l2,
        radius=1 / np.sqrt(l2),
    )
    x, sign = problem.columns, 2 * problem.y - 1

    def hinge(w: np.ndarray) -> float:
        return float(np.maximum(0, 1 - sign * (x @ w)).mean() + l2 / 2 * (w**2).sum())

    for _ in range(passes):
        learner.epoch(data)
    best = minimize(hinge, np.zeros(6), method="Powell", options={"xtol": 1e-8, "ftol": 1e-10}).fun
    steps = passes * len(x)
    g = np.sqrt(l2) + np.linalg.norm(x, axis=1).max()
    reached = hinge(np.asarray(learner.weights(), dtype=np.float64))
    assert reached - best <= g**2 * (1 + np.log(steps)) / (2 * l2 * steps)


@pytest.mark.parametrize("labels", [1, 4])
def test_regularised_perceptron(labels: int) -> None:
    """Loss perceptron with steps of one; no penalty: the perceptron itself, to the bit."""
    problem = dense.random_problem(2, 60, 6, max(labels, 2), labels == 1, density=0.5)
    data = problem.data
    plain = _core.Perceptron("perceptron", data.dim, averaging=True)
    sgd = _core.Sgd("perceptron", data.dim, averaging=True)
    for learner in (plain, sgd):
        learner.epoch(data, shuffle=False)
    assert np.array_equal(plain.weights(), sgd.weights())
    last, average = dense.sgd(problem, "perceptron", lambda _: 1.0)
    np.testing.assert_allclose(problem.block(sgd.weights()), average, atol=1e-5)
    assert np.abs(last).max() > 0


@pytest.mark.parametrize("l1", [0.0, 1e-3])
def test_same_seed_same_bits(l1: float) -> None:
    problem = dense.random_problem(4, 100, 10, 3, False)
    data = problem.data

    def run(seed: int, shuffle: bool = True) -> np.ndarray:
        learner = _core.Sgd("logistic", data.dim, seed=seed, eta=0.1, l1=l1, l2=1e-3, stride=4)
        for _ in range(3):
            learner.epoch(data, shuffle)
        return np.asarray(learner.weights())

    assert np.array_equal(run(1), run(1))
    assert not np.array_equal(run(1), run(2))
    assert np.array_equal(run(1, shuffle=False), run(2, shuffle=False))


def test_a_weight_multiplies_the_step() -> None:
    problem = dense.random_problem(4, 1, 10, 2, True, density=1.0)
    problem.y[:] = 0  # zero weights predict label 1
    steps = []
    for weight in (1.0, 2.0):
        problem.weights = np.array([weight])
        learner = _core.Sgd("perceptron", 11)
        learner.epoch(problem.data)
        steps.append(learner.weights())
    np.testing.assert_array_equal(2 * steps[0], steps[1])


def test_step_is_scaled() -> None:
    learner = _core.Sgd("perceptron", 11, eta=0.5)
    learner.scale_step(0.5)
    assert learner.eta == 0.25
    with pytest.raises(ValueError, match="positive"):
        learner.scale_step(0.0)


@pytest.mark.parametrize("intercept", [False, True])
def test_warm_start(intercept: bool) -> None:
    """Set weights are read back, then shrink with the rest, but for a free intercept."""
    x = np.zeros((50, 1), dtype=np.float32)
    problem = dense.Problem(x, np.ones(50, dtype=np.int32), 2, True, bias=1.0)
    learner = _core.Sgd("hinge", 2, eta=0.1, l2=1.0, penalize_intercept=intercept)
    learner.epoch(problem.data)
    learner.set_weights(np.array([900.0, 2.0], dtype=np.float32))
    np.testing.assert_allclose(learner.weights(), [900, 2], rtol=1e-6)
    learner.epoch(problem.data)
    expected = [900 * (0.9**50 if intercept else 1), 2 * 0.9**50]
    np.testing.assert_allclose(learner.weights(), expected, rtol=1e-5)


def test_grows_with_the_data() -> None:
    small = dense.random_problem(4, 30, 3, 2, True, density=0.9)
    large = dense.random_problem(5, 30, 8, 2, True, density=0.9)
    learner = _core.Sgd("logistic", 4, l1=1e-3, l2=0.01, eta=0.1)
    learner.epoch(small.data)
    learner.epoch(large.data)
    assert learner.dim == 9
    assert np.isfinite(learner.weights()).all()
