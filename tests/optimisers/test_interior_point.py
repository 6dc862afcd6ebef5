"""Margin programmes: multipliers and weights that certify each other."""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from linnet import _core


def programme(seed, prices, free, rows=12, columns=5):
    """Rows in groups of one to three, of which some ask for nothing or less."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 4, rows)
    sizes = sizes[np.cumsum(sizes) <= rows]
    n = int(sizes.sum())
    d, b = rng.normal(size=(n, columns)), rng.uniform(-0.5, 2, n)
    e = rng.normal(size=(n, free)) if free else None
    return d, b, sizes.astype(np.int64), np.full(len(sizes), prices, float), e


def primal(d, b, sizes, prices, e, w, v):
    short = np.maximum(0, b - d @ w - (0 if e is None else e @ v))
    slack = np.maximum.reduceat(short, np.concatenate([[0], np.cumsum(sizes)[:-1]]))
    return 0.5 * w @ w + prices @ slack


def dual(d, b, a):
    return a @ b - 0.5 * np.sum((a @ d) ** 2)


def free_weights_suffice(e):
    """Do they have all the margins there are to have, so that no multiplier is above zero?"""
    margins = linprog(np.zeros(e.shape[1]), -e, -np.ones(len(e)), bounds=(None, None))
    return margins.status == 0


# (The examples went round in circles once.)
@example(seed=1555, price=1e3, free=2)
@example(seed=416, price=1e7, free=1)
@example(seed=919, price=1e7, free=2)
@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([1e-3, 1.0, 1e3, 1e7]), st.integers(0, 2))
def test_the_two_objectives_meet(seed, price, free):
    d, b, sizes, prices, e = problem = programme(seed, price, free)
    assume(e is None or not free_weights_suffice(e))
    a, w, v = _core.solve_margins(*problem)
    best = primal(d, b, sizes, prices, e, w, v)
    assert (a >= 0).all()
    sums = np.add.reduceat(a, np.concatenate([[0], np.cumsum(sizes)[:-1]]))
    assert (sums <= prices * (1 + 1e-7)).all()
    if e is not None:
        np.testing.assert_allclose(e.T @ a, 0, atol=1e-6 * max(a.sum(), 1e-9))
    assert best == pytest.approx(dual(d, b, a), rel=1e-5, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 2))
def test_the_widest_margin_says_whether_there_is_one(seed, free):
    rng = np.random.default_rng(seed)
    n, columns = int(rng.integers(1, 9)), int(rng.integers(1, 4))
    d = rng.integers(-2, 3, (n, columns)).astype(float)
    e = rng.integers(-1, 2, (n, free)).astype(float) if free else None
    every = d if e is None else np.hstack([d, e])
    feasible = linprog(
        np.zeros(every.shape[1]), -every, -np.ones(n), bounds=(None, None), method="highs"
    )
    ones, inf = np.ones(n), np.full(n, np.inf)
    a, w, v = _core.solve_margins(d, ones, np.ones(n, np.int64), inf, e, widest=True)
    margins = d @ w + (0 if e is None else e @ v[:-1])
    assert (margins.min() > 1e-5) == (feasible.status == 0)
    if feasible.status != 0:  # Farkas: a mixture of the rows that vanishes
        a = a[:-1]
        assert a.sum() == pytest.approx(1, rel=1e-5)
        np.testing.assert_allclose(a @ every, 0, atol=1e-4)


def test_refusals():
    with pytest.raises(ValueError, match="one price for each group"):
        _core.solve_margins(np.ones((2, 1)), np.ones(2), np.array([2]), np.ones(2))
    with pytest.raises(ValueError, match="every row is in one group"):
        _core.solve_margins(np.ones((2, 1)), np.ones(2), np.array([1]), np.ones(1))
