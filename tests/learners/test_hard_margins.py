"""Hard margins of all structures, against linear programming and quadratic programmes."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

import linnet
from linnet import _core
from linnet.errors import NotSeparableError

from ..data.chains import problem as chain_problem
from ..estimators.parsers import FEW, as_lists
from .test_frank_wolfe import constraints

PLANES = {"none": (0.0, False), "penalised": (1.0, False), "free": (1.0, True)}


def drive(solver, passes=2000):
    """To the end; gaps are never negative on the way."""
    for _ in range(passes):
        stats = solver.epoch()
        assert not stats.gap < -1e-9 * abs(stats.dual)
        if stats.converged or solver.separable is False:
            break
    return stats


def feasible(asked):
    """Is there a w with asked · w >= 1?"""
    if len(asked) == 0:
        return True
    n, dim = asked.shape
    return linprog(np.zeros(dim), -asked, -np.ones(n), bounds=(None, None)).status == 0


def least_norm(asked, bounds, penalised):
    """Min ½‖w‖² over the first `penalised` weights such that asked · w >= bounds."""
    dim = asked.shape[1]
    held = np.arange(dim) < penalised
    start = linprog(np.zeros(dim), -asked, -bounds, bounds=(None, None)).x
    found = minimize(
        lambda w: (0.5 * w @ (held * w), held * w),
        start,
        jac=True,
        method="SLSQP",
        constraints={"type": "ineq", "fun": lambda w: asked @ w - bounds, "jac": lambda _: asked},
        options={"maxiter": 500, "ftol": 1e-12},
    )
    return found.fun


@st.composite
def small_problems(draw, most_labels):
    """Few points of a coarse grid: duplicates, contradictions, zero rows and single labels occur."""
    n, d = draw(st.integers(1, 9)), draw(st.integers(1, 3))
    K = draw(st.integers(2, most_labels))
    X = draw(st.lists(st.integers(-2, 2), min_size=n * d, max_size=n * d))
    y = draw(st.lists(st.integers(0, K - 1), min_size=n, max_size=n))
    return np.array(X, float).reshape(n, d), np.array(y, np.int32), K


def rows(X, bias):
    X = sp.csr_matrix(X.astype(np.float32))
    return _core.Rows.csr(X.indptr, X.indices, X.data, X.shape[1], bias)


def differences(X, y, K, bias):
    """(e_y − e_k) ⊗ (x, bias) for all wrong labels k; one column of weights where there are two."""
    Z = np.hstack([X, np.full((len(X), 1 if bias else 0), bias)])
    every = np.zeros((len(X), K - 1, Z.shape[1], K))
    for i, gold in enumerate(y):
        for j, k in enumerate(k for k in range(K) if k != gold):
            every[i, j, :, gold] += Z[i]
            every[i, j, :, k] -= Z[i]
    return every.reshape(len(X) * (K - 1), -1)


@pytest.mark.parametrize("plane", PLANES)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@settings(max_examples=60, deadline=None)
@given(small_problems(2))
def test_two_labels(plane, loss, problem):
    X, y, _ = problem
    bias, free = PLANES[plane]
    c = np.full(len(y), np.inf)
    solver = _core.DualBinary(rows(X, bias), y, c, loss, free_intercept=free)
    stats = drive(solver)
    asked = np.where(y > 0, 1.0, -1.0)[:, None] * np.hstack([X, np.full((len(X), 1), bias)])
    assert solver.separable is feasible(asked)
    if not solver.separable:
        return
    assert stats.converged
    w = solver.weights.ravel()
    assert (asked @ np.r_[w[1:], w[0]]).min() > 1 - 1e-6
    best = least_norm(asked, np.ones(len(asked)), X.shape[1] + (not free))
    assert stats.objective == pytest.approx(best, rel=2e-3, abs=1e-6)


@pytest.mark.parametrize("plane", PLANES)
@settings(max_examples=60, deadline=None)
@given(small_problems(4))
def test_several_labels(plane, problem):
    X, y, K = problem
    bias, free = PLANES[plane]
    solver = _core.CrammerSingerDual(rows(X, bias), y, np.full(len(y), np.inf), K, free_intercept=free)
    stats = drive(solver)
    asked = differences(X, y, K, bias)
    assert solver.separable is feasible(asked)
    if not solver.separable:
        return
    assert stats.converged
    W = np.asarray(solver.weights, float)[:, :K]
    assert (asked @ np.vstack([W[1:], W[:1]] if bias else [W[1:]]).ravel()).min() > 1 - 1e-6
    best = least_norm(asked, np.ones(len(asked)), (X.shape[1] + (plane == "penalised")) * K)
    assert stats.objective == pytest.approx(best, rel=2e-3, abs=1e-6)


@pytest.mark.parametrize("cost", ["parts", "zero_one"])
@pytest.mark.parametrize("features", [2, 12])
@pytest.mark.parametrize("seed", range(6))
def test_chains(cost, features, seed):
    """Few features do not separate sentences, many do."""
    sentences = chain_problem(seed, sentences=4, longest=3, features=features)
    blocks = constraints(sentences)
    asked = -np.vstack([a[b > 0] for _, a, b in blocks])
    wanted = np.concatenate([b[b > 0] for _, _, b in blocks])
    if cost == "zero_one":
        wanted = np.ones(len(wanted))
    sentences.weights[:] = np.inf
    solver = _core.FrankWolfe(sentences.data, tol=1e-5, cost=cost)
    stats = drive(solver)
    assert solver.separable is feasible(asked)
    if not solver.separable:
        return
    assert stats.converged
    assert (asked @ solver.weights - wanted).min() > -1e-6
    assert stats.objective == pytest.approx(least_norm(asked, wanted, asked.shape[1]), rel=1e-3)


def test_zero_one_costs_ask_less_of_long_sentences():
    sentences = chain_problem(3, sentences=5, longest=4, features=12)
    found = {}
    for cost in ("parts", "zero_one"):
        solver = _core.FrankWolfe(sentences.data, tol=1e-6, cost=cost)
        found[cost] = drive(solver).objective
    assert 0 < found["zero_one"] < found["parts"]


WALK = [["the", "wren", "sings"], ["a", "heron", "sings"], ["the", "heron", "fishes"]]
TAGS = [["D", "N", "V"], ["D", "N", "V"], ["D", "N", "V"]]


def test_taggers():
    tagger = linnet.StructuredSVM(C=np.inf).fit(WALK, TAGS)
    assert tagger.record_.facts["separable"]
    assert tagger.predict(WALK) == TAGS
    with pytest.raises(NotSeparableError, match="finite C"):
        linnet.StructuredSVM(C=np.inf).fit([*WALK, WALK[0]], [*TAGS, ["N", "N", "V"]])


@pytest.mark.parametrize("cost", ["parts", "zero_one"])
def test_parsers(cost):
    X, y = as_lists(FEW)
    settings = {"learner": linnet.learners.FrankWolfe(cost), "C": np.inf, "candidates": None}
    settings["projective"] = False  # some arcs cross
    parser = linnet.DependencyParser(**settings).fit(X, y)
    assert parser.record_.facts["separable"]
    assert [heads for heads, _ in parser.predict(X)] == [heads for heads, _ in y]
    heads, relations = y[0]
    root = heads.index(0) + 1
    flat = [0 if m == root else root for m in range(1, len(heads) + 1)]
    assert flat != heads  # the same words, another tree
    with pytest.raises(NotSeparableError, match="finite C"):
        linnet.DependencyParser(**settings).fit([*X, X[0]], [*y, (flat, relations)])
