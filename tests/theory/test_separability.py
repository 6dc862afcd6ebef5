"""When data can be separated, who finds out, and with which margin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from linnet import LinearSVM, Perceptron
from linnet.errors import NotSeparableError


@st.composite
def general_position(draw):
    """At most as many points as dimensions, any two-coloured labels."""
    d = draw(st.integers(2, 12))
    n = draw(st.integers(2, d))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    y = rng.integers(0, 2, n)
    y[:2] = [0, 1]
    # Orthonormal rows pulled askew: full rank, and no margin too small to wait for.
    Q = np.linalg.qr(rng.normal(size=(d, n)))[0].T
    return Q + 0.1 * rng.normal(size=(n, d)), rng.permutation(y)


@settings(max_examples=60, deadline=None)
@given(general_position())
def test_as_many_dimensions_as_points_always_separate(problem) -> None:
    X, y = problem
    assert np.linalg.matrix_rank(X) == len(X)
    perceptron = Perceptron(average=False, fit_intercept=False, max_iter=1000).fit(X, y)
    assert perceptron.score(X, y) == 1
    assert perceptron.record_.epochs[-1].mistakes == 0
    hard = LinearSVM(C=np.inf, fit_intercept=False, max_iter=100_000).fit(X, y)
    assert hard.record_.diagnostics["separates"]
    assert hard.score(X, y) == 1


@settings(max_examples=60, deadline=None)
@given(general_position(), st.booleans())
def test_the_hard_margin_is_one_over_the_norm_and_beats_the_perceptron(problem, intercept) -> None:
    X, y = problem
    hard = LinearSVM(C=np.inf, fit_intercept=intercept, max_iter=100_000, tol=1e-6).fit(X, y)
    facts = hard.record_.diagnostics
    assert facts["functional_margin"] == pytest.approx(1, rel=1e-4)
    assert facts["geometric_margin"] == pytest.approx(1 / facts["norm_l2"], rel=1e-4)
    perceptron = Perceptron(average=False, fit_intercept=intercept, max_iter=2000).fit(X, y)
    own = perceptron.record_.diagnostics["geometric_margin"]
    assert own <= facts["geometric_margin"] * (1 + 1e-4)
    # Nor does any soft margin do better.
    soft = LinearSVM(C=1.0, fit_intercept=intercept, max_iter=100_000).fit(X, y)
    assert soft.record_.diagnostics["geometric_margin"] <= facts["geometric_margin"] * (1 + 1e-4)


def test_the_margin_of_two_points_is_half_their_distance() -> None:
    X = np.array([[1.0, 2.0], [-1.0, -2.0]])  # no intercept needed: they face each other
    facts = LinearSVM(C=np.inf, fit_intercept=False, tol=1e-9).fit(X, [1, 0]).record_.diagnostics
    assert facts["geometric_margin"] == pytest.approx(np.sqrt(5))
    assert facts["mistake_bound"] == pytest.approx(1)


NOT_SEPARABLE = {
    "exclusive or": ([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]),
    "the same point twice": ([[1, 2], [1, 2]], [0, 1]),
    "between two others": ([[-1], [0], [1]], [0, 1, 0]),
}


@pytest.mark.parametrize("case", NOT_SEPARABLE)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_hard_margin_is_refused_where_there_is_none(case, loss) -> None:
    X, y = NOT_SEPARABLE[case]
    with pytest.raises(NotSeparableError, match="finite C"):
        LinearSVM(C=np.inf, loss=loss, max_iter=100_000).fit(np.array(X, float), y)
    LinearSVM(C=1.0, loss=loss).fit(np.array(X, float), y)  # slack allows it


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 14))
def test_the_verdict_is_that_of_linear_programming(seed, n) -> None:
    """Points on a coarse grid: about half of the problems are separable, none by a hair's breadth."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (n, 3)).astype(float)
    y = rng.permutation(np.arange(n) % 2)
    signed = np.where(y == 1, 1, -1)[:, None] * np.hstack([np.ones((n, 1)), X])
    feasible = linprog(np.zeros(4), -signed, -np.ones(n), bounds=(None, None)).status == 0
    model = LinearSVM(C=np.inf, max_iter=200_000)
    if feasible:
        assert model.fit(X, y).record_.diagnostics["separates"]
    else:
        with pytest.raises(NotSeparableError):
            model.fit(X, y)
