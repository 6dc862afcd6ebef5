"""Smallest steps and shrinking ones: passive-aggressive, MIRA and Pegasos do what they promise."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from linnet import LinearClassifier, LinearSVM, _core
from linnet.data import as_rows
from linnet.learners import Pegasos


@st.composite
def steps(draw, most_labels: int = 5):
    """Weights and one instance: (start (d, width), x, gold, K)."""
    K, d = draw(st.integers(2, most_labels)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    start = draw(st.sampled_from([0.0, 0.3, 2.0])) * rng.normal(size=(d, 1 if K == 2 else K))
    x = rng.normal(size=d)
    assume(np.linalg.norm(x) > 0.2)
    return start.astype(np.float32).astype(float), x, int(rng.integers(K)), K


def step(learner: type, start: np.ndarray, x: np.ndarray, gold: int, K: int, **settings) -> np.ndarray:
    """The weights after one visit."""
    width, stride = start.shape[1], _core.padded(start.shape[1])
    block = np.zeros((len(x) + 1, stride), np.float32)
    block[1:, :width] = start
    data = _core.BlockData(as_rows(x[None], 0.0), np.array([gold], np.int32), K, K == 2)
    rule = learner("hinge", data.dim, **settings)
    rule.set_weights(block.ravel())
    rule.epoch(data)
    return rule.weights().reshape(block.shape)[1:, :width].astype(float)


def gaps(w: np.ndarray, x: np.ndarray, gold: int) -> np.ndarray:
    """s(y) − s(y′) for every wrong y′."""
    scores = x @ w
    if len(scores) == 1:
        return np.array([(2 * gold - 1) * scores[0]])
    return scores[gold] - np.delete(scores, gold)


@settings(max_examples=200, deadline=None)
@given(steps())
def test_mira_without_slack_satisfies_every_constraint_and_leaves_satisfied_ones_alone(problem) -> None:
    start, x, gold, K = problem
    after = step(_core.Mira, start, x, gold, K, C=np.inf)
    assert gaps(after, x, gold).min() >= 1 - 1e-4
    if gaps(start, x, gold).min() >= 1:
        np.testing.assert_array_equal(after, start)


@settings(max_examples=60, deadline=None)
@given(steps(), st.sampled_from([0.05, 0.5, np.inf]))
def test_mira_takes_the_smallest_such_change(problem, C) -> None:
    """½‖w − w_t‖² + C ξ of its step is the minimum that a general solver finds."""
    start, x, gold, K = problem

    def cost(w: np.ndarray) -> float:
        slack = max(0.0, 1 - gaps(w, x, gold).min())
        change = 0.5 * ((w - start) ** 2).sum()
        return change if np.isinf(C) else change + C * slack

    after = step(_core.Mira, start, x, gold, K, C=C)
    free = 0 if np.isinf(C) else 1
    shape = start.shape
    found = minimize(
        lambda v: 0.5 * ((v[: start.size] - start.ravel()) ** 2).sum() + (C * v[-1] if free else 0),
        np.append(start.ravel(), [1.0] * free),
        bounds=[(None, None)] * start.size + [(0, None)] * free,
        constraints={
            "type": "ineq",
            "fun": lambda v: gaps(v[: start.size].reshape(shape), x, gold) - 1 + (v[-1] if free else 0),
        },
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assume(found.success)
    assert cost(after) == pytest.approx(found.fun, rel=1e-3, abs=1e-4)


@settings(max_examples=200, deadline=None)
@given(steps(), st.integers(0, 2**32 - 1))
def test_the_passive_aggressive_step_is_the_smallest_that_meets_its_constraint(problem, seed) -> None:
    start, x, gold, K = problem
    after = step(_core.PassiveAggressive, start, x, gold, K, C=np.inf)
    before = gaps(start, x, gold)
    rival = int(before.argmin())
    assert gaps(after, x, gold)[rival] >= 1 - 1e-4
    change = np.linalg.norm(after - start)
    if before[rival] >= 1:
        assert change == 0  # passive
        return
    # Cauchy–Schwarz: to gain ℓ along a direction of length ‖g‖ takes a change of ℓ/‖g‖.
    g = np.linalg.norm(x) * (1 if K == 2 else np.sqrt(2))
    assert change == pytest.approx((1 - before[rival]) / g, rel=1e-3, abs=1e-4)
    # Any other weights that meet the constraint are as far away or farther.
    rng = np.random.default_rng(seed)
    for scale in (0.1, 1.0):
        other = after + scale * rng.normal(size=start.shape)
        if gaps(other, x, gold)[rival] >= 1:
            assert np.linalg.norm(other - start) >= change - 1e-4


@settings(max_examples=100, deadline=None)
@given(steps(), st.sampled_from([0.01, 0.2, 5.0]))
def test_with_slack_the_step_is_capped_or_softened(problem, C) -> None:
    start, x, gold, K = problem
    loss = max(0.0, 1 - gaps(start, x, gold).min())
    squared = (x @ x) * (1 if K == 2 else 2)
    lengths = {False: min(C, loss / squared), True: loss / (squared + 1 / (2 * C))}
    for squared_slack, tau in lengths.items():
        after = step(_core.PassiveAggressive, start, x, gold, K, C=C, squared_slack=squared_slack)
        assert np.linalg.norm(after - start) == pytest.approx(
            tau * np.sqrt(squared), rel=1e-3, abs=1e-4
        )


@settings(max_examples=100, deadline=None)
@given(steps(2), st.sampled_from([0.1, np.inf]))
def test_with_two_labels_mira_is_passive_aggressive(problem, C) -> None:
    start, x, gold, K = problem
    mira, pa = (step(rule, start, x, gold, K, C=C) for rule in (_core.Mira, _core.PassiveAggressive))
    np.testing.assert_allclose(mira, pa, atol=1e-5)


# ---------------------------------------------------------------- Pegasos


def noisy(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 5))
    return X, (X[:, 0] - X[:, 1] + rng.normal(size=150) > 0).astype(int)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.01, 0.1, 1.0]), st.booleans())
def test_pegasos_stays_in_the_ball_that_holds_the_optimum(seed, alpha, project) -> None:
    X, y = noisy(seed)
    best = LinearSVM(alpha=alpha).fit(X, y)
    radius = alpha**-0.5
    assert best.record_.diagnostics["norm_l2"] <= radius * (1 + 1e-3)
    model = LinearClassifier("hinge", Pegasos(project=project), alpha=alpha, max_iter=3).fit(X, y)
    if project:
        assert model.record_.diagnostics["norm_l2"] <= radius * (1 + 1e-5)


@pytest.mark.parametrize("alpha", [0.01, 0.1])
def test_pegasos_approaches_the_svm(alpha) -> None:
    X, y = noisy(0)

    def objective(model) -> float:
        w = np.append(model.intercept_, model.coef_)
        m = np.where(y == 1, 1, -1) * model.decision_function(X)
        return float(alpha / 2 * w @ w + np.maximum(0, 1 - m).mean())

    best = objective(LinearSVM(alpha=alpha, tol=1e-6, max_iter=10_000).fit(X, y))
    found = [
        objective(LinearClassifier("hinge", "pegasos", alpha=alpha, max_iter=n).fit(X, y))
        for n in (1, 300)
    ]
    assert best <= min(found) + 1e-6
    # Suboptimality of order log T / (λ T).
    steps_taken = 300 * len(y)
    assert found[1] - best <= 2 * 6 * np.log(steps_taken) / (alpha * steps_taken)
    assert found[1] - best < 0.02 * best
