"""predict_proba: softmax where the loss is a likelihood, calibrated on held-out folds elsewhere."""

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import log_loss

import linnet
from linnet.training.calibration import fit_isotonic, fit_sigmoid

from ... import problems

X, Y = problems.noisy(n=300)
X3, Y3 = problems.noisy(n=300, labels=3, seed=1)
DATA = {"two": (X, Y), "three": (X3, Y3)}


def sums_to_one(model: Any, data: Any, labels: Any) -> None:
    p = model.predict_proba(data)
    assert p.shape == (len(labels), len(np.unique(labels)))
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-12)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.predict_log_proba(data), np.log(p))


@pytest.mark.parametrize("labels", ["two", "three"])
@pytest.mark.parametrize("loss", ["logistic", "softmax_margin", "probability", "exponential"])
def test_log_losses(labels: str, loss: str) -> None:
    model = linnet.LinearClassifier(loss, "lbfgs").fit(*DATA[labels])
    sums_to_one(model, *DATA[labels])
    p = model.predict_proba(DATA[labels][0])
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(DATA[labels][0]))
    scale = 2 if loss == "exponential" else 1
    scores = scale * model.decision_function(DATA[labels][0])
    if labels == "two":
        np.testing.assert_allclose(p[:, 1], 1 / (1 + np.exp(-scores)))
    else:
        e = np.exp(scores)
        np.testing.assert_allclose(p, e / e.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("labels", ["two", "three"])
def test_exponential_scores_are_half_the_log_odds(labels: str) -> None:
    """With nothing but an intercept the estimate is the share of each label, as for logistic."""
    y = DATA[labels][1]
    constant = np.zeros((len(y), 1))
    shares = np.bincount(y) / len(y)
    for loss in ("logistic", "exponential"):
        model = linnet.LinearClassifier(loss, "lbfgs", penalty="none", tol=1e-10, diagnostics=False)
        np.testing.assert_allclose(
            model.fit(constant, y).predict_proba(constant[:1])[0], shares, rtol=1e-4
        )


@pytest.mark.parametrize("labels", ["two", "three"])
def test_one_against_the_rest(labels: str) -> None:
    model = linnet.LinearClassifier("logistic", "coordinate", "l1").fit(*DATA[labels])
    sums_to_one(model, *DATA[labels])
    p = model.predict_proba(DATA[labels][0])
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(DATA[labels][0]))


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("labels", ["two", "three"])
@pytest.mark.parametrize(
    "settings",
    [("hinge", "dual", "l2"), ("squared_hinge", "auto", "l2"), ("perceptron", "perceptron", "none")],
)
def test_margins_are_calibrated(labels: str, method: str, settings: tuple[str, ...]) -> None:
    data, y = DATA[labels]
    half = np.arange(len(y)) < 200
    model = linnet.LinearClassifier(
        *settings, calibration=method, C=1.0 if "none" in settings else 0.1
    ).fit(data[half], y[half])
    sums_to_one(model, data, y)
    p = model.predict_proba(data[~half])
    shares = np.bincount(y[half]) / half.sum()
    uninformed = log_loss(y[~half], np.tile(shares, (len(p), 1)))
    clipped = np.clip(p, 0.02, 1)
    assert log_loss(y[~half], clipped / clipped.sum(axis=1, keepdims=True)) < uninformed
    if labels == "two":  # monotone in the score
        order = np.argsort(model.decision_function(data))
        assert (np.diff(model.predict_proba(data)[order, 1]) >= -1e-12).all()


def test_calibration_beats_the_raw_scores() -> None:
    """Scores far too large, as those of a perceptron that never comes to rest, are brought down."""
    half, data = np.arange(len(Y)) < 200, 10 * X
    model = linnet.Perceptron(average=False, calibration="sigmoid").fit(data[half], Y[half])
    raw = np.clip(model.decision_function(data[~half]), -30, 30)
    theirs = log_loss(Y[~half], 1 / (1 + np.exp(-raw)))
    assert log_loss(Y[~half], model.predict_proba(data[~half])) < 0.5 * theirs


def test_calibration_sees_only_held_out_scores() -> None:
    """Random labels: a model that fits them perfectly must not be believed."""
    rng = np.random.default_rng(0)
    data, y = rng.normal(size=(60, 200)), np.arange(60) % 2
    model = linnet.LinearSVM(C=100, calibration="sigmoid").fit(data, y)
    assert model.score(data, y) == 1
    assert np.abs(model.predict_proba(data) - 0.5).mean() < 0.25


def test_sigmoid_is_platts() -> None:
    """The minimum of the cross entropy with smoothed targets, by its gradient."""
    rng = np.random.default_rng(0)
    scores = rng.normal(size=50)
    positive = rng.random(50) < 1 / (1 + np.exp(-2 * scores))
    fit = fit_sigmoid(scores, positive, np.ones(50))
    n = positive.sum()
    target = np.where(positive, (n + 1) / (n + 2), 1 / (50 - n + 2))
    error = fit(scores) - target
    assert abs(error.sum()) < 1e-4
    assert abs(error @ scores) < 1e-4
    assert fit.a < 0


def test_isotonic_by_hand() -> None:
    fit = fit_isotonic(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 0, 1]) > 0, np.ones(4))
    np.testing.assert_allclose(fit(np.array([1.0, 2.0, 3.0, 4.0])), [0, 0.5, 0.5, 1])
    np.testing.assert_allclose(fit(np.array([-9.0, 1.5, 9.0])), [0, 0.25, 1])


def test_without_calibration_margins_have_no_probabilities() -> None:
    assert not hasattr(linnet.LinearSVM(), "predict_proba")
    assert hasattr(linnet.LinearSVM(calibration="isotonic"), "predict_proba")


@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_maximum_likelihood_naive_bayes_rules_labels_out(container: Any) -> None:
    counts = container(np.array([[3.0, 1, 0, 0], [1.0, 0, 2, 0], [0.0, 0, 4, 0]]))
    model = linnet.NaiveBayes(smoothing=0).fit(counts, ["a", "b", "b"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # the second word only with a, the third only with b; then both, and one never seen
        queries = container(np.array([[1.0, 1, 0, 0], [0, 0, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1]]))
        p = model.predict_proba(queries)
        log_p = model.predict_log_proba(queries)
        scores = model.decision_function(queries)
        labels = model.predict(queries)
    assert np.isfinite(p).all()
    assert not np.isnan(log_p).any()
    assert not np.isnan(scores).any()
    np.testing.assert_allclose(p, [[1, 0], [0, 1], [1 / 3, 2 / 3], [1 / 3, 2 / 3]])
    assert labels.tolist()[:2] == ["a", "b"]
    # an absent word of probability zero says nothing
    np.testing.assert_allclose(model.predict_proba(container(np.zeros((1, 4)))), [[1 / 3, 2 / 3]])


def test_joint_likelihood_with_the_coefficient() -> None:
    counts = np.array([[2.0, 1], [0, 3]])
    model = linnet.NaiveBayes(smoothing=1).fit(counts, [0, 1])
    without = model.joint_log_likelihood(counts)
    np.testing.assert_allclose(
        model.joint_log_likelihood(counts, coefficient=True) - without, np.log([[3.0, 3], [1, 1]])
    )
    np.testing.assert_allclose(
        without[0, 0], np.log(0.5) + 2 * np.log(3 / 5) + np.log(2 / 5), rtol=1e-6
    )
