"""AdaBoost over stumps: against scikit-learn's over the same ones, a naive one, and its bound."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import AdaBoostClassifier

import linnet
from linnet.data import samples
from linnet.errors import DataError, RefusedError


def problem(seed: int, labels: int, n: int = 60, features: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Presence of features that mostly say what the label is."""
    rng = np.random.default_rng(seed)
    y = rng.integers(labels, size=n)
    likely = rng.random((labels, features)) * 0.8 + 0.1
    return (rng.random((n, features)) < likely[y]).astype(float), y


class Stump(ClassifierMixin, BaseEstimator):
    """The feature and the sign of least weighted error."""

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray) -> "Stump":
        self.classes_ = np.unique(y)
        sign, there = np.where(y == self.classes_[1], 1.0, -1.0), 2 * X - 1
        edges = (sample_weight * sign) @ there
        self.feature = int(np.abs(edges).argmax())
        self.sign = 1 if edges[self.feature] >= 0 else -1
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        yes = self.sign * (2 * X[:, self.feature] - 1) > 0
        return self.classes_[yes.astype(int)]


@pytest.mark.parametrize("seed", range(4))
def test_the_same_stumps_and_weights_as_scikit_learn(seed: int) -> None:
    X, y = problem(seed, 2)
    weights = np.random.default_rng(seed).random(len(y)) + 0.5  # no two stumps are alike
    peer = AdaBoostClassifier(Stump(), n_estimators=15).fit(X, y, sample_weight=weights)
    ours = linnet.AdaBoost("discrete", max_iter=15).fit(X, y, sample_weight=weights)
    assert ours.record_.facts["stumps"]["feature"] == [s.feature for s in peer.estimators_]
    expected = np.zeros(X.shape[1])
    intercept = 0.0
    for stump, alpha in zip(peer.estimators_, peer.estimator_weights_, strict=True):
        expected[stump.feature] += stump.sign * alpha  # α of SAMME is twice ours, and 2x − 1 twice x
        intercept -= stump.sign * alpha / 2
    assert ours.coef_[0] == pytest.approx(expected, abs=1e-9)
    assert ours.intercept_[0] == pytest.approx(intercept, abs=1e-9)
    assert (ours.predict(X) == peer.predict(X)).all()


def naive(
    X: np.ndarray, y: np.ndarray, labels: int, rounds: int, real: bool
) -> tuple[list[int], list[float], np.ndarray]:
    """AdaBoost.MH as in the paper: all weights, all stumps, every round."""
    features = X.shape[1]
    sign = np.where(y[:, None] == np.arange(labels), 1.0, -1.0)
    if labels == 2:
        sign = sign[:, 1:]
    smoothing = 1 / (2 * sign.size)
    D = np.full(sign.shape, 1 / sign.size)
    chosen, factors, scores = [], [], np.zeros(sign.shape)
    for _ in range(rounds):
        best = None
        for f in range(features):
            sides = [X[:, f] == 0, X[:, f] == 1]
            yes = np.array([(D * (sign > 0))[side].sum(axis=0) for side in sides])
            no = np.array([(D * (sign < 0))[side].sum(axis=0) for side in sides])
            if real:
                quality = 2 * np.sqrt(yes * no).sum()
                c = np.log((yes + smoothing) / (no + smoothing)) / 2
            else:
                edge = (yes - no)[1] - (yes - no)[0]
                error = (1 - np.abs(edge).sum()) / 2
                quality, alpha = error, np.log((1 - error) / error) / 2
                c = np.array([-np.where(edge < 0, -1, 1), np.where(edge < 0, -1, 1)]) * alpha
            if best is None or quality < best[0]:
                best = quality, f, c
        _, f, c = best
        answers = c[X[:, f].astype(int)]
        D = D * np.exp(-sign * answers)
        factors.append(float(D.sum()))
        D /= D.sum()
        scores += answers
        chosen.append(f)
    return chosen, factors, scores


@pytest.mark.parametrize("real", [True, False])
@pytest.mark.parametrize("labels", [2, 4])
def test_against_the_algorithm_of_the_paper(labels: int, real: bool) -> None:
    X, y = problem(3, labels, n=80)
    chosen, factors, scores = naive(X, y, labels, 12, real)
    model = linnet.AdaBoost("real" if real else "discrete", max_iter=12).fit(X, y)
    facts = model.record_.facts
    assert facts["stumps"]["feature"] == chosen
    assert facts["stumps"]["z"] == pytest.approx(factors)
    assert model._scores(X) == pytest.approx(scores, abs=1e-5)


@given(st.integers(0, 10_000), st.integers(2, 5), st.sampled_from(["real", "discrete"]))
@settings(max_examples=30, deadline=None)
def test_errors_are_within_the_bound(seed: int, labels: int, stumps: str) -> None:
    X, y = problem(seed, labels, n=40, features=8)
    if len(np.unique(y)) < 2:
        return
    model = linnet.AdaBoost(stumps, max_iter=20, diagnostics=False).fit(X, y)
    facts = model.record_.facts
    error = (model.predict(X) != y).mean()
    assert error <= facts["error"] + 1e-12 <= facts["bound"] + 1e-9
    product = float(np.prod(facts["stumps"]["z"]))
    width = model.model_.width
    assert facts["bound"] == pytest.approx(product * (1 if width == 1 else width / 2))
    # the product is the mean exponential loss
    scores = model.model_.scores(X)
    codes = np.searchsorted(model.classes_, y)
    sign = np.where(codes[:, None] == (np.arange(width) if width > 1 else 1), 1, -1)
    assert np.exp(-sign * scores).mean() == pytest.approx(product, rel=1e-4)


def test_many_rounds_stay_exact() -> None:
    X, y = problem(5, 3, n=100, features=30)
    model = linnet.AdaBoost(max_iter=400, diagnostics=False).fit(csr_matrix(X), y)
    product = float(np.prod(model.record_.facts["stumps"]["z"]))
    sign = np.where(y[:, None] == np.arange(3), 1, -1)
    assert np.exp(-sign * model.model_.scores(X)).mean() == pytest.approx(product, rel=1e-3)


def test_margins_grow_when_errors_are_gone() -> None:
    X, y = problem(1, 2, n=60, features=40)
    few = linnet.AdaBoost("discrete", max_iter=20, diagnostics=False).fit(X, y).record_.facts
    many = linnet.AdaBoost("discrete", max_iter=300, diagnostics=False).fit(X, y).record_.facts
    assert few["error"] == many["error"] == 0  # and yet (Schapire et al. 1998)
    assert many["margins"]["smallest"] > few["margins"]["smallest"]
    assert -1 <= many["margins"]["smallest"] <= many["margins"]["median"] <= 1


def test_values_other_than_0_and_1_are_refused() -> None:
    model = linnet.LinearClassifier("exponential", "adaboost", "none")
    with pytest.raises(ValueError, match=r"feature 1 of row 0 is 2; use the estimator AdaBoost"):
        model.fit(np.array([[0.0, 2.0], [1.0, 0.0]]), [0, 1])


def test_settings_are_checked() -> None:
    X, y = problem(0, 2)
    with pytest.raises(ValueError, match="stumps must be 'real' or 'discrete'"):
        linnet.AdaBoost("tall").fit(X, y)


def test_texts() -> None:
    texts, labels = samples.load("verse-train")
    model = linnet.TextClassifier(learner="adaboost", max_iter=60).fit(texts, labels)
    preset = linnet.TextClassifier(classifier=linnet.AdaBoost(max_iter=60)).fit(texts, labels)
    assert model.loss_ == "exponential"
    assert (model.coef_ == preset.coef_).all()
    assert model.score(texts, labels) > 0.8
    assert model.predict_proba(texts[:5]).sum(axis=1) == pytest.approx(np.ones(5))
    why = model.explain(texts[0])
    assert why.bias + sum(p.contributions for p in why.pieces) == pytest.approx(why.scores)
    with pytest.raises(ValueError, match="stumps of AdaBoost see whether a feature is there"):
        linnet.TextClassifier(linnet.TextFeatures(tf="count"), learner="adaboost").fit(texts, labels)


@pytest.mark.parametrize("stumps", ["real", "discrete"])
@pytest.mark.parametrize("name", ["birds", "verse"])
def test_the_score_is_the_sum_of_what_stumps_answer(stumps: str, name: str, tmp_path: Path) -> None:
    """Every stump answers: where its word is there, and where it is not."""
    texts, labels = samples.load(f"{name}-train")
    model = linnet.TextClassifier(classifier=linnet.AdaBoost(stumps, max_iter=40)).fit(texts, labels)
    model.save(tmp_path / "m.linnet")
    names = model.get_feature_names_out()
    for one in (model, linnet.load(tmp_path / "m.linnet")):
        for text in texts[:5]:
            told = one.explain(text, by="stump")
            assert told.label == one.predict([text])[0]
            scores = one.explain(text).scores
            best = scores.max() if len(scores) > 1 else abs(scores[0])
            assert told.score == pytest.approx(best, abs=1e-4)
            assert sum(s.contribution for s in told.stumps) + told.others == pytest.approx(told.score)
            words = set(text.lower().split())
            for share in told.stumps:
                assert share.name in names
                assert share.name not in words or share.there
    # a single stump, by hand
    one = linnet.TextClassifier(classifier=linnet.AdaBoost(stumps, max_iter=1)).fit(texts, labels)
    (share,) = one.explain("nothing of all this", by="stump").stumps
    assert not share.there
    scores = one.explain("nothing of all this").scores
    best = scores.max() if len(scores) > 1 else abs(scores[0])
    assert share.contribution == pytest.approx(best, abs=1e-5)


def test_stumps_are_of_adaboost_alone() -> None:
    texts, labels = samples.load("verse-train")
    for model in (linnet.TextClassifier(), linnet.TextClassifier(learner="adaboost", max_iter=9)):
        fitted = model.fit(texts, labels)
        if model.learner == "adaboost":
            fitted = fitted.quantize()
        with pytest.raises(ValueError, match="by='stump' is of"):
            fitted.explain(texts[0], by="stump")


def test_refusals() -> None:
    X, y = problem(0, 2)
    with pytest.raises(RefusedError, match="does not start from given weights"):
        linnet.AdaBoost(warm_start=True).fit(X, y)
    with pytest.raises(RefusedError, match="does not take penalty 'l2'"):
        linnet.AdaBoost(penalty="l2").fit(X, y)
    with pytest.raises((DataError, ValueError), match="one class only"):
        linnet.AdaBoost().fit(X, np.zeros(len(y)))
