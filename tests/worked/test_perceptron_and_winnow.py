"""Mistake bounds compared, Winnow's rule, and a threshold function on the whole cube."""

from itertools import product

import numpy as np
import pytest

from linnet import (
    LinearClassifier,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    Perceptron,
    Winnow,
    _core,
)
from linnet.data import as_rows

# ---------------------------------------------------------------- bounds


def perceptron_bound(u: np.ndarray, X: np.ndarray) -> float:
    """‖u‖₂² max ‖x‖₂² where every margin of u is at least 1."""
    return float((u @ u) * (X**2).sum(axis=1).max())


def winnow_bound(u: np.ndarray, X: np.ndarray) -> float:
    """2 ln 2n ‖u‖₁² max ‖x‖∞²; norms are of absolute values."""
    return float(2 * np.log(2 * len(u)) * np.abs(u).sum() ** 2 * np.abs(X).max() ** 2)


@pytest.mark.parametrize(("k", "n"), [(1, 8), (3, 100), (5, 1000)])
def test_k_relevant_of_n_attributes(k, n) -> None:
    u = np.repeat([1.0, 0.0], [k, n - k])
    u[0] = -1  # a sign changes nothing
    X = np.random.default_rng(0).choice([-1.0, 1.0], size=(50, n))
    assert perceptron_bound(u, X) == pytest.approx(k * n)
    assert winnow_bound(u, X) == pytest.approx(2 * k**2 * np.log(2 * n))
    assert (winnow_bound(u, X) < perceptron_bound(u, X)) == (2 * k * np.log(2 * n) < n)


@pytest.mark.parametrize("n", [4, 50])
def test_all_attributes_on_the_rows_of_a_unit_matrix(n) -> None:
    u, X = np.ones(n), np.eye(n)
    assert perceptron_bound(u, X) == pytest.approx(n)
    assert winnow_bound(u, X) == pytest.approx(2 * n**2 * np.log(2 * n))
    # One example of the other class, so that there are two; a tie is its label already.
    rows, y = np.vstack([np.zeros(n), X]), np.array([0] + [1] * n)
    model = Perceptron(average=False, fit_intercept=False, max_iter=5).fit(rows, y)
    assert model.record_.mistakes == n
    # γ = 1/√n and R = 1: the bound R²/γ² = n is reached, so R/γ = √n cannot be one.
    ones = LinearSVM(C=np.inf, fit_intercept=False).fit(np.vstack([-X, X]), [0] * n + [1] * n)
    facts = ones.record_.diagnostics
    R, gamma = facts["R"], facts["geometric_margin"]
    assert pytest.approx(1) == R
    assert gamma == pytest.approx(n**-0.5, rel=1e-3)
    assert R / gamma < model.record_.mistakes <= facts["mistake_bound"] * (1 + 1e-9)


def test_norms_of_a_model_are_of_absolute_values() -> None:
    model = LinearClassifier("perceptron", "perceptron", "none", fit_intercept=False, shuffle=False)
    model.partial_fit([[3.0, -4.0]], [1], classes=[0, 1])
    model.fit([[3.0, -4.0], [-3.0, 4.0]], [1, 0])
    facts = model.record_.diagnostics
    assert model.coef_.tolist() == [[3, -4]]
    assert (facts["norm_l1"], facts["norm_l2"], facts["norm_max"]) == (7, 5, 4)


# ---------------------------------------------------------------- Winnow's rule


def positive_winnow(**settings) -> Winnow:
    return Winnow("positive", shuffle=False, max_iter=1, **settings)


def test_winnow_says_yes_when_the_threshold_is_reached() -> None:
    # n = θ = 3 and all weights 1.
    model = positive_winnow().partial_fit(np.zeros((1, 3)), [0], classes=[0, 1])
    assert model.record_.mistakes == 0
    assert model.predict([[1, 1, 1], [1, 1, 0], [0, 0, 0]]).tolist() == [1, 0, 0]


def test_winnow_doubles_below_the_threshold_and_halves_at_it() -> None:
    model = positive_winnow()
    steps = [
        ([1, 0, 0, 0], 1, [2, 1, 1, 1]),  # 1 < 4: promoted
        ([1, 0, 0, 0], 1, [4, 1, 1, 1]),  # 2 < 4: promoted
        ([1, 0, 0, 0], 1, [4, 1, 1, 1]),  # 4 ≥ 4: right
        ([0, 1, 1, 1], 0, [4, 1, 1, 1]),  # 3 < 4: right
        ([1, 1, 0, 0], 0, [2, 0.5, 1, 1]),  # 5 ≥ 4: demoted
        ([0, 0, 1, 1], 1, [2, 0.5, 2, 2]),  # 2 < 4: promoted
        ([0, 0, 1, 1], 0, [2, 0.5, 1, 1]),  # 4 ≥ 4: demoted, though it only just reaches θ
    ]
    for x, label, expected in steps:
        model.partial_fit([x], [label], classes=[0, 1])
        assert model.coef_.tolist() == [expected]


@pytest.mark.parametrize(("rate", "promotion"), [(np.log(2), None), (1.0, np.e), (0.5, np.exp(0.5))])
def test_the_factor_is_e_to_the_rate_and_doubling_is_rate_log_two(rate, promotion) -> None:
    model = positive_winnow(promotion=promotion, demotion=promotion)
    model.partial_fit([[1, 0, 1, 0]], [1], classes=[0, 1])
    np.testing.assert_allclose(model.coef_[0], np.exp(rate * np.array([1, 0, 1, 0])), rtol=1e-6)


def test_without_a_threshold_positive_weights_would_never_say_no() -> None:
    X = (np.random.default_rng(0).random((200, 8)) < 0.5).astype(float)
    y = X[:, :2].any(axis=1).astype(int)
    model = Winnow("positive", max_iter=50).fit(X, y)
    assert model.score(X, y) == 1
    assert (model.coef_ >= 0).all()
    assert (X @ model.coef_[0] >= 0).all()
    assert not model.predict(X).all()


def promotions_and_demotions(learner, X, y) -> tuple[int, int]:
    counts = [0, 0]
    for x, label in zip(X, y, strict=True):
        one = _core.BlockData(as_rows(x[None], 1.0), np.array([label], np.int32), 2, True)
        counts[1 - label] += learner.epoch(one).mistakes
    return counts[0], counts[1]


def test_demotions_by_halving_may_exceed_what_elimination_allows() -> None:
    # Nine attributes, the last one relevant; θ = 4.
    X = np.zeros((3, 9))
    X[0, :4] = X[1, 4:8] = X[2, :8] = 1
    y, n, theta = [0, 0, 0], 9, 4.0
    u, v = promotions_and_demotions(_core.Winnow("perceptron", dim=10, threshold=theta), X, y)
    assert (u, v) == (0, 3)
    assert n / theta + u < v <= 2 * n / theta + 2 * u
    winnow1 = _core.Winnow("perceptron", dim=10, threshold=theta, eliminate=True)
    u, v = promotions_and_demotions(winnow1, X, y)
    assert v <= n / theta + u


@pytest.mark.parametrize(("n", "k"), [(16, 1), (64, 3), (256, 4)])
def test_disjunctions_within_two_and_three_k_times_one_and_log_n(n, k) -> None:
    rng = np.random.default_rng(n)
    X = (rng.random((400, n)) < 0.3).astype(float)
    X[::2, :k] = 0
    y = X[:, :k].any(axis=1).astype(int)
    model = Winnow("positive", max_iter=100).fit(X, y)
    assert model.score(X, y) == 1
    assert model.record_.mistakes <= 2 + 3 * k * (1 + np.log2(n))
    # And its parts: promotions, then demotions by halving with θ = n.
    learner = _core.Winnow("perceptron", dim=n + 1)
    u, v = np.sum([promotions_and_demotions(learner, X, y) for _ in range(3)], axis=0)
    assert u <= k * (1 + np.log2(n))
    assert v <= 2 + 2 * u


# ---------------------------------------------------------------- from mistakes to few errors


def examples_to_survive(mistakes: int, epsilon: float, delta: float) -> int:
    """(1/ε) ln((M + 1)/δ): a learner of M mistakes passes through M + 1 hypotheses."""
    return int(np.ceil(np.log((mistakes + 1) / delta) / epsilon))


def test_every_hypothesis_may_be_the_one_that_survives_by_luck() -> None:
    epsilon, delta = 0.1, 0.05
    assert np.exp(-np.log(1 / delta)) == pytest.approx(delta)
    for mistakes in (0, 3, 50):
        lucky = (1 - epsilon) ** examples_to_survive(mistakes, epsilon, delta)  # of one bad hypothesis
        assert (mistakes + 1) * lucky <= delta
        too_few = (1 - epsilon) ** np.ceil(np.log(1 / delta) / epsilon)
        assert ((mistakes + 1) * too_few <= delta) == (mistakes == 0)


def test_a_disjunction_that_survives_is_almost_right() -> None:
    """Elimination makes at most n mistakes; what survives long enough errs on few new examples."""
    n, epsilon, delta = 8, 0.05, 0.05
    enough = examples_to_survive(n, epsilon, delta)
    bad = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        learner, survived, made = _core.Elimination(dim=n + 1), 0, 0
        while survived < enough:
            x = (rng.random((1, n)) < 0.3).astype(float)
            label = np.array([x[0, :2].any()], np.int32)
            wrong = learner.epoch(_core.BlockData(as_rows(x, 1.0), label, 2, True)).mistakes
            survived, made = (0, made + 1) if wrong else (survived + 1, made)
        new = (rng.random((2000, n)) < 0.3).astype(float)
        weights = learner.weights().reshape(n + 1, -1)[:, 0]
        bad += np.mean((new @ weights[1:] + weights[0] > 0) != new[:, :2].any(axis=1)) > epsilon
        assert made <= n
    assert bad <= delta * 40


# ---------------------------------------------------------------- three of seven on the cube

CUBE = np.array(list(product([0.0, 1.0], repeat=7)))
THREE_OF_SEVEN = (CUBE.sum(axis=1) >= 3).astype(int)


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(average=False, max_iter=1000),
        Winnow(max_iter=2000, fit_intercept=True),
        LinearSVM(C=np.inf, max_iter=100_000),
        LogisticRegression(C=1e4),
    ],
    ids=["perceptron", "winnow", "svm", "logistic"],
)
def test_linear_learners_represent_three_of_seven(model) -> None:
    assert model.fit(CUBE, THREE_OF_SEVEN).score(CUBE, THREE_OF_SEVEN) == 1


@pytest.mark.parametrize("smoothing", [1e-6, 1.0])
def test_naive_bayes_sees_three_where_there_are_two(smoothing) -> None:
    model = NaiveBayes("bernoulli", smoothing=smoothing).fit(CUBE, THREE_OF_SEVEN)
    predicted = model.predict(CUBE)
    np.testing.assert_array_equal(predicted, CUBE.sum(axis=1) >= 2)
    assert (predicted != THREE_OF_SEVEN).sum() == 21
