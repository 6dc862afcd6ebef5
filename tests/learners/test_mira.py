"""MIRA against every wrong output: the step is the solution of its quadratic program."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from linnet import _core

inf = np.inf


def solve(H, loss, C):
    """The same program by SciPy: min a'Ha/2 - l.a, a >= 0, sum a <= C."""
    n = len(loss)
    start = np.full(n, min(C, 1) / (2 * n))
    answer = minimize(
        lambda a: (a @ H @ a / 2 - loss @ a, H @ a - loss),
        start,
        jac=True,
        bounds=[(0, None)] * n,
        constraints=[] if inf == C else [LinearConstraint(np.ones((1, n)), -inf, C)],
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return answer.x


@pytest.mark.parametrize("C", [0.05, 0.5, 5.0, inf])
@pytest.mark.parametrize("seed", range(8))
def test_small_qp_against_scipy(C: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    G = rng.normal(size=(n, 10))
    H, loss = G @ G.T, rng.normal(size=n) + 0.5
    a, solved = _core.small_qp(H, loss, C)
    assert solved
    assert (a >= 0).all()
    assert a.sum() <= C + 1e-12
    np.testing.assert_allclose(a, solve(H, loss, C), atol=2e-5)


def test_small_qp_of_a_singular_matrix() -> None:
    # The same constraint twice, once asking for more: only the stronger counts.
    H = np.array([[2.0, 2.0], [2.0, 2.0]])
    for C, expected in [(inf, [0, 0.5]), (10.0, [0, 0.5]), (0.1, [0, 0.1])]:
        a, solved = _core.small_qp(H, np.array([0.5, 1.0]), C)
        assert solved
        np.testing.assert_allclose(a, expected)


def test_contradicting_constraints_without_slack_end() -> None:
    H = np.array([[1.0, -1.0], [-1.0, 1.0]])
    a, solved = _core.small_qp(H, np.ones(2), inf)
    assert not solved
    assert np.isfinite(a).all()
    assert _core.small_qp(H, np.ones(2), 3.0)[1]


def naive(candidates, gold, weights, C, dim):
    w = np.zeros(dim)
    for f, y, c in zip(candidates, gold, weights, strict=True):
        G = np.delete(f - f[y], y, axis=0)
        loss = 1 + G @ w
        if len(G) and c > 0 and loss.max() > 0:
            w -= solve(G @ G.T, loss, C * c) @ G
    return w


def joint(x, y, stride):
    f = np.zeros((len(x), stride))
    f[:, y] = x
    return f.ravel()


@pytest.mark.parametrize("C", [0.02, 0.2, inf])
@pytest.mark.parametrize("labels", [3, 6])
def test_multiclass(C: float, labels: int) -> None:
    rng = np.random.default_rng(labels)
    X = rng.normal(size=(25, 6)).astype(np.float32)
    y = rng.integers(labels, size=25).astype(np.int32)
    weights = rng.choice([0.0, 1.0, 2.0], size=25)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, labels, False, weights)
    learner = _core.Mira("hinge", data.dim, C=C)
    learner.epoch(data, shuffle=False)
    stride = _core.padded(labels)
    f = [np.array([joint(np.append(1, x), k, stride) for k in range(labels)]) for x in X]
    np.testing.assert_allclose(learner.weights(), naive(f, y, weights, C, data.dim), atol=2e-4)


@pytest.mark.parametrize("C", [0.05, 0.5, inf])
def test_candidates(C: float) -> None:
    rng = np.random.default_rng(1)
    counts = rng.integers(1, 6, size=25)
    offsets = np.append(0, np.cumsum(counts)).astype(np.int64)
    F = rng.normal(size=(offsets[-1], 12)).astype(np.float32)
    gold = np.array([rng.integers(k) for k in counts], dtype=np.int32)
    data = _core.CandidateData(_core.Rows.dense(F), offsets, gold)
    learner = _core.Mira("hinge", data.dim, C=C)
    learner.epoch(data, shuffle=False)
    f = np.split(np.hstack([np.zeros((len(F), 1)), F]), offsets[1:-1])
    expected = naive(f, gold, np.ones(25), C, data.dim)
    np.testing.assert_allclose(learner.weights(), expected, atol=2e-4)


@pytest.mark.parametrize("C", [0.1, inf])
def test_binary_is_passive_aggressive(C: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6)).astype(np.float32)
    y = rng.integers(2, size=50).astype(np.int32)
    data = _core.BlockData(_core.Rows.dense(X, bias=1.0), y, 2, True)
    mira, pa = (make("hinge", data.dim, C=C) for make in (_core.Mira, _core.PassiveAggressive))
    for learner in (mira, pa):
        learner.epoch(data, shuffle=False)
    np.testing.assert_allclose(mira.weights(), pa.weights(), atol=1e-5)


@pytest.mark.parametrize("kind", ["block", "candidates"])
@pytest.mark.parametrize("seed", range(5))
def test_without_slack_all_constraints_hold_after_the_step(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    start = rng.normal(size=(9 * 8 if kind == "block" else 13)).astype(np.float32)
    if kind == "block":
        start = (start.reshape(9, 8) * (np.arange(8) < 7)).ravel()
        X = rng.normal(size=(1, 8)).astype(np.float32)
        data = _core.BlockData(
            _core.Rows.dense(X, bias=1.0), np.array([2], dtype=np.int32), 7, False
        )
    else:
        X = rng.normal(size=(7, 12)).astype(np.float32)
        data = _core.CandidateData(
            _core.Rows.dense(X), np.array([0, 7]), np.array([2], dtype=np.int32)
        )
    learner = _core.Mira("hinge", data.dim, C=inf)
    learner.set_weights(start)
    learner.epoch(data)
    w = learner.weights()
    scores = np.append(1, X[0]) @ w.reshape(9, 8)[:, :7] if kind == "block" else X @ w[1:]
    assert (scores[2] - np.delete(scores, 2) >= 1 - 1e-4).all()


def test_equal_candidates_do_no_harm() -> None:
    F = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    data = _core.CandidateData(_core.Rows.dense(F), np.array([0, 3]), np.array([0], dtype=np.int32))
    learner = _core.Mira("hinge", data.dim, C=inf)
    learner.epoch(data)
    np.testing.assert_allclose(learner.weights(), [0, 0.5, -0.5], atol=1e-6)


@pytest.mark.parametrize("loss", ["perceptron", "logistic", "squared_hinge"])
def test_other_losses_are_refused(loss: str) -> None:
    with pytest.raises(ValueError, match="hinge"):
        _core.Mira(loss, 4)


def test_contradicting_candidates_without_slack_leave_finite_weights() -> None:
    # The gold candidate lies between two others: no weights prefer it to both.
    F = np.array([[1], [0], [-1]], dtype=np.float32)
    data = _core.CandidateData(_core.Rows.dense(F), np.array([0, 3]), np.array([1], dtype=np.int32))
    learner = _core.Mira("hinge", data.dim, C=inf)
    learner.epoch(data)
    np.testing.assert_allclose(np.abs(learner.weights()), [0, 1], atol=1e-6)
