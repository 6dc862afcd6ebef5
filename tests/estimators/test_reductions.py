"""Several labels by problems of two: codes, votes, Kesler's construction."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.multiclass import OneVsOneClassifier

import linnet
from linnet.data import samples
from linnet.errors import RefusedError
from linnet.estimators.linear.reductions import kesler, output_code, pair_code, smallest_distance

from .. import problems

REDUCTIONS = ("pairs", "pairs_votes", "ecoc", "ecoc_votes", "kesler")


@pytest.fixture
def topics() -> tuple[np.ndarray, np.ndarray]:
    X, y = problems.topics()
    return np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float), np.asarray(y)


@pytest.mark.parametrize("multiclass", REDUCTIONS)
@pytest.mark.parametrize(
    ("loss", "learner", "penalty"),
    [
        ("hinge", "dual", "l2"),
        ("logistic", "newton", "l2"),
        ("perceptron", "perceptron", "none"),
        ("hinge", "pa", "none"),
        ("perceptron", "winnow", "none"),
        ("squared_hinge", "coordinate", "l1"),
    ],
)
def test_over_any_binary_learner(topics, multiclass, loss, learner, penalty) -> None:
    X, y = topics
    model = linnet.LinearClassifier(loss, learner, penalty, multiclass=multiclass).fit(X, y)
    assert model.score(X, y) > 0.7
    assert model.coef_.shape == (len(np.unique(y)), X.shape[1])
    assert model.record_.facts["reduction"] == multiclass


def test_all_pairs_are_those_of_scikit_learn(topics) -> None:
    X, y = topics
    settings = {"loss": "logistic", "learner": "newton", "C": 2.0, "tol": 1e-10}
    peer = OneVsOneClassifier(linnet.LinearClassifier(**settings)).fit(X, y)
    votes = linnet.LinearClassifier(**settings, multiclass="pairs_votes").fit(X, y)
    sums = linnet.LinearClassifier(**settings, multiclass="pairs").fit(X, y)
    assert (votes.predict(X) == peer.predict(X)).all()
    margins = np.array([one.decision_function(X) for one in peer.estimators_])
    expected = np.zeros((len(X), len(peer.classes_)))
    for column, (a, b) in zip(margins, combinations(range(len(peer.classes_)), 2), strict=True):
        expected[:, a] -= column
        expected[:, b] += column
    assert sums.decision_function(X) == pytest.approx(expected, abs=1e-5)


def test_codes() -> None:
    assert pair_code(4).shape == (4, 6)
    assert (np.abs(pair_code(4)).sum(axis=0) == 2).all()
    exhaustive = output_code(4, 0)
    assert exhaustive.shape == (4, 7)  # 2^(K − 1) − 1
    assert smallest_distance(exhaustive) == 4  # 2^(K − 2)
    assert len({tuple(c) for c in exhaustive.T} | {tuple(-c) for c in exhaustive.T}) == 14
    many = output_code(20, 3)
    assert many.shape == (20, 44)
    assert set(np.unique(many)) == {-1, 1}
    assert (np.abs(many.sum(axis=0)) < 20).all()
    brute = min(int((a != b).sum()) for a, b in combinations(many, 2))
    assert smallest_distance(many) == brute >= 10
    assert (output_code(20, 3) == many).all()
    assert not np.array_equal(output_code(20, 4), many)


def test_a_code_corrects_errors() -> None:
    """Hamming decoding finds the label though (d − 1) / 2 classifiers err."""
    codes = output_code(5, 0).astype(float)
    spoilt = (smallest_distance(output_code(5, 0)) - 1) // 2
    rng = np.random.default_rng(0)
    for label in range(5):
        for _ in range(20):
            word = codes[label].copy()
            word[rng.choice(codes.shape[1], spoilt, replace=False)] *= -1
            assert (codes @ word).argmax() == label


def test_kesler_is_the_multiclass_perceptron_over_constraints(topics) -> None:
    """One pass in order: on each violated constraint the gold label goes up, the other one down."""
    X, y = topics
    labels = len(np.unique(y))
    model = linnet.LinearClassifier(
        "perceptron", "perceptron", "none", multiclass="kesler", max_iter=3, shuffle=False
    ).fit(X, y)
    W = np.zeros((labels, X.shape[1] + 1))
    with_constant = np.hstack([np.ones((len(X), 1)), X])
    for _ in range(3):
        for x, gold in zip(with_constant, y, strict=True):
            for other in range(labels):
                if other != gold and W[gold] @ x <= W[other] @ x:
                    W[gold] += x
                    W[other] -= x
    assert model.coef_ == pytest.approx(W[:, 1:])
    assert model.intercept_ == pytest.approx(W[:, 0])


def test_the_worst_constraint_alone_is_the_multiclass_perceptron(topics) -> None:
    """Of each example the row of Kesler's that scores least: the joint learner, mistake for mistake."""
    X, y = topics
    labels = len(np.unique(y))
    joint = linnet.LinearClassifier(
        "perceptron", "perceptron", "none", multiclass="joint", max_iter=1, shuffle=False
    ).fit(X, y)
    rows = kesler(X, y.astype(np.int32), labels, 1.0).toarray().reshape(len(X), labels - 1, -1)
    w, mistakes = np.zeros(rows.shape[2]), 0
    for constraints, gold in zip(rows, y, strict=True):
        scores = constraints @ w
        worst = int(scores.argmin())
        if scores[worst] < 0 or (scores[worst] == 0 and worst < gold):  # ties: the earlier label
            w += constraints[worst]
            mistakes += 1
    assert mistakes == joint.record_.mistakes > 0
    found = w.reshape(-1, labels)
    assert pytest.approx(found[1:]) == joint.coef_.T
    assert joint.intercept_ == pytest.approx(found[0])


def test_kesler_with_hinge_is_the_machine_of_weston_and_watkins(topics) -> None:
    X, y = topics
    X = X[:, :6]
    labels = len(np.unique(y))
    model = linnet.LinearClassifier(
        "squared_hinge", "newton", multiclass="kesler", C=0.5, tol=1e-9, max_iter=5000
    ).fit(X, y)
    Z = np.hstack([np.ones((len(X), 1)), X])

    def objective(w: np.ndarray) -> float:
        W = w.reshape(labels, -1)
        scores = Z @ W.T
        margins = scores[np.arange(len(y)), y][:, None] - scores
        losses = np.maximum(0, 1 - margins) ** 2
        losses[np.arange(len(y)), y] = 0
        return 0.5 * (w @ w) + 0.5 * losses.sum()

    found = np.hstack([model.intercept_[:, None], model.coef_]).ravel()
    best = minimize(objective, np.zeros_like(found), method="L-BFGS-B", options={"maxiter": 2000})
    assert objective(found) == pytest.approx(best.fun, rel=1e-4)


def test_votes_are_saved_and_loaded(topics, tmp_path) -> None:
    X, y = topics
    for name in ("pairs_votes", "ecoc_votes", "pairs"):
        model = linnet.LinearClassifier("hinge", "dual", multiclass=name).fit(X, y)
        model.save(tmp_path / "model.linnet")
        loaded = linnet.load(tmp_path / "model.linnet")
        assert (loaded.decision_function(X) == model.decision_function(X)).all()


def test_texts_of_several_labels() -> None:
    texts, labels = samples.load("birds-train")
    for name in ("pairs", "ecoc", "kesler"):
        model = linnet.TextClassifier(multiclass=name).fit(texts, labels)
        assert model.score(texts, labels) > 0.9
        assert model.predict_proba(texts[:4]).sum(axis=1) == pytest.approx(np.ones(4))
        why = model.explain(texts[0])
        assert why.bias + sum(p.contributions for p in why.pieces) == pytest.approx(why.scores)
    logistic = linnet.TextClassifier(loss="logistic", multiclass="pairs").fit(texts, labels)
    assert logistic.calibrator_ is not None  # sums of margins are no log odds


def test_refusals(topics) -> None:
    X, y = topics
    model = linnet.LinearClassifier("hinge", multiclass="pairs")
    with pytest.raises(RefusedError, match="scores for held-out data"):
        model.fit(X, y, dev=(X, y))
    with pytest.raises(AttributeError, match="sums of margins"):
        linnet.LinearClassifier(multiclass="ecoc").fit(X, y).predict_proba(X)
    with pytest.raises(AttributeError, match="has no partial_fit"):
        linnet.LinearClassifier("hinge", "pa", "none", multiclass="pairs").partial_fit(X, y)
    with pytest.raises(ValueError, match="multiclass must be one of"):
        linnet.LinearClassifier(multiclass="trios").fit(X, y)
    with pytest.raises(RefusedError, match="describes all"):
        linnet.NaiveBayes(multiclass="pairs").fit(np.abs(X), y)
    calibrated = linnet.LinearClassifier(multiclass="pairs", calibration="sigmoid").fit(X, y)
    assert calibrated.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(len(X)))


def test_two_labels_are_one_problem() -> None:
    X, y = problems.disjunction()
    plain = linnet.LinearClassifier("hinge", "dual").fit(X, y)
    for name in REDUCTIONS:
        reduced = linnet.LinearClassifier("hinge", "dual", multiclass=name).fit(X, y)
        assert (reduced.coef_ == plain.coef_).all()
