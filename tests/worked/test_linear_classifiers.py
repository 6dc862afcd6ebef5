"""Bayes' rule, naive Bayes and its naivety, MIRA, step sizes and gradients, by hand."""

from itertools import product

import numpy as np
import pytest

from linnet import (
    MIRA,
    LinearClassifier,
    LogisticRegression,
    MaxEnt,
    NaiveBayes,
    PassiveAggressive,
    Perceptron,
    _core,
)
from linnet.data import as_rows
from linnet.learners import SGD, AdaGrad

# ---------------------------------------------------------------- a rare construction

GAP, RECALL, FALSE_POSITIVE = 1e-5, 0.95, 0.005
FINDER = [{"finder": "yes"}, {"finder": "no"}] * 2
HAS_GAP = [True, True, False, False]
SHARES = [
    GAP * RECALL,
    GAP * (1 - RECALL),
    (1 - GAP) * FALSE_POSITIVE,
    (1 - GAP) * (1 - FALSE_POSITIVE),
]


def test_a_good_finder_of_a_rare_thing_is_mostly_wrong() -> None:
    # P(G|T) = P(T|G) P(G) / (P(T|G) P(G) + P(T|¬G) P(¬G))
    model = NaiveBayes(smoothing=0.0).fit(FINDER, HAS_GAP, sample_weight=SHARES)
    says_yes = model.predict_proba([{"finder": "yes"}])[0, 1]
    bayes = RECALL * GAP / (RECALL * GAP + FALSE_POSITIVE * (1 - GAP))
    assert says_yes == pytest.approx(bayes, rel=1e-6)
    assert round(says_yes, 4) == 0.0019
    assert not model.predict([{"finder": "yes"}])[0]


def test_the_false_positive_rate_is_one_minus_specificity_and_not_one_minus_precision() -> None:
    shares = np.array(SHARES)
    said_yes, gap = np.array([True, False, True, False]), np.array(HAS_GAP)
    specificity = shares[~said_yes & ~gap].sum() / shares[~gap].sum()
    precision = shares[said_yes & gap].sum() / shares[said_yes].sum()
    model = NaiveBayes(smoothing=0.0).fit(FINDER, HAS_GAP, sample_weight=shares)
    # P(yes | no gap), read off the weights.
    rate = np.exp(model.coef_[0, list(model.get_feature_names_out()).index("finder=yes")])
    assert rate == pytest.approx(FALSE_POSITIVE)
    assert rate == pytest.approx(1 - specificity)
    assert 1 - precision > 0.99


# ---------------------------------------------------------------- traffic lights

# Seven days: once both lights are broken and red, else one of them is green.
LIGHTS = np.array([[1, 1]] + [[0, 1]] * 3 + [[1, 0]] * 3, float)  # (north–south red, east–west red)
BROKEN = np.array([True] + [False] * 6)


def test_naive_bayes_takes_broken_lights_for_working_ones() -> None:
    model = NaiveBayes("bernoulli", smoothing=1e-9).fit(LIGHTS, BROKEN)
    working, broken = np.exp(model.joint_log_likelihood([[1, 1]])[0])
    assert broken == pytest.approx(4 / 28, rel=1e-6)
    assert working == pytest.approx(6 / 28, rel=1e-6)
    np.testing.assert_allclose(model.predict_proba([[1, 1]]), [[0.6, 0.4]], rtol=1e-6)
    assert not model.predict([[1, 1]])[0]


def test_learners_without_the_independence_assumption_are_certain() -> None:
    truth = BROKEN[(LIGHTS == [1, 1]).all(axis=1)]
    assert truth.all()
    assert Perceptron(average=False, max_iter=50).fit(LIGHTS, BROKEN).score(LIGHTS, BROKEN) == 1
    weak = LogisticRegression(C=1e6, diagnostics=False).fit(LIGHTS, BROKEN)
    assert weak.predict_proba([[1, 1]])[0, 1] > 0.99


# ---------------------------------------------------------------- two stories of naive Bayes

TEXTS = np.array([[2, 1, 0], [0, 1, 1], [1, 0, 3], [0, 0, 2], [1, 1, 1]], float)
TOPICS = np.array([0, 0, 1, 1, 1])


def test_counts_and_sequences_have_different_joints_and_the_same_posterior() -> None:
    model = NaiveBayes().fit(TEXTS, TOPICS)
    x = np.array([[2, 1, 1], [3, 0, 0], [0, 2, 2]], float)
    words, counts = model.joint_log_likelihood(x), model.joint_log_likelihood(x, coefficient=True)
    orders = np.log([12, 1, 6])  # 4!/2!, 3!/3!, 4!/(2! 2!)
    np.testing.assert_allclose(counts - words, np.repeat(orders[:, None], 2, 1), atol=1e-9)
    for joint in (words, counts):
        p = np.exp(joint - np.logaddexp.reduce(joint, axis=1, keepdims=True))
        np.testing.assert_allclose(p, model.predict_proba(x), rtol=1e-9)


def test_both_stories_are_distributions() -> None:
    model, length = NaiveBayes().fit(TEXTS, TOPICS), 4
    bags = np.array([b for b in product(range(length + 1), repeat=3) if sum(b) == length], float)
    assert np.exp(model.joint_log_likelihood(bags, coefficient=True)).sum() == pytest.approx(1)
    sequences = np.array([np.bincount(s, minlength=3) for s in product(range(3), repeat=length)])
    assert np.exp(model.joint_log_likelihood(sequences.astype(float))).sum() == pytest.approx(1)


def test_smoothed_counts_are_those_of_label_and_word() -> None:
    for alpha in (0.5, 1.0, 3.0):
        model = NaiveBayes(smoothing=alpha).fit(TEXTS, TOPICS)
        count = np.array([[2, 2, 1], [2, 1, 6]])  # count(y, j)
        expected = (count + alpha) / (count.sum(axis=1, keepdims=True) + 3 * alpha)
        np.testing.assert_allclose(np.exp(model.coef_), expected)
        np.testing.assert_allclose(np.exp(model.intercept_), [2 / 5, 3 / 5])


def test_without_smoothing_one_word_vetoes_a_label() -> None:
    model = NaiveBayes(smoothing=0.0).fit([[3.0, 0.0], [1.0, 1.0]], ["a", "b"])
    assert model.predict_proba([[9.0, 1.0]]).tolist() == [[0, 1]]
    smooth = NaiveBayes(smoothing=1.0).fit([[3.0, 0.0], [1.0, 1.0]], ["a", "b"])
    assert smooth.predict_proba([[9.0, 1.0]])[0, 0] > 0.5


# ---------------------------------------------------------------- MIRA


@pytest.mark.parametrize("preset", [MIRA, PassiveAggressive])
def test_the_rival_is_the_best_wrong_label_even_when_the_prediction_is_right(preset) -> None:
    """The correct label leads by ½: with itself as rival the step would be 0/0."""
    model = preset(C=np.inf, average=False, fit_intercept=False, grow=True)
    model.partial_fit([[1.0, 0.0]], ["a"], classes=["a", "b", "c"])
    before = model.coef_.copy()
    scores = model.decision_function([[0.5, 0.0]])[0]
    lead = scores[0] - scores[1:].max()
    assert 0 < lead < 1
    model.partial_fit([[0.5, 0.0]], ["a"])
    assert np.isfinite(model.coef_).all()
    after = model.decision_function([[0.5, 0.0]])[0]
    if preset is MIRA:
        np.testing.assert_allclose(after[0] - after[1:], 1, atol=1e-6)
    else:  # τ = ℓ / ‖f(x, y) − f(x, y′)‖², one rival
        tau = (1 - lead) / (2 * 0.25)
        np.testing.assert_allclose(model.coef_[0] - before[0], [0.5 * tau, 0], atol=1e-6)
        assert np.count_nonzero((model.coef_ - before)[1:, 0]) == 1
        assert after[0] - after[1:].max() >= lead


def test_slack_caps_the_step() -> None:
    model = PassiveAggressive(C=0.1, average=False, fit_intercept=False)
    model.partial_fit([[1.0, 1.0]], [1], classes=[0, 1])
    np.testing.assert_allclose(model.coef_, [[0.1, 0.1]])  # ℓ/‖x‖² would be ½


# ---------------------------------------------------------------- step sizes and gradients

rng = np.random.default_rng(0)
X = rng.normal(size=(100, 4))
Y = (X @ [1.0, -2.0, 0.5, 0.0] + rng.normal(size=100) > 0).astype(int)


def distance_to_the_optimum(power: float) -> float:
    best = LogisticRegression(alpha=0.1, learner="lbfgs", tol=1e-9).fit(X, Y)
    settings = {"alpha": 0.1, "max_iter": 200, "diagnostics": False}
    model = LinearClassifier("logistic", SGD("power", eta0=0.5, power=power), "l2", **settings).fit(
        X, Y
    )
    return float(np.linalg.norm(model.coef_ - best.coef_) / np.linalg.norm(best.coef_))


def test_step_sizes_t_to_the_minus_alpha_converge_for_alpha_above_a_half_and_up_to_one() -> None:
    # Σ η_t must diverge and Σ η_t² must not: α ∈ (½, 1].
    assert distance_to_the_optimum(0.6) < 0.03
    assert distance_to_the_optimum(0.8) < 0.03
    assert distance_to_the_optimum(2.0) > 0.3  # all steps together are too short


def test_l2_is_subtracted_from_the_likelihood() -> None:
    labels = rng.integers(0, 3, 100)
    norms = []
    for C in (0.01, 0.1, 1.0, 10.0):
        model = MaxEnt(C=C, learner="lbfgs", tol=1e-8).fit(X, labels)
        norms.append(model.record_.diagnostics["norm_l2"])
        log_p = model.predict_log_proba(X)[np.arange(100), labels].sum()
        # What is minimised is ½‖w‖² − C log P: the penalty lowers what is maximised.
        assert model.record_.objective == pytest.approx(0.5 * norms[-1] ** 2 - C * log_p, rel=1e-6)
        assert model.record_.diagnostics["moment_residual"] < 1e-4 * max(1, C)
    assert np.all(np.diff(norms) > 0)


def expected_minus_observed(w: np.ndarray, x: np.ndarray, y: int) -> np.ndarray:
    """−f(x, y) + Σ p(y′) f(x, y′), (features, labels)."""
    p = np.exp(x @ w - np.logaddexp.reduce(x @ w))
    return np.outer(x, p - np.eye(w.shape[1])[y])


def test_the_gradient_takes_the_features_of_every_label_with_its_probability() -> None:
    w = rng.normal(size=(5, _core.padded(3)))
    w[:, 3:] = 0
    labels = rng.integers(0, 3, 100).astype(np.int32)
    data = _core.BlockData(as_rows(X.astype(np.float32), 1.0), labels, 3, False)
    gradient = _core.BatchObjective(data, "logistic", l2=0.5).evaluate(w.ravel())[1].reshape(w.shape)
    rows = np.hstack([np.ones((100, 1)), X.astype(np.float32)])
    steps = (expected_minus_observed(w[:, :3], x, y) for x, y in zip(rows, labels, strict=True))
    expected = sum(steps) + 0.5 * w[:, :3]
    np.testing.assert_allclose(gradient[:, :3], expected, rtol=1e-6, atol=1e-6)


def test_adagrad_by_hand() -> None:
    model = LinearClassifier(
        "logistic", AdaGrad(eta0=0.5, epsilon=1e-12), "none", fit_intercept=False, shuffle=False
    )
    w, squares = np.zeros((2, 3)), np.zeros((2, 3))
    for x, y in [([1.0, 2.0], 0), ([1.0, -1.0], 2), ([0.5, 1.0], 1)]:
        model.partial_fit([x], [y], classes=[0, 1, 2])
        g = expected_minus_observed(w, np.array(x), y)
        squares += g**2
        w -= 0.5 * g / np.sqrt(squares)
        np.testing.assert_allclose(model.coef_, w.T, rtol=1e-5)
        assert np.abs(w).min() > 0  # wrong labels move too
