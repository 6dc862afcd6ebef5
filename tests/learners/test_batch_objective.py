"""The batch objective: derivatives, threads, and the optimisers on real losses."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression

from linnet import _core

from .. import processes

LOSSES = [
    "perceptron",
    "hinge",
    "squared_hinge",
    "logistic",
    "softmax_margin",
    "probability",
    "exponential",
    "squared",
]
CURVED = LOSSES[2:]
SHAPES = ["binary", "multiclass", "candidates"]


def rows(X, bias=1.0):
    return _core.Rows.csr(X.indptr, X.indices, X.data, X.shape[1], bias)


def problem(shape, seed=0, n=60, features=9, labels=4, bias=1.0):
    rng = np.random.default_rng(seed)
    X = sp.random(n, features, 0.5, "csr", rng=rng, dtype=np.float64).astype(np.float32)
    weights = rng.uniform(0.2, 2, n)
    if shape == "binary":
        y = rng.integers(0, 2, n, dtype=np.int32)
        return _core.BlockData(rows(X, bias), y, 2, True, weights)
    if shape == "multiclass":
        y = rng.integers(0, labels, n, dtype=np.int32)
        return _core.BlockData(rows(X, bias), y, labels, False, weights)
    sizes = rng.integers(1, 5, n)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    X = sp.random(offsets[-1], features, 0.5, "csr", rng=rng, dtype=np.float64).astype(np.float32)
    gold = (rng.random(n) * sizes).astype(np.int32)
    return _core.CandidateData(rows(X, 0.0), offsets, gold, weights)


def point(data, seed=1, scale=0.5):
    w = np.random.default_rng(seed).normal(size=(data.dim // data.stride, data.stride)) * scale
    w[:, data.width :] = 0
    return w.ravel()


def solve(solver, most=20000):
    epochs = []
    for _ in range(most):
        epochs.append(solver.epoch())
        if epochs[-1].converged:
            return epochs
    pytest.fail("not converged")


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("loss", LOSSES)
def test_gradient(loss, shape, free):
    data = problem(shape)
    f = _core.BatchObjective(data, loss, l2=0.7, penalise_intercept=not free)
    w, d = point(data), point(data, 2)
    _, g = f.evaluate(w)
    h = 1e-6
    difference = (f.evaluate(w + h * d)[0] - f.evaluate(w - h * d)[0]) / (2 * h)
    assert g @ d == pytest.approx(difference, rel=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("loss", CURVED)
def test_hessian(loss, shape):
    data = problem(shape)
    f = _core.BatchObjective(data, loss, l2=0.7, penalise_intercept=False)
    assert f.has_hessian
    w, d = point(data), point(data, 2)
    h = 1e-6
    difference = (f.evaluate(w + h * d)[1] - f.evaluate(w - h * d)[1]) / (2 * h)
    f.evaluate(w)
    product = f.hessian_times(d)
    np.testing.assert_allclose(product, difference, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(product, f.hessian_times(d))
    if shape != "candidates":
        exact = [f.hessian_times(e)[j] for j, e in enumerate(np.eye(data.dim))]
        np.testing.assert_allclose(f.hessian_diagonal(), exact, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("loss", ["perceptron", "hinge"])
def test_losses_with_kinks_have_no_hessian(loss):
    f = _core.BatchObjective(problem("binary"), loss)
    assert not f.has_hessian
    f.evaluate(np.zeros(f.dim))
    assert f.hessian_diagonal() is None
    with pytest.raises(ValueError, match="L-BFGS"):
        _core.NewtonCG(f)


def test_hessian_before_evaluate_is_an_error():
    f = _core.BatchObjective(problem("binary"), "logistic")
    with pytest.raises(RuntimeError, match="evaluate"):
        f.hessian_times(np.zeros(f.dim))


def test_values_by_hand():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20, 5)).astype(np.float32)
    y = rng.integers(0, 3, 20, dtype=np.int32)
    f = _core.BatchObjective(_core.BlockData(_core.Rows.dense(X, 2.0), y, 3, False), "logistic", l2=0.3)
    W = rng.normal(size=(6, 4))
    W[:, 3] = 0
    scores = np.hstack([np.full((20, 1), 2.0), X]) @ W[:, :3]
    expected = 0.15 * (W**2).sum() + (logsumexp(scores, 1) - scores[np.arange(20), y]).sum()
    assert f.evaluate(W.ravel())[0] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_any_number_of_threads_gives_the_same_bits(loss, shape):
    data = problem(shape, n=501)
    results = []
    for threads in (1, 2, 3):
        f = _core.BatchObjective(data, loss, threads=threads)
        value, gradient = f.evaluate(point(data))
        product = f.hessian_times(point(data, 2))
        solver = _core.LBFGS(f, tol=1e-6)
        solve(solver)
        results.append((value, gradient, product, f.hessian_diagonal(), solver.weights.copy()))
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


# With more than two outputs the squared hinge has kinks, where two wrong outputs tie.
@pytest.mark.parametrize(
    ("loss", "shape"),
    [(loss, s) for loss in ("logistic", "softmax_margin", "squared") for s in SHAPES]
    + [("squared_hinge", "binary"), ("exponential", "binary")],
)
def test_the_optimisers_agree(loss, shape):
    data = problem(shape)
    least = []
    for optimiser in (_core.LBFGS, _core.NewtonCG, _core.NonlinearCG, _core.GradientAscent):
        f = _core.BatchObjective(data, loss, l2=0.5)
        solver = optimiser(f, tol=1e-7, decrease_tol=0)
        least.append(solve(solver)[-1].objective)
    np.testing.assert_allclose(least, least[0], rtol=1e-9)
    f = _core.BatchObjective(data, loss, l2=0.5)
    assert solve(_core.OWLQN(f, 0.0, tol=1e-7))[-1].objective == pytest.approx(least[0], rel=1e-8)


@pytest.mark.parametrize("labels", [2, 3])
def test_the_optimum_of_scikit_learn(labels):
    rng = np.random.default_rng(5)
    X = sp.random(200, 30, 0.3, "csr", rng=rng, dtype=np.float64).astype(np.float32)
    y = rng.integers(0, labels, 200, dtype=np.int32)
    C = 3.0
    peer = LogisticRegression(C=C, fit_intercept=True, tol=1e-12, max_iter=10000).fit(
        X.astype(np.float64), y
    )
    data = _core.BlockData(rows(X, 1.0), y, labels, labels == 2)
    f = _core.BatchObjective(data, "logistic", l2=1 / C, penalise_intercept=False)
    solver = _core.NewtonCG(f, tol=1e-10, decrease_tol=0)
    best = solve(solver)[-1].objective
    W = np.zeros((31, data.stride))
    W[0, : data.width] = peer.intercept_
    W[1:, : data.width] = peer.coef_.T
    theirs = f.evaluate(W.ravel())[0]
    assert best <= theirs * (1 + 1e-12)
    assert best == pytest.approx(theirs, rel=1e-8)
    np.testing.assert_allclose(solver.weights.reshape(W.shape)[1:], W[1:], atol=1e-4)


def test_bad_settings_are_refused():
    data = problem("binary")
    with pytest.raises(ValueError, match="l2"):
        _core.BatchObjective(data, "logistic", l2=-1.0)
    with pytest.raises(ValueError, match="threads"):
        _core.BatchObjective(data, "logistic", threads=0)
    with pytest.raises(ValueError, match="unknown loss"):
        _core.BatchObjective(data, "zero-one")


# In a process of its own: a signal that comes too late must not end the other tests.
INTERRUPTED = """
import os, signal, sys, threading
import numpy as np
import scipy.sparse as sp
import linnet._core as _core

rng = np.random.default_rng(6)
part = sp.random(100000, 50, 0.4, "csr", rng=rng, dtype=np.float32)
X = sp.vstack([part] * 12, format="csr")  # an epoch takes longer than the core waits between two looks
y = rng.integers(0, 2, X.shape[0], dtype=np.int32)
rows = _core.Rows.csr(X.indptr, X.indices, X.data, X.shape[1], 1.0)
data = _core.BlockData(rows, y, 2, True)
solver = _core.LBFGS(_core.BatchObjective(data, "logistic", threads=int(sys.argv[1])), tol=0.0)
solver.epoch()
stats = None
for _ in range(50):
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        good = solver.weights.copy()
        while not (stats := solver.epoch()).interrupted:
            good = solver.weights.copy()
        break
    except KeyboardInterrupt:  # it came between two epochs: try again
        continue
timer.join()
assert stats.interrupted
np.testing.assert_array_equal(solver.weights, good)
assert solver.epoch().updates == 1
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_interruption_keeps_the_last_good_weights(threads):
    command = [sys.executable, "-c", INTERRUPTED, str(threads)]
    run = processes.run(command, capture_output=True, encoding="utf-8")
    assert run.returncode == 0, run.stderr
