"""The same objective values and predictions as scikit-learn, relative 1e-6."""

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn import linear_model, naive_bayes, svm
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import ConvergenceWarning

import linnet

from .. import problems
from .objectives import objective, weights_of, with_constant

X, Y = problems.noisy()
X3, Y3 = problems.noisy(n=120, labels=3, seed=1)
DATA = {"binary": (X, Y), "multiclass": (X3, Y3)}


def ours(structure: str, loss: str, learner: Any, penalty: str = "l2", **settings: Any) -> Any:
    settings = {"tol": 1e-10, "max_iter": 20_000} | settings
    return linnet.LinearClassifier(loss, learner, penalty, **settings).fit(*DATA[structure])


def fitted(peer: Any, data: Any, labels: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return peer.fit(data, labels)


def agrees(model: Any, peer_weights: Any, structure: str, loss: str, **terms: Any) -> None:
    data, labels = DATA[structure]
    we = objective(weights_of(model), data, labels, loss, **terms)
    they = objective(peer_weights, data, labels, loss, **terms)
    assert we == pytest.approx(they, rel=1e-6)
    scores = with_constant(data) @ peer_weights.T
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    ordered = np.sort(scores, axis=1)
    clear = ordered[:, -1] - ordered[:, -2] > 1e-3  # at the optimum of a hinge loss some are ties
    assert clear.mean() > 0.95
    np.testing.assert_array_equal(model.predict(data)[clear], scores.argmax(axis=1)[clear])


@pytest.mark.parametrize("structure", ["binary", "multiclass"])
@pytest.mark.parametrize("learner", ["newton", "lbfgs", "cg", "gradient", "dual"])
@pytest.mark.parametrize("C", [0.05, 1.0])
def test_logistic(structure: str, learner: str, C: float) -> None:
    data, labels = DATA[structure]
    peer = linear_model.LogisticRegression(
        C=C, fit_intercept=False, tol=1e-10, max_iter=5000, solver="newton-cg"
    ).fit(with_constant(data), labels)
    tol = 1e-7 if (structure, learner) == ("multiclass", "dual") else 1e-10  # float32 weights
    model = ours(structure, "logistic", learner, C=C, tol=tol)
    agrees(model, peer.coef_, structure, "logistic", c=C)


@pytest.mark.parametrize("structure", ["binary", "multiclass"])
@pytest.mark.parametrize("learner", ["newton", "lbfgs", "cg"])
def test_logistic_with_a_free_intercept(structure: str, learner: str) -> None:
    peer = linear_model.LogisticRegression(tol=1e-10, max_iter=5000, solver="newton-cg")
    model = ours(structure, "logistic", learner, penalize_intercept=False)
    agrees(
        model,
        weights_of(peer.fit(*DATA[structure])),
        structure,
        "logistic",
        penalised_intercept=False,
    )


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_support_vector_machine(loss: str, C: float) -> None:
    peer = fitted(
        svm.LinearSVC(C=C, loss=loss, fit_intercept=False, tol=1e-9, max_iter=200_000),
        with_constant(X),
        Y,
    )
    agrees(ours("binary", loss, "dual", C=C, tol=1e-9), peer.coef_, "binary", loss, c=C)


@pytest.mark.parametrize("learner", ["newton", "lbfgs", "cg", "dual"])
def test_squared_hinge_one_against_the_rest(learner: str) -> None:
    peer = fitted(svm.LinearSVC(fit_intercept=False, tol=1e-9, max_iter=200_000), with_constant(X3), Y3)
    model = ours("multiclass", "squared_hinge", learner)
    for label, (we, they) in enumerate(zip(weights_of(model), peer.coef_, strict=True)):
        values = [
            objective(w[None], X3, (label == Y3).astype(int), "squared_hinge") for w in (we, they)
        ]
        assert values[0] == pytest.approx(values[1], rel=1e-6)
    np.testing.assert_array_equal(model.predict(X3), peer.predict(with_constant(X3)))


def test_crammer_singer() -> None:
    peer = fitted(
        svm.LinearSVC(multi_class="crammer_singer", fit_intercept=False, tol=1e-9, max_iter=200_000),
        with_constant(X3),
        Y3,
    )
    agrees(ours("multiclass", "hinge", "dual", tol=1e-7), peer.coef_, "multiclass", "hinge")


@pytest.mark.parametrize("learner", ["coordinate", "owlqn"])
def test_l1_squared_hinge(learner: str) -> None:
    peer = fitted(
        svm.LinearSVC(penalty="l1", dual=False, fit_intercept=False, tol=1e-9, max_iter=200_000, C=0.3),
        with_constant(X),
        Y,
    )
    model = ours("binary", "squared_hinge", learner, "l1", C=0.3)
    agrees(model, peer.coef_, "binary", "squared_hinge", c=0.3, l1_ratio=1.0)


@pytest.mark.parametrize("ratio", [0.3, 0.9])
@pytest.mark.parametrize("learner", ["coordinate", "owlqn"])
def test_elastic_net(learner: str, ratio: float) -> None:
    peer = elastic_net(ratio).fit(with_constant(X), Y)
    model = ours("binary", "logistic", learner, "elasticnet", C=0.3, l1_ratio=ratio)
    agrees(model, peer.coef_, "binary", "logistic", c=0.3, l1_ratio=ratio)


def test_elastic_net_over_several_labels() -> None:
    peer = elastic_net(0.6).fit(with_constant(X3), Y3)
    model = ours("multiclass", "logistic", "owlqn", "elasticnet", C=0.3, l1_ratio=0.6)
    agrees(model, peer.coef_, "multiclass", "logistic", c=0.3, l1_ratio=0.6)


def elastic_net(ratio: float) -> Any:
    settings: dict[str, Any] = {"C": 0.3, "l1_ratio": ratio, "solver": "saga"}
    return linear_model.LogisticRegression(
        **settings, **ELASTIC, fit_intercept=False, tol=1e-12, max_iter=50_000
    )


# scikit-learn 1.8 reads the penalty off l1_ratio
ELASTIC = (
    {}
    if linear_model.LogisticRegression().get_params()["l1_ratio"] is not None
    else {"penalty": "elasticnet"}
)


def test_naive_bayes() -> None:
    counts, labels = problems.topics()
    counts = counts.copy()
    counts.data = 1.0 + (np.arange(counts.nnz) % 3)
    for variant, peer in (
        ("multinomial", naive_bayes.MultinomialNB(alpha=0.7)),
        ("bernoulli", naive_bayes.BernoulliNB(alpha=0.7)),
        ("complement", naive_bayes.ComplementNB(alpha=0.7)),
    ):
        model = linnet.NaiveBayes(variant, smoothing=0.7).fit(counts, labels)
        peer.fit(counts, labels)
        np.testing.assert_array_equal(model.predict(counts), peer.predict(counts))
        if variant == "multinomial":
            np.testing.assert_allclose(model.coef_, peer.feature_log_prob_, rtol=1e-12)
            np.testing.assert_allclose(model.intercept_, peer.class_log_prior_, rtol=1e-12)
        if variant == "bernoulli":
            absent = np.log1p(-np.exp(peer.feature_log_prob_))
            np.testing.assert_allclose(model.coef_, peer.feature_log_prob_ - absent, rtol=1e-9)
            np.testing.assert_allclose(
                model.intercept_, peer.class_log_prior_ + absent.sum(axis=1), rtol=1e-9
            )
        if variant == "complement":
            np.testing.assert_allclose(model.coef_, peer.feature_log_prob_, rtol=1e-12)
        else:
            np.testing.assert_allclose(
                model.predict_proba(counts), peer.predict_proba(counts), atol=1e-6
            )
            np.testing.assert_allclose(
                model.joint_log_likelihood(counts), peer.predict_joint_log_proba(counts), rtol=1e-6
            )


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration_is_about_theirs(method: str) -> None:
    data, labels = problems.noisy(n=400, seed=3)
    model = linnet.LinearSVM(calibration=method).fit(data, labels)
    peer = CalibratedClassifierCV(
        svm.LinearSVC(loss="hinge", max_iter=100_000), method=method, cv=5, ensemble=False
    ).fit(data, labels)
    difference = model.predict_proba(data) - peer.predict_proba(data)
    assert np.abs(difference).mean() < {"sigmoid": 0.01, "isotonic": 0.06}[method]


@pytest.mark.parametrize(
    ("loss", "learner", "penalty"),
    [
        ("logistic", "newton", "l2"),
        ("logistic", "lbfgs", "none"),
        ("logistic", "dual", "l2"),
        ("logistic", "owlqn", "elasticnet"),
        ("logistic", "coordinate", "l1"),
        ("squared_hinge", "newton", "l2"),
        ("squared_hinge", "dual", "l2"),
        ("squared", "lbfgs", "l2"),
        ("exponential", "lbfgs", "l2"),
        ("softmax_margin", "cg", "l2"),
        ("hinge", "dual", "l2"),
    ],
)
@pytest.mark.parametrize("structure", ["binary", "multiclass"])
def test_weights_are_repetitions(structure: str, loss: str, learner: str, penalty: str) -> None:
    """Instances weighted by whole numbers, and classes, equal instances repeated."""
    data, labels = DATA[structure]
    times = 1 + np.arange(len(labels)) % 3
    factors = np.where(labels == 1, 2, 1)
    repeated = np.repeat(np.arange(len(labels)), times * factors)
    settings = {"C": 1.0 if penalty == "none" else 0.5, "tol": 1e-8, "max_iter": 20_000}
    weighted = linnet.LinearClassifier(loss, learner, penalty, class_weight={1: 2}, **settings)
    weighted.fit(data, labels, sample_weight=times.astype(float))
    plain = linnet.LinearClassifier(loss, learner, penalty, **settings)
    plain.fit(data[repeated], labels[repeated])
    np.testing.assert_allclose(weights_of(weighted), weights_of(plain), atol=2e-3)
    assert weighted.record_.objective == pytest.approx(plain.record_.objective, rel=1e-6)


def test_counting_weights_are_repetitions() -> None:
    data, labels = problems.topics()
    times = 1 + np.arange(len(labels)) % 3
    repeated = np.repeat(np.arange(len(labels)), times)
    weighted = linnet.NaiveBayes().fit(data, labels, sample_weight=times)
    plain = linnet.NaiveBayes().fit(data[repeated], labels[repeated])
    np.testing.assert_allclose(weights_of(weighted), weights_of(plain), rtol=1e-12)


@pytest.mark.parametrize("settings", [{"fit_intercept": False}, {"intercept_scaling": 3.0}])
@pytest.mark.parametrize(
    ("variant", "peer"),
    [("multinomial", naive_bayes.MultinomialNB), ("bernoulli", naive_bayes.BernoulliNB)],
)
def test_the_prior_of_naive_bayes_is_no_intercept_to_scale(
    settings: Any, variant: str, peer: Any
) -> None:
    counts = np.random.default_rng(0).poisson(0.5, (40, 6))
    y = np.arange(40) % 3 > 0
    ours = linnet.NaiveBayes(variant, **settings).fit(counts, y)
    np.testing.assert_allclose(ours.predict_proba(counts), peer().fit(counts, y).predict_proba(counts))


@pytest.mark.parametrize("labels", [2, 3])
def test_balanced_classes_of_weighted_instances(labels: int) -> None:
    """Repeated and weighted instances are the same, balanced or not."""
    rng = np.random.default_rng(0)
    X, y, times = rng.normal(size=(60, 4)), np.arange(60) % labels, rng.integers(4, size=60)
    model = linnet.LogisticRegression(class_weight="balanced", tol=1e-10, penalize_intercept=False)
    weighted = model.fit(X, y, sample_weight=times).coef_
    rows = np.repeat(np.arange(60), times)
    np.testing.assert_allclose(weighted, model.fit(X[rows], y[rows]).coef_, atol=1e-6)
    peer = linear_model.LogisticRegression(class_weight="balanced", tol=1e-10, max_iter=1000)
    np.testing.assert_allclose(weighted, peer.fit(X[rows], y[rows]).coef_, atol=1e-5)


def test_class_weights_one_against_the_rest() -> None:
    """LIBLINEAR weighs the one, we weigh each by its own class: the same with weights for ours."""
    factors = np.array([3.0, 0.5, 1.0])
    peer = svm.LinearSVC(class_weight=dict(enumerate(factors)), tol=1e-9, max_iter=10**6)
    theirs = fitted(peer, X3, Y3).coef_
    settings: dict[str, Any] = {"loss": "squared_hinge", "tol": 1e-10, "max_iter": 20_000}
    ours = linnet.LinearSVM(class_weight=dict(enumerate(factors)), **settings).fit(X3, Y3).coef_
    for label in range(3):
        one = linnet.LinearSVM(**settings).fit(
            X3, label == Y3, sample_weight=np.where(label == Y3, factors[label], 1)
        )
        np.testing.assert_allclose(one.coef_[0], theirs[label], atol=1e-5)
        each = linnet.LinearSVM(**settings).fit(X3, label == Y3, sample_weight=factors[Y3])
        np.testing.assert_allclose(each.coef_[0], ours[label], atol=1e-5)
