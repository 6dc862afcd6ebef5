"""Held-out data: early stopping, the best weights kept, steps reduced when the likelihood falls."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import linnet
from linnet import learners
from linnet.errors import DataError, TrainingWarning

from .. import problems

X, Y = problems.noisy(n=200, features=30, seed=2)
TRAIN, DEV = slice(0, 100), slice(100, 200)


def dev_scores(model: Any) -> list[float]:
    return [epoch.dev_score for epoch in model.record_.epochs]


@pytest.mark.parametrize(
    ("learner", "penalty"), [("perceptron", "none"), ("sgd", "l2"), ("lbfgs", "l2"), ("dual", "l2")]
)
@pytest.mark.parametrize("metric", ["accuracy", "macro_f1"])
def test_the_best_weights_are_kept(learner: str, penalty: str, metric: str) -> None:
    loss = "logistic" if learner == "lbfgs" else "perceptron" if learner == "perceptron" else "hinge"
    model = linnet.LinearClassifier(
        loss, learner, penalty, C=1 if penalty == "none" else 10, dev_metric=metric, patience=4
    )
    model.fit(X[TRAIN], Y[TRAIN], dev=(X[DEV], Y[DEV]))
    scores = dev_scores(model)
    best = int(np.argmax(scores))
    if model.record_.stopped == "dev score":
        assert len(scores) == best + 1 + 4
    if metric == "accuracy":
        assert model.score(X[DEV], Y[DEV]) == pytest.approx(max(scores))


def test_any_function_is_a_metric() -> None:
    def second(y: Any, predicted: Any) -> float:
        return float((predicted[y == 1] == 1).mean())

    model = linnet.Perceptron(dev_metric=second).fit(X[TRAIN], Y[TRAIN], dev=(X[DEV], Y[DEV]))
    recall = (model.predict(X[DEV])[Y[DEV] == 1] == 1).mean()
    assert recall == pytest.approx(max(dev_scores(model)))


def test_a_share_is_split_off() -> None:
    model = linnet.Perceptron(early_stopping=True, validation_fraction=0.5, patience=1).fit(X, Y)
    assert None not in dev_scores(model)
    # what is held out is not trained on, nor counted in the diagnostics
    smooth = linnet.LogisticRegression(early_stopping=True, validation_fraction=0.5).fit(X, Y)
    assert smooth.record_.diagnostics["errors"] <= 100
    again = linnet.Perceptron(early_stopping=True, validation_fraction=0.5, patience=1).fit(X, Y)
    np.testing.assert_array_equal(model.coef_, again.coef_)


def test_without_held_out_data_nothing_is_held_out() -> None:
    model = linnet.Perceptron(max_iter=2).fit(X, Y)
    assert dev_scores(model) == [None, None]


def test_steps_are_reduced_when_the_likelihood_falls() -> None:
    learner = learners.SGD(step="reduce", eta0=2.0, factor=0.25)
    model = linnet.LinearClassifier("logistic", learner, alpha=1e-3, max_iter=15)
    model.fit(X[TRAIN], Y[TRAIN], dev=(X[DEV], Y[DEV]))
    scores = dev_scores(model)
    falls = int((np.diff(scores) < 0).sum())
    assert falls > 0
    assert model._stream.solver.learner.eta == pytest.approx(2.0 * 0.25**falls)
    constant = linnet.LinearClassifier(
        "logistic", learners.SGD(step="constant", eta0=2.0), alpha=1e-3, max_iter=15
    ).fit(X[TRAIN], Y[TRAIN])
    log_p = [m.predict_log_proba(X[DEV])[np.arange(100), Y[DEV]].mean() for m in (model, constant)]
    assert log_p[0] > log_p[1]
    assert learner.eta0 == 2.0  # a setting is never changed


def test_reduced_steps_split_off_data_of_their_own() -> None:
    model = linnet.LinearClassifier("logistic", learners.SGD(step="reduce"), max_iter=5).fit(X, Y)
    assert None not in dev_scores(model)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_the_gap_is_known_at_the_limit_too(loss: str, labels: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 20)), rng.integers(labels, size=60)
    model = linnet.LinearClassifier(loss, "dual", max_iter=2, tol=1e-12)
    with pytest.warns(TrainingWarning, match="2 epochs with a duality gap of"):
        model.fit(X, y)
    assert model.record_.stopped == "limit"
    assert model.record_.gap == pytest.approx(
        model.record_.objective - model.record_.epochs[-1].dual, rel=1e-6
    )
    assert model.record_.gap > 0


def test_too_few_rows_to_hold_some_out() -> None:
    model = linnet.LinearClassifier(learner="sgd", early_stopping=True)
    with pytest.raises(DataError, match=r"0\.1 of 6 rows cannot be held out.*give dev=\(X, y\)"):
        model.fit(np.eye(6), [0, 1, 2] * 2)


@pytest.mark.parametrize("C", [1.0, 1e4, 1e6])
@pytest.mark.parametrize("features", [300, 1500])
@pytest.mark.parametrize("learner", ["auto", "lbfgs", "newton", "dual"])
def test_converged_is_what_is(C, features, learner):
    """Where C is large a gradient may be small beside the first one, and float32 may not do."""
    rng = np.random.default_rng(1)
    X = sp.random(200, features, 0.03, "csr", np.float32, rng)
    y = (X @ rng.normal(size=(features, 3))).argmax(axis=1)
    found = linnet.LinearClassifier("logistic", learner, C=C, tol=1e-3).fit(X, y).record_
    best = linnet.LinearClassifier("logistic", "newton", C=C, tol=1e-9).fit(X, y).record_
    assert found.stopped == "converged"
    assert best.objective * (1 - 1e-6) <= found.objective <= best.objective * (1 + 1.1e-3)
