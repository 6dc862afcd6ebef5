"""Gradient steps on P(y|x), lazy L1, ties at margin 0 and step sizes, by hand."""

import numpy as np
import pytest

from linnet import LinearClassifier, LinearSVM, LogisticRegression, Perceptron
from linnet.learners import SGD

SENTENCES = ["A site , located in Maizuru , Kyoto", "Shoken , monk born in Kyoto"]
LABELS = [-1, 1]


def one_pass(loss: str, n: int) -> dict[str, float]:
    """The weights after the first n sentences, in order, steps of size 1."""
    model = LinearClassifier(
        loss, SGD(step="constant", eta0=1.0), "none", fit_intercept=False, shuffle=False
    )
    for words, label in zip(SENTENCES[:n], LABELS, strict=False):
        model.partial_fit([words.split()], [label], classes=[-1, 1])
    return dict(zip(model.get_feature_names_out(), model.coef_[0].tolist(), strict=True))


def test_the_first_step_along_the_gradient_of_the_probability() -> None:
    # P(1 − P) = ¼ at w = 0; the comma occurs twice.
    weights = one_pass("probability", 1)
    assert weights.pop(",") == -0.5
    assert weights == dict.fromkeys(["A", "site", "located", "in", "Maizuru", "Kyoto"], -0.25)


def test_the_second_step() -> None:
    slope = np.e / (1 + np.e) ** 2  # w·φ = −1
    assert slope == pytest.approx(0.19661, abs=5e-6)
    weights = one_pass("probability", 2)
    assert weights[","] == pytest.approx(-0.5 + slope, abs=1e-6)
    assert round(weights[","], 4) == -0.3034
    for word in ("in", "Kyoto"):
        assert round(weights[word], 4) == -0.0534
    for word in ("A", "site", "located", "Maizuru"):
        assert weights[word] == -0.25
    for word in ("Shoken", "monk", "born"):
        assert weights[word] == pytest.approx(slope, abs=1e-6)


def test_one_fit_makes_the_same_two_steps() -> None:
    model = LinearClassifier(
        "probability",
        SGD(step="constant", eta0=1.0),
        "none",
        fit_intercept=False,
        shuffle=False,
        max_iter=1,
    ).fit([s.split() for s in SENTENCES], LABELS)
    fitted = dict(zip(model.get_feature_names_out(), model.coef_[0].tolist(), strict=True))
    assert fitted == one_pass("probability", 2)


def test_the_gradient_of_the_log_probability_is_larger() -> None:
    # d log P = (1 − P) φ: a half where the probability itself moves by a quarter.
    weights = one_pass("logistic", 1)
    assert weights["in"] == -0.5
    assert weights[","] == -1


# ---------------------------------------------------------------- L1, regularise then update

TURNS = np.array([[1, 0], [0, 0], [0, 1], [0, 0], [1, 0], [0, 0]], float)
TURN_LABELS = np.array([1, -1, -1, 1, 1, -1])  # hinge loss: updates of +x or −x, none for empty rows
AFTER = [[1, 0], [0.9, 0], [0.8, -1], [0.7, -0.9], [1.6, -0.8], [1.5, -0.7]]


def l1_learner() -> LinearClassifier:
    return LinearClassifier(
        "hinge",
        SGD(step="constant", eta0=1.0),
        "l1",
        alpha=0.1,
        fit_intercept=False,
        shuffle=False,
        max_iter=1,
    )


def test_l1_turn_by_turn() -> None:
    model = l1_learner()
    for x, label, expected in zip(TURNS, TURN_LABELS, AFTER, strict=True):
        model.partial_fit(x[None], [label], classes=[-1, 1])
        np.testing.assert_allclose(model.coef_[0], expected, atol=1e-6)


def test_lazy_l1_is_settled_when_training_ends() -> None:
    # Weight 2 is last used on turn 3, weight 1 on turn 5: the rest is owed until the end.
    model = l1_learner().fit(TURNS, TURN_LABELS)
    np.testing.assert_allclose(model.coef_[0], [1.5, -0.7], atol=1e-6)
    np.testing.assert_allclose(model.decision_function([[1, 1]]), 0.8, atol=1e-6)


def test_l1_stops_at_zero() -> None:
    X = np.vstack([[1.0, 0.0], np.zeros((20, 2))])
    model = l1_learner().fit(X, [1] + [-1] * 20)
    assert model.coef_.tolist() == [[0, 0]]


# ---------------------------------------------------------------- ties


@pytest.mark.parametrize(("label", "moves"), [(-1, False), (1, True)])
def test_at_margin_zero_a_tie_moves_the_weights_exactly_when_its_prediction_is_wrong(label, moves):
    model = Perceptron(average=False, margin=0.0, fit_intercept=False)
    x = np.array([[2.0, 1.0]])
    model.partial_fit(x, [label], classes=[-1, 1])
    assert model.record_.mistakes == moves
    assert model.coef_.tolist() == ([[2, 1]] if moves else [[0, 0]])
    assert model.predict(x) == [label]
    assert model.predict(np.zeros((1, 2))) == [-1]


def test_with_a_margin_correct_answers_too_close_to_call_move_the_weights_too() -> None:
    model = Perceptron(average=False, margin=3.0, fit_intercept=False)
    x = np.array([[1.0]])
    # A score of exactly 3 ties with the earlier label and its cost: still too close.
    for expected in (1, 2, 3, 4, 4):
        model.partial_fit(x, [1], classes=[-1, 1])
        assert model.coef_.tolist() == [[expected]]
    assert model.record_.mistakes == 1
    assert [e.updates for e in model.record_.epochs] == [1, 1, 1, 1, 0]


# ---------------------------------------------------------------- small classifiers

POND = [["we", "met", "a", w, "by", "the", "pond"] for w in ("heron", "thief")]


def test_the_smallest_classifier_uses_the_telling_words_alone() -> None:
    hard = LinearSVM(C=np.inf, fit_intercept=False, tol=1e-9).fit(POND, [-1, 1])
    weights = dict(zip(hard.get_feature_names_out(), hard.coef_[0], strict=True))
    assert weights.pop("heron") == pytest.approx(-1)
    assert weights.pop("thief") == pytest.approx(1)
    np.testing.assert_allclose(list(weights.values()), 0, atol=1e-6)


def test_l1_leaves_no_other_word_in_the_model() -> None:
    sparse = LogisticRegression(penalty="l1", C=10.0, fit_intercept=False).fit(POND, [-1, 1])
    weights = dict(zip(sparse.get_feature_names_out(), sparse.coef_[0], strict=True))
    assert {w for w, value in weights.items() if value != 0} == {"heron", "thief"}


# ---------------------------------------------------------------- step sizes


def test_steps_of_one_over_c_plus_t() -> None:
    for offset in (0.0, 1.0, 4.0):
        model = LinearClassifier(
            "logistic", SGD(step="inverse", eta0=1.0, offset=offset), "none", fit_intercept=False
        )
        model.partial_fit([[1.0]], [1], classes=[-1, 1])
        w = 0.5 / (offset + 1)
        assert model.coef_[0, 0] == pytest.approx(w, rel=1e-6)
        model.partial_fit([[1.0]], [1], classes=[-1, 1])
        w += 1 / (1 + np.exp(w)) / (offset + 2)
        assert model.coef_[0, 0] == pytest.approx(w, rel=1e-6)


def overfitting() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 30))
    y = (X[:, 0] + 2 * rng.normal(size=60) > 0).astype(int)
    return X[:30], y[:30], X[30:], y[30:]


def test_the_step_shrinks_when_the_held_out_likelihood_falls_and_only_then() -> None:
    X, y, X_dev, y_dev = overfitting()
    learner = SGD(step="reduce", eta0=1.0, factor=0.5)
    model = LinearClassifier("logistic", learner, "none", max_iter=15, diagnostics=False)
    model.fit(X, y, dev=(X_dev, y_dev))
    scores = [e.dev_score for e in model.record_.epochs]
    falls = int((np.diff(scores) < 0).sum())
    assert falls > 0
    assert model.record_.facts["eta"] == pytest.approx(0.5**falls)
    assert len(scores) == 15


def test_the_step_stays_while_the_held_out_likelihood_rises() -> None:
    X, y, *_ = overfitting()
    learner = SGD(step="reduce", eta0=0.01)
    model = LinearClassifier("logistic", learner, "none", max_iter=5, diagnostics=False)
    model.fit(X, y, dev=(X, y))  # held-in: small steps raise its likelihood every time
    assert np.all(np.diff([e.dev_score for e in model.record_.epochs]) > 0)
    assert model.record_.facts["eta"] == pytest.approx(0.01)


def test_held_out_data_are_split_off_where_none_are_given() -> None:
    X, y, *_ = overfitting()
    learner = SGD(step="reduce", eta0=1.0)
    model = LinearClassifier("logistic", learner, max_iter=15, validation_fraction=0.5).fit(X, y)
    falls = int((np.diff([e.dev_score for e in model.record_.epochs]) < 0).sum())
    assert model.record_.facts["eta"] == pytest.approx(0.5**falls)
    # Diagnostics are those of the half that was trained on.
    assert 0 <= model.record_.diagnostics["conditional_entropy"] <= np.log(2)
    assert model.record_.diagnostics["errors"] <= 15
