"""Frank–Wolfe for structural SVMs against quadratic programmes and the other dual solver."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

import linnet
from linnet import _core
from linnet.errors import RefusedError

from .. import problems
from ..data.chains import Sentences, problem


def run(data: _core.Dataset, tol: float = 1e-7, passes: int = 3000, **settings: float) -> tuple:
    solver = _core.FrankWolfe(data, tol=tol, **settings)
    dual = -np.inf
    for _ in range(passes):
        stats = solver.epoch()
        assert stats.dual >= dual - 1e-9 * abs(stats.dual)  # steps never lose
        dual = stats.dual
        if stats.converged:
            break
    return np.array(solver.weights), stats, solver


def least(blocks: list[tuple[float, np.ndarray, np.ndarray]], l2: float) -> float:
    """The minimum of l2 ½‖w‖² + Σ c max_k (b_k + a_k · w), by its dual: a quadratic programme."""
    A = np.vstack([c * a for c, a, _ in blocks])
    b = np.concatenate([c * b for c, _, b in blocks])
    which = np.repeat(np.arange(len(blocks)), [len(b) for _, _, b in blocks])
    sums = (which == np.arange(len(blocks))[:, None]).astype(float)
    G = A @ A.T / l2
    start = np.concatenate([np.eye(1, len(b))[0] for _, _, b in blocks])
    found = minimize(
        lambda m: (0.5 * m @ G @ m - b @ m, G @ m - b),
        start,
        jac=True,
        method="SLSQP",
        bounds=[(0, 1)] * len(b),
        constraints={"type": "eq", "fun": lambda m: sums @ m - 1, "jac": lambda _: sums},
        options={"maxiter": 1000, "ftol": 1e-13},
    )
    return -float(found.fun)


def constraints(sentences: Sentences) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """For each sentence its weight, f(y') − f(y) of all outputs and their costs."""
    data, blocks = sentences.data, []
    units = np.eye(data.dim)
    for i in range(len(sentences.offsets) - 1):
        gold = list(sentences.y[sentences.offsets[i] : sentences.offsets[i + 1]])
        if not gold:
            continue
        features = np.stack([sentences.theta(u, i) for u in units], axis=1)  # (parts, dim)
        outputs = sentences.outputs(i)
        held = np.stack([features[parts].sum(axis=0) for _, parts in outputs])
        costs = np.array([sum(a != g for a, g in zip(y, gold, strict=True)) for y, _ in outputs])
        right = int(np.flatnonzero(costs == 0)[0])
        blocks.append((sentences.weights[i], held - held[right], costs.astype(float)))
    return blocks


@pytest.mark.parametrize(
    "shape", [{}, {"ends": False}, {"order": 2}, {"pairs": True}], ids=["ends", "tied", "2", "pairs"]
)
def test_chains_against_a_quadratic_programme(shape: dict[str, bool]) -> None:
    sentences = problem(5, sentences=4, longest=3, features=4, **shape)
    l2 = 0.7
    w, stats, solver = run(sentences.data, l2=l2)
    assert stats.converged
    assert -1e-12 <= stats.gap <= 1e-7 * stats.objective
    assert stats.objective == pytest.approx(sentences.objective("hinge", w, l2), rel=1e-10)
    best = least(constraints(sentences), l2)
    assert stats.objective == pytest.approx(best, rel=1e-5)
    # the certificate is P(w) − D of the mixtures
    assert stats.dual == pytest.approx(best, rel=1e-5)
    assert solver.certify().gap == pytest.approx(stats.gap, abs=1e-12)


def test_costs_and_masks_are_respected() -> None:
    sentences = problem(6)
    table = np.array([[0, 2.0, 0.5], [1, 0, 3], [0.1, 1, 0]])
    allowed = np.ones((3, 3), bool)
    gold = sentences.y
    seen = {
        (int(gold[t]), int(gold[t + 1]))
        for i in range(len(sentences.offsets) - 1)
        for t in range(sentences.offsets[i], sentences.offsets[i + 1] - 1)
    }
    unseen = next((a, b) for a in range(3) for b in range(3) if (a, b) not in seen)
    allowed[unseen] = False
    sentences.masks = {"costs": table, "transitions": allowed}
    w, stats, _ = run(sentences.data, tol=1e-6)
    value, _ = _core.BatchObjective(sentences.data, "hinge", 1.0).evaluate(w)
    assert stats.objective == pytest.approx(value, rel=1e-10)
    rng = np.random.default_rng(0)
    for _ in range(20):  # nothing nearby is better
        near = w + 0.01 * rng.normal(size=w.shape)
        assert _core.BatchObjective(sentences.data, "hinge", 1.0).evaluate(near)[0] > value * (1 - 1e-6)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_flat_equals_crammer_and_singer(C: float) -> None:
    X, names = problems.topics()
    X = sp.csr_matrix(X).astype(np.float32)
    labels, y = np.unique(names, return_inverse=True)
    settings = {"C": C, "tol": 1e-6, "max_iter": 5000}
    ours = linnet.LinearClassifier("hinge", "frank_wolfe", **settings).fit(X, y)
    theirs = linnet.LinearClassifier("hinge", "dual", **settings).fit(X, y)
    mine, other = ours.record_.epochs[-1], theirs.record_.epochs[-1]
    assert mine.gap is not None
    assert 0 <= mine.gap <= 1e-6 * mine.objective
    assert mine.objective == pytest.approx(other.objective, rel=1e-5)
    assert len(labels) > 2


def test_candidates() -> None:
    X, y = problems.candidates()
    model = linnet.Reranker("hinge", "frank_wolfe", C=1.0, tol=1e-5).fit(X, y)
    assert model.record_.epochs[-1].gap <= 1e-5 * model.record_.epochs[-1].objective
    assert model.score(X, y) > 0.6


def test_gap_bounds_the_distance_and_passes_repeat() -> None:
    data = problem(8, sentences=30).data
    best = run(data, 1e-8)[1].objective
    solver = _core.FrankWolfe(data, tol=0, seed=3)
    again = _core.FrankWolfe(data, tol=0, seed=3)
    for _ in range(15):
        solver.epoch(), again.epoch()
        stats = solver.certify()
        assert stats.objective - best <= stats.gap + 1e-9
        assert stats.dual <= best + 1e-9
    np.testing.assert_array_equal(solver.weights, again.weights)


def test_support() -> None:
    sentences = problem(9, sentences=20)
    _, _, solver = run(sentences.data, 1e-5)
    kept = np.flatnonzero(np.diff(sentences.offsets) > 0)
    losses = np.array([sentences.loss("hinge", np.array(solver.weights), i) for i in kept])
    # an instance with a loss has mass on a wrong output
    assert set(np.flatnonzero(losses > 1e-3)) <= set(solver.support)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="hinge"):
        _core.FrankWolfe(problem(1).data, "squared_hinge")
    with pytest.raises(ValueError, match="not convex"):
        _core.FrankWolfe(problem(1, missing=0.5).data)
    X, y = problems.topics()
    with pytest.raises(RefusedError, match="mixtures of outputs"):
        linnet.LinearClassifier("squared_hinge", "frank_wolfe").fit(X, y)
