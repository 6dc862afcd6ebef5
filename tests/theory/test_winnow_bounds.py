"""Mistake bounds: Winnow and elimination on disjunctions, and where the perceptron is better.

Littlestone (1988): with θ = n, doubling and halving, Winnow makes at most 2 + 3k(1 + log₂ n)
mistakes on k-disjunctions of n attributes. A relevant weight is never demoted and is promoted only
while it is below θ, so there are u ≤ k(1 + log₂ θ) promotions; a promotion adds less than θ to the
total weight, which starts at n, and a demotion takes at least θ/2, so v ≤ 2n/θ + 2u demotions.
Winnow1 takes θ by each elimination, hence v ≤ n/θ + (α − 1)u with promotion α.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet import _core
from linnet.data import as_rows
from linnet.training.diagnostics import diagnose


def winnow_bound(n: int, k: int) -> float:
    return 2 + 3 * k * (1 + np.log2(n))


def winnow1_bound(n: int, k: int, promotion: float, threshold: float) -> float:
    return promotion * k * (1 + np.log(threshold) / np.log(promotion)) + n / threshold


def mistakes(learner, X, y, passes=1, bias=1.0) -> int:
    data = _core.BlockData(_core.Rows.dense(X, bias=bias), y, 2, True)
    return sum(learner.epoch(data, shuffle=False).mistakes for _ in range(passes))


@st.composite
def disjunctions(draw):
    """A stream of boolean rows, repeated at will, labelled by a monotone k-disjunction."""
    n = draw(st.integers(2, 40))
    k = draw(st.integers(1, min(n, 4)))
    density = draw(st.sampled_from([0.05, 0.3, 0.5, 0.9]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = (rng.random((draw(st.integers(1, 150)), n)) < density).astype(np.float32)
    # Half of the rows lose their relevant attributes, so that both labels occur.
    X[rng.random(len(X)) < 0.5, :k] = 0
    y = X[:, :k].any(axis=1).astype(np.int32)
    order = draw(st.sampled_from(["random", "positives first", "negatives first"]))
    if order != "random":
        by_label = np.argsort(y if order == "negatives first" else -y, kind="stable")
        X, y = X[by_label], y[by_label]
    return np.ascontiguousarray(X), y, k


@settings(max_examples=150, deadline=None)
@given(disjunctions())
def test_winnow_learns_disjunctions_within_its_bound(stream) -> None:
    X, y, k = stream
    n = X.shape[1]
    assert mistakes(_core.Winnow("perceptron", dim=n + 1), X, y, passes=20) <= winnow_bound(n, k)


@settings(max_examples=150, deadline=None)
@given(disjunctions(), st.sampled_from([1.5, 2.0, 3.0]), st.sampled_from([0.25, 0.5, 1.0, 2.0]))
def test_winnow1_learns_disjunctions_within_its_bound(stream, promotion, share) -> None:
    X, y, k = stream
    n = X.shape[1]
    threshold = max(1.0, share * n)
    learner = _core.Winnow(
        "perceptron", dim=n + 1, promotion=promotion, eliminate=True, threshold=threshold
    )
    assert mistakes(learner, X, y, passes=20) <= winnow1_bound(n, k, promotion, threshold)


@settings(max_examples=150, deadline=None)
@given(disjunctions())
def test_elimination_makes_at_most_n_mistakes(stream) -> None:
    X, y, k = stream
    learner = _core.Elimination(dim=X.shape[1] + 1)
    # The k relevant attributes are never removed.
    assert mistakes(learner, X, y, passes=5) <= X.shape[1] - k
    assert mistakes(learner, X, y) == 0


def worst_mistakes(learner, n: int, k: int, limit: int, bias: float = 1.0) -> int:
    """An adversary: of many random rows it always shows one on which the learner is wrong.

    It gives up when no row of its pool is misclassified; mistakes = rows shown.
    """
    rng = np.random.default_rng(n)
    pool = (rng.random((1000, n)) < 0.5).astype(np.float32)
    pool[rng.random(len(pool)) < 0.5, :k] = 0
    labels = pool[:, :k].any(axis=1).astype(np.int32)
    for shown in range(limit):
        w = learner.weights()
        wrong = np.flatnonzero((pool @ w[1:] + bias * w[0] > 0) != labels)
        if len(wrong) == 0:
            return shown
        i = rng.choice(wrong)
        assert mistakes(learner, pool[i : i + 1], labels[i : i + 1], bias=bias) == 1
    return limit


@pytest.mark.parametrize("n", [128, 512])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_winnow_needs_far_fewer_than_the_perceptron_when_few_attributes_matter(n, k) -> None:
    winnow = worst_mistakes(_core.Winnow("perceptron", dim=n + 1), n, k, limit=1000)
    assert winnow <= winnow_bound(n, k)
    far_more = 4 * winnow
    perceptron = _core.Perceptron("perceptron", n + 1)
    assert worst_mistakes(perceptron, n, k, limit=far_more) == far_more


@pytest.mark.parametrize("n", [50, 200])
def test_elimination_can_be_made_to_err_n_times(n: int) -> None:
    # One irrelevant attribute after the other: n - 1 mistakes, where Winnow makes none.
    X = np.eye(n, dtype=np.float32)[1:]
    y = np.zeros(n - 1, dtype=np.int32)
    assert mistakes(_core.Elimination(dim=n + 1), X, y) == n - 1
    assert mistakes(_core.Winnow("perceptron", dim=n + 1), X, y) == 0


@pytest.mark.parametrize("n", [8, 64, 500])
def test_the_perceptron_wins_where_all_attributes_matter_and_rows_are_sparse(n: int) -> None:
    # u = (1, ..., 1) on the rows of the unit matrix: |u|₂² max|x|₂² = n against
    # 2 ln 2n |u|₁² max|x|∞² = 2n² ln 2n.
    X, yes = np.eye(n, dtype=np.float32), np.ones(n, dtype=np.int32)
    perceptron_bound, bound = n, 2 * n**2 * np.log(2 * n)
    # A score of 0 is a no, so every row has to be learnt: the bound is reached.
    made = mistakes(_core.Perceptron("perceptron", n + 1), X, yes, passes=20, bias=0.0)
    assert made == perceptron_bound
    # Winnow has to double every weight up to θ = n.
    winnow = mistakes(_core.Winnow("perceptron", dim=n + 1), X, yes, passes=20)
    assert winnow == n * np.ceil(np.log2(n))
    assert perceptron_bound < winnow <= min(bound, winnow_bound(n, n))


def test_the_two_bounds_cross() -> None:
    def perceptron(k: int, n: int) -> float:
        return k * n

    def winnow(k: int, n: int) -> float:
        return 2 * k**2 * np.log(2 * n)

    assert winnow(2, 10_000) < 80 < perceptron(2, 10_000) / 100
    assert winnow(100, 100) > perceptron(100, 100)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), heaviest=st.sampled_from([1.0, 5.0]), relevant=st.integers(1, 4))
def test_the_bound_of_the_record_holds_for_normalised_balanced_winnow(seed, heaviest, relevant) -> None:
    """Steps η = m/(‖u‖₁ X²) on [x, −x], weights that sum to one (Kivinen & Warmuth 1997).

    An instance of weight c steps by cη/c_max: relative entropy to u falls by at least
    (c/c_max) m²/(2 ‖u‖₁² X²) at a mistake, and begins at ln 2n or less.
    """
    rng = np.random.default_rng(seed)
    u = np.concatenate([rng.normal(size=relevant), np.zeros(12 - relevant)])
    X = rng.normal(size=(60, 12)).astype(np.float32).astype(float)
    X = X[np.abs(X @ u) > 0.1 * np.abs(u).sum()]
    y, c = (X @ u > 0).astype(np.int32), rng.uniform(1, heaviest, len(X))
    data = _core.BlockData(as_rows(X, 0.0), y, 2, True, c)
    facts = diagnose(data, np.concatenate([[0.0], u]))
    step = facts["functional_margin"] / facts["norm_l1"] / np.abs(X).max() ** 2 / c.max()
    logs, made = np.zeros(24), 0
    for i in np.tile(np.arange(len(X)), 400):
        w = np.exp(logs - logs.max())
        both, sign = np.concatenate([X[i], -X[i]]), 2 * y[i] - 1
        if sign * (w @ both) <= 0:
            made += 1
            logs += step * c[i] * sign * both
    assert made <= facts["winnow_bound"]
