"""Weak duality at every epoch, strong duality in the end: dual ≤ optimum ≤ primal, gap → 0."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import LinearClassifier, _core
from linnet.data import as_rows
from linnet.learners import Dual

BINARY, JOINT = ("hinge", "squared_hinge", "logistic"), ("crammer_singer", "maxent")


class Pair:
    """A dual solver, its certificate, and the objective written out in NumPy."""

    def __init__(self, name: str, X: np.ndarray, y: np.ndarray, c: np.ndarray, K: int, seed: int = 0):
        self.name, self.y, self.c, self.K = name, y, c, K
        self.columns = np.hstack([np.ones((len(X), 1)), X.astype(np.float32)]).astype(float)
        rows, common = as_rows(X.astype(np.float32), 1.0), {"tol": 1e-12, "seed": seed}
        if name in BINARY:
            self.solver = _core.DualBinary(rows, y, c, name, **common)
            self.certify = self.solver.certify
        else:
            joint = _core.CrammerSingerDual if name == "crammer_singer" else _core.MaxEntDual
            self.solver = joint(rows, y, c, K, **common)
            self.certify = self.solver.certify

    def __repr__(self) -> str:
        return f"{self.name}: {self.columns.shape}, {self.K} labels, costs of {self.c.mean():.3g}"

    def primal(self) -> float:
        w = np.asarray(self.solver.weights, float)
        scores = self.columns @ w
        if self.name in BINARY:
            m = np.where(self.y == 1, 1, -1) * scores[:, 0]
            slack = np.maximum(0, 1 - m)
            loss = {"hinge": slack, "squared_hinge": slack**2, "logistic": np.logaddexp(0, -m)}[
                self.name
            ]
        else:
            scores, rows = scores[:, : self.K], np.arange(len(self.y))
            gold = scores[rows, self.y]
            if self.name == "maxent":
                loss = np.logaddexp.reduce(scores, axis=1) - gold
            else:
                loss = (scores + (np.arange(self.K) != self.y[:, None])).max(axis=1) - gold
        return float(0.5 * (w**2).sum() + self.c @ loss)


@st.composite
def problems(draw, strengths=(0.01, 1.0, 20.0)):
    name = draw(st.sampled_from(BINARY + JOINT))
    n, d = draw(st.integers(2, 25)), draw(st.integers(1, 8))
    K = 2 if name in BINARY else draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.integers(0, K, n).astype(np.int32)
    c = draw(st.sampled_from(strengths)) * rng.uniform(0.5, 2, n)
    return Pair(name, rng.normal(size=(n, d)), y, c, K)


@settings(max_examples=80, deadline=None)
@given(problems())
def test_the_gap_is_never_negative_and_the_optimum_lies_inside_it(pair) -> None:
    primals, duals = [], []
    for _ in range(40):
        pair.solver.epoch()
        stats = pair.certify()
        scale = max(1.0, stats.objective)
        assert stats.objective == pytest.approx(pair.primal(), rel=1e-5)
        assert stats.gap == pytest.approx(stats.objective - stats.dual, abs=1e-9 * scale)
        assert stats.gap >= -1e-9 * scale
        primals.append(stats.objective)
        duals.append(stats.dual)
    # Any dual value is below any primal one: all intervals hold the one optimum.
    assert max(duals) <= min(primals) + 1e-9 * max(1.0, *primals)


@settings(max_examples=40, deadline=None)
@given(problems(strengths=(0.01, 1.0)))
def test_the_gap_closes(pair) -> None:
    pair.solver.epoch()
    first = last = pair.certify()
    for passes in range(20_000):  # of a few microseconds each
        if last.gap <= 1e-4 * last.objective:
            break
        pair.solver.epoch()
        last = pair.certify() if passes % 10 == 0 else last
    assert last.gap <= 1e-4 * last.objective
    assert last.dual >= first.dual - 1e-6 * max(1.0, first.objective)


@pytest.mark.parametrize(
    ("loss", "K"), [(loss, 2) for loss in BINARY] + [("hinge", 3), ("logistic", 3)]
)
def test_the_record_of_a_fit_certifies_its_distance_from_the_optimum(loss, K) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 6)), rng.integers(0, K, 80)
    loose = LinearClassifier(loss, Dual(), tol=1e-2).fit(X, y).record_
    tight = LinearClassifier(loss, Dual(), tol=1e-6, max_iter=100_000).fit(X, y).record_
    for record in (loose, tight):
        assert record.stopped == "converged"
        assert all(e.gap >= 0 for e in record.epochs if e.gap is not None)
    assert 0 <= loose.gap <= 1e-2 * loose.objective
    assert 0 <= tight.gap <= 1e-6 * tight.objective
    # The loose certificate was honest: the optimum is within its gap.
    assert tight.objective - tight.gap <= loose.objective * (1 + 1e-9)
    assert loose.objective - loose.gap <= tight.objective * (1 + 1e-9)


@pytest.mark.parametrize("K", [2, 4])
def test_the_dual_optimum_is_the_primal_one_of_another_learner(K) -> None:
    rng = np.random.default_rng(K)
    X, y = rng.normal(size=(60, 5)), rng.integers(0, K, 60)
    dual = LinearClassifier("logistic", "dual", tol=1e-6, max_iter=100_000).fit(X, y).record_
    primal = LinearClassifier("logistic", "newton", tol=1e-10).fit(X, y).record_
    assert dual.objective - dual.gap <= primal.objective * (1 + 1e-7)
    assert primal.objective <= dual.objective * (1 + 1e-7)
