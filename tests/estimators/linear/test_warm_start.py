"""warm_start begins where the last fit ended, or is refused by learners that cannot."""

import numpy as np
import pytest

import linnet
from linnet.errors import DataError, RefusedError

from ... import problems

X, Y = problems.noisy()
X3, Y3 = problems.noisy(n=120, labels=3, seed=1)


@pytest.mark.parametrize("learner", ["lbfgs", "newton", "cg", "gradient"])
@pytest.mark.parametrize("labels", ["two", "three"])
def test_batch_learners_need_fewer_iterations(learner: str, labels: str) -> None:
    data, gold = (X, Y) if labels == "two" else (X3, Y3)
    model = linnet.LinearClassifier(learner=learner, warm_start=True, tol=1e-6).fit(data, gold)
    cold, weights = model.n_iter_, model.coef_.copy()
    model.fit(data, gold)
    assert model.n_iter_ < cold
    np.testing.assert_allclose(model.coef_, weights, atol=1e-3)
    model.set_params(C=1.1).fit(data, gold)
    fresh = linnet.LinearClassifier(learner=learner, tol=1e-6, C=1.1).fit(data, gold)
    assert model.n_iter_ <= fresh.n_iter_
    assert model.record_.objective == pytest.approx(fresh.record_.objective, rel=1e-6)


@pytest.mark.parametrize("learner", ["newton", "lbfgs"])
def test_one_against_the_rest_starts_each_label_from_its_column(learner: str) -> None:
    model = linnet.LinearClassifier("squared_hinge", learner, warm_start=True).fit(X3, Y3)
    cold = model.n_iter_
    assert model.fit(X3, Y3).n_iter_ < cold


def test_owlqn_keeps_zeros() -> None:
    model = linnet.LinearClassifier(learner="owlqn", penalty="l1", C=0.1, warm_start=True).fit(X, Y)
    zeros = model.coef_ == 0
    cold = model.n_iter_
    assert model.fit(X, Y).n_iter_ < cold
    np.testing.assert_array_equal(model.coef_ == 0, zeros)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "squared"])
@pytest.mark.parametrize("labels", ["two", "three"])
@pytest.mark.parametrize("penalize_intercept", [True, False])
def test_coordinate_descent_walks_a_path(loss: str, labels: str, penalize_intercept: bool) -> None:
    data, gold = (X, Y) if labels == "two" else (X3, Y3)

    def model(C: float, **settings: bool) -> linnet.LinearClassifier:
        return linnet.LinearClassifier(
            loss, "coordinate", "l1", C=C, tol=1e-7, penalize_intercept=penalize_intercept, **settings
        )

    path = model(0.01, warm_start=True)
    for C in (0.01, 0.1, 1.0, 0.05):  # back again, too
        path.set_params(C=C).fit(data, gold)
        cold = model(C).fit(data, gold)
        np.testing.assert_allclose(path.coef_, cold.coef_, atol=2e-3)
    assert path.fit(data, gold).n_iter_ <= cold.n_iter_


@pytest.mark.parametrize(
    ("loss", "learner", "penalty"),
    [("perceptron", "perceptron", "none"), ("hinge", "pa", "none"), ("logistic", "sgd", "l2")],
)
def test_online_learners_go_on(loss: str, learner: str, penalty: str) -> None:
    model = linnet.LinearClassifier(loss, learner, penalty, warm_start=True, max_iter=1, shuffle=False)
    twice = model.fit(X, Y).coef_.copy()
    twice = model.fit(X, Y).coef_.copy()
    if learner != "sgd":  # whose step sizes start anew
        whole = linnet.LinearClassifier(loss, learner, penalty, max_iter=2, shuffle=False).fit(X, Y)
        np.testing.assert_array_equal(twice, whole.coef_)


@pytest.mark.parametrize("labels", [Y3, Y3 % 2], ids=["three", "two"])
@pytest.mark.parametrize(
    ("loss", "learner", "penalty"),
    [("hinge", "dual", "l2"), ("squared_hinge", "dual", "l2")],
)
def test_refused(labels: np.ndarray, loss: str, learner: str, penalty: str) -> None:
    with pytest.raises(RefusedError, match=f"{learner} does not start from given weights: .*use"):
        linnet.LinearClassifier(loss, learner, penalty, warm_start=True).fit(X3, labels)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic", "squared"])
@pytest.mark.parametrize("penalty", ["l1", "l2", "none"])
def test_the_automatic_learner_can_start_warm(loss: str, penalty: str) -> None:
    C = 1.0 if penalty == "none" else 0.1
    model = linnet.LinearClassifier(loss, penalty=penalty, warm_start=True, C=C).fit(X, Y)
    first = model.coef_.copy()
    assert np.abs(model.fit(X, Y).coef_ - first).max() < 0.5


def test_other_labels_or_features() -> None:
    model = linnet.LinearClassifier(warm_start=True).fit(X, Y)
    with pytest.raises(DataError, match="X has 2 features, the fit before had 6"):
        model.fit(X[:, :2], Y)
    model = linnet.LinearClassifier(warm_start=True).fit(X, Y)
    with pytest.raises(DataError, match="labels are not those of the fit before"):
        model.fit(X, Y + 5)


def test_names_keep_their_places() -> None:
    model = linnet.LinearClassifier(warm_start=True, learner="newton", tol=1e-8)
    model.fit([{"red": 1}, {"tiny": 1}] * 3, [0, 1] * 3)
    model.fit([{"tiny": 1}, {"red": 1, "new": 1}] * 3, [1, 0] * 3)
    assert model.get_feature_names_out().tolist() == ["red", "tiny", "new"]
    fresh = linnet.LinearClassifier(learner="newton", tol=1e-8)
    fresh.fit([{"red": 1, "new": 1}, {"tiny": 1}] * 3, [0, 1] * 3)
    ours = dict(zip(model.get_feature_names_out(), model.coef_[0], strict=True))
    theirs = dict(zip(fresh.get_feature_names_out(), fresh.coef_[0], strict=True))
    assert ours == pytest.approx(theirs, abs=1e-4)


def test_a_refused_fit_leaves_the_model_alone() -> None:
    model = linnet.LogisticRegression(warm_start=True).fit([{"a": 1}, {"b": 1}], ["x", "y"])
    before = model.predict_proba([{"a": 1, "c": 1}])
    for X, y in (([{"c": 1}, {"d": 1}], ["x", "z"]), ([{"c": 1}], ["x", "y"]), ([{"c": 1}], ["x"])):
        with pytest.raises(ValueError, match=r".+"):
            model.fit(X, y)
        np.testing.assert_array_equal(model.predict_proba([{"a": 1, "c": 1}]), before)
