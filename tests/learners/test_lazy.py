"""Lazy penalties and averages equal the same steps taken densely."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core

from . import dense

SCHEDULES: dict[str, tuple[dict[str, object], Callable[[int], float]]] = {
    "constant": ({"eta": 0.3}, lambda _: 0.3),
    "power": ({"eta": 0.5, "decay": 0.6}, lambda t: 0.5 * t**-0.6),
    "inverse": ({"eta": 4.0, "decay": 3.0}, lambda t: 4 / (3 + t)),
}
PENALTIES = {
    "none": (0.0, 0.0),
    "l1": (0.02, 0.0),
    "l2": (0.0, 0.15),
    "elastic": (0.01, 0.1),
    "heavy": (0.001, 0.9),  # the scale is renormalised many times
    "heavy l2": (0.0, 0.95),
}


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("penalty", PENALTIES)
@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    labels=st.sampled_from([1, 2, 3, 9]),
    loss=st.sampled_from(["logistic", "squared"]),
    density=st.sampled_from([0.02, 0.3]),
    intercept=st.booleans(),
    exact_stride=st.booleans(),
)
def test_lazy_equals_dense(
    schedule: str,
    penalty: str,
    seed: int,
    labels: int,
    loss: str,
    density: float,
    intercept: bool,
    exact_stride: bool,
) -> None:
    arguments, eta = SCHEDULES[schedule]
    l1, l2 = PENALTIES[penalty]
    loss = "logistic" if labels == 1 else loss
    problem = dense.random_problem(seed, 90, 7, max(labels, 2), labels == 1, density)
    problem.x = np.clip(problem.x, -1, 1)
    problem.weights = np.random.default_rng(seed).uniform(0.1, 0.5, 90)
    data = problem.data
    last, average = dense.sgd(problem, loss, eta, l1, l2, intercept, passes=2)
    for averaging in [False, True] if l1 == 0 else [False]:
        learner = _core.Sgd(
            loss,
            data.dim,
            averaging=averaging,
            schedule=getattr(_core.Schedule, schedule),
            l1=l1,
            l2=l2,
            penalize_intercept=intercept,
            stride=data.stride if exact_stride else 1,
            **arguments,
        )
        problem.check_two_passes(learner, average if averaging else last, atol=3e-5)


def test_worked_example() -> None:
    """Updates {1, 0}, {0, -1}, {1, 0} on turns 1, 3, 5 of 6, L1 of 0.1 before each: {1.5, -0.7}."""
    x = np.zeros((6, 2), dtype=np.float32)
    x[0] = x[4] = [1, 0]
    x[2] = [0, 1]
    labels = np.array([1, 1, 0, 1, 1, 1], dtype=np.int32)  # a zero row is predicted positive
    problem = dense.Problem(x, labels, 2, True, bias=0.0)
    # A hinge of margin 10 updates on each of the three; zero rows do not move any weight.
    learner = _core.Sgd("hinge", 3, margin=10.0, eta=1.0, l1=0.1)
    learner.epoch(problem.data, shuffle=False)
    np.testing.assert_allclose(learner.weights(), [0, 1.5, -0.7], atol=1e-6)


def test_a_long_gap() -> None:
    """A weight touched once, then never for 200 000 steps."""
    n = 200_000
    x = np.zeros((n, 2), dtype=np.float32)
    x[0, 0] = 1
    x[1:, 1] = 1e-3
    problem = dense.Problem(x, np.ones(n, dtype=np.int32), 2, True, bias=0.0)
    eta, l1, l2 = 0.1, 1e-6, 5e-5
    learner = _core.Sgd("logistic", 3, eta=eta, l1=l1, l2=l2)
    learner.epoch(problem.data, shuffle=False)
    shrink = (1 - eta * l2) ** (n - 1)
    expected = 0.5 * eta * shrink - eta * l1 * (1 - shrink) / (eta * l2)
    assert expected > 0
    np.testing.assert_allclose(learner.weights()[1], expected, rtol=1e-4)


def test_small_l1_is_not_lost_to_rounding() -> None:
    """10^-8 a step on a weight near 1 that every instance reads."""
    n = 300_000
    x = np.ones((n, 1), dtype=np.float32)
    learner = _core.Sgd("perceptron", 2, eta=1.0, l1=1e-8)
    start = dense.Problem(x[:1], np.ones(1, dtype=np.int32), 2, True, bias=0.0)
    learner.epoch(start.data, shuffle=False)  # w = 1, which labels all rows 1
    positive = dense.Problem(x, np.ones(n, dtype=np.int32), 2, True, bias=0.0)
    assert learner.epoch(positive.data, shuffle=False).mistakes == 0
    np.testing.assert_allclose(learner.weights()[1], 1 - n * 1e-8, rtol=1e-5)


def test_refusals() -> None:
    problem = dense.random_problem(0, 10, 3, 2, True)
    with pytest.raises(ValueError, match="averaging"):
        _core.Sgd("hinge", 4, averaging=True, l1=0.1)
    with pytest.raises(ValueError, match="exceeds 1"):
        _core.Sgd("hinge", 4, eta=2.0, l2=1.0).epoch(problem.data)
    with pytest.raises(ValueError, match="at least 0"):
        _core.Sgd("hinge", 4, l1=-1.0)
    with pytest.raises(ValueError, match="radius"):
        _core.Sgd("hinge", 4, l1=0.1, radius=1.0)
    with pytest.raises(ValueError, match="positive"):
        _core.Sgd("hinge", 4, eta=0.0)
    with pytest.raises(ValueError, match="divide"):
        _core.Sgd("hinge", 4, l1=0.1, stride=3).epoch(problem.data)
