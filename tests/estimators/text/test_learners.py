"""Every familiar learner over texts, also from a file; what the automatic choice does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import linnet
from linnet import TextClassifier
from linnet.errors import RefusedError
from linnet.features import TextFeatures

from ...birds import (
    ALL_BIRDS,
    ALL_TEXTS,
    BIRDS,
    HELD_BIRDS,
    HELD_TEXTS,
    SEVERAL,
    TEXTS,
    TWO_BIRDS,
    TWO_TEXTS,
)

WORDS = TextFeatures(word=(1, 1))
PRESETS = {
    "naive Bayes": linnet.NaiveBayes(),
    "Bernoulli naive Bayes": linnet.NaiveBayes(variant="bernoulli"),
    "complement naive Bayes": linnet.NaiveBayes(variant="complement"),
    "perceptron": linnet.Perceptron(),
    "voted perceptron": linnet.VotedPerceptron(),
    "Winnow": linnet.Winnow(),
    "positive Winnow": linnet.Winnow(variant="positive"),
    "passive-aggressive": linnet.PassiveAggressive(),
    "MIRA": linnet.MIRA(),
    "AROW": linnet.AROW(),
    "SVM": linnet.LinearSVM(),
    "SVM, squared": linnet.LinearSVM(loss="squared_hinge"),
    "logistic": linnet.LogisticRegression(C=20),
    "logistic, L1": linnet.LogisticRegression(penalty="l1", C=20),
    "logistic, SGD": linnet.LinearClassifier("logistic", "sgd", alpha=1e-4),
}


def words(name: str) -> TextFeatures:
    return TextFeatures(word=(1, 1), norm="none") if "naive" in name else WORDS


@pytest.mark.parametrize("features", ["auto", "words"])
@pytest.mark.parametrize("labels", [2, 6])
@pytest.mark.parametrize("name", PRESETS)
def test_every_learner(name: str, labels: int, features: str, tmp_path: Path) -> None:
    X, y = (TWO_TEXTS, TWO_BIRDS) if labels == 2 else (TEXTS, BIRDS)
    model = TextClassifier("auto" if features == "auto" else words(name), classifier=PRESETS[name])
    model.fit(X, y)
    assert model.score(X, y) > (0.6 if "Winnow" in name else 0.8)
    assert model.classes_.tolist() == sorted(set(y))
    assert model.choice_.loss == model.loss_ == PRESETS[name].loss
    assert any("as given" in line for line in model.choice_.why)
    probabilities = model.predict_proba(HELD_TEXTS)
    assert probabilities.shape == (len(HELD_TEXTS), labels)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict_log_proba(HELD_TEXTS), np.log(probabilities))
    model.save(tmp_path / "m")
    found = linnet.load(tmp_path / "m")
    np.testing.assert_array_equal(
        found.decision_function(HELD_TEXTS), model.decision_function(HELD_TEXTS)
    )
    np.testing.assert_array_equal(found.predict(HELD_TEXTS), model.predict(HELD_TEXTS))
    np.testing.assert_array_equal(found.predict_proba(HELD_TEXTS), probabilities)
    assert found.record_.loss == model.record_.loss


@pytest.mark.parametrize("name", [n for n in PRESETS if n != "voted perceptron"])
def test_every_learner_with_several_labels(name: str, tmp_path: Path) -> None:
    model = TextClassifier(words(name), classifier=PRESETS[name]).fit(TEXTS, SEVERAL)
    assert model.score(TEXTS, [model.predict([text])[0] for text in TEXTS]) == 1.0
    loose = ("positive Winnow", "complement naive Bayes", "logistic, SGD")
    assert model.score(TEXTS, SEVERAL) > (-1 if name in loose else 0.2)
    model.save(tmp_path / "m")
    found = linnet.load(tmp_path / "m")
    np.testing.assert_array_equal(found.decision_function(TEXTS), model.decision_function(TEXTS))
    assert found.predict(TEXTS) == model.predict(TEXTS)


def test_scores_are_rows_times_weights() -> None:
    for name, classifier in PRESETS.items():
        if name == "voted perceptron":
            continue
        model = TextClassifier(classifier=classifier).fit(TWO_TEXTS, TWO_BIRDS)
        rows = model.features_.rows(HELD_TEXTS).scipy()
        scores = rows @ model.coef_.T.astype(np.float64) + model.intercept_
        expected = scores[:, 0] if scores.shape[1] == 1 else scores[:, 1] - scores[:, 0]
        np.testing.assert_allclose(model.decision_function(HELD_TEXTS), expected, atol=2e-3)


# ---------------------------------------------------------------------- the automatic choice


def test_choice_tells_why() -> None:
    two = TextClassifier().fit(TWO_TEXTS, TWO_BIRDS)
    assert two.choice_.loss == two.loss_ == "squared_hinge"
    assert two.features_.scale == "nb"
    assert len(two.choice_.why) == 3
    assert "80 texts of" in two.choice_.why[0]
    assert str(two.choice_) == "\n".join(two.choice_.why)
    many = TextClassifier().fit(TEXTS, BIRDS)
    assert many.choice_.loss == "hinge"
    assert many.features_.scale == "idf"
    several = TextClassifier().fit(TEXTS, SEVERAL)
    assert several.choice_.loss == "logistic"
    assert several.features_.scale == "idf"
    assert "each label by itself" in several.choice_.why[1]


def test_choice_goes_by_length() -> None:
    long = [" ".join(ALL_TEXTS[10 * i : 10 * i + 10]) for i in range(30)]
    labels = [i % 3 for i in range(30)]
    chosen = TextClassifier().fit(long, labels).features_
    assert (chosen.word, chosen.chars_wb, chosen.lead, chosen.min_df) == ((1, 2), None, 0, 2)
    short = TextClassifier().fit([text[:40] for text in TEXTS], BIRDS).features_
    assert (short.chars_wb, short.chars_first, short.mix) == ((2, 5), 128, {"lead": 0.5})
    middle = TextClassifier().fit([text + text + text for text in TEXTS], BIRDS).features_
    assert (middle.chars_wb, middle.chars_first) == ((3, 4), 64)


def test_settings_given_stay() -> None:
    model = TextClassifier(WORDS, "logistic", "lbfgs", C=3.0, tol=1e-3).fit(TEXTS, BIRDS)
    choice = model.choice_
    assert (choice.loss, choice.learner, choice.C, choice.tol) == ("logistic", "lbfgs", 3.0, 1e-3)
    assert choice.why == ["C: 3"]
    assert model.get_params()["features"] is WORDS
    assert not hasattr(WORDS, "_features")  # it works on a copy


def test_naive_bayes_gets_counts() -> None:
    model = TextClassifier(classifier=linnet.NaiveBayes()).fit(TWO_TEXTS, TWO_BIRDS)
    rows = model.features_.rows(TWO_TEXTS)
    np.testing.assert_array_equal(rows.values, np.rint(rows.values))
    by_name = TextClassifier(loss="joint_likelihood", penalty="none").fit(TWO_TEXTS, TWO_BIRDS)
    np.testing.assert_array_equal(by_name.coef_, model.coef_)


def test_bernoulli_sees_what_is_there() -> None:
    bernoulli = linnet.NaiveBayes(variant="bernoulli")
    with pytest.raises(ValueError, match="Bernoulli naive Bayes sees whether"):
        TextClassifier(WORDS, classifier=bernoulli).fit(TEXTS, BIRDS)
    model = TextClassifier(classifier=bernoulli).fit(TEXTS, BIRDS)
    X = model.features_.rows(HELD_TEXTS).scipy()
    peer = linnet.NaiveBayes(variant="bernoulli").fit(model.features_.rows(TEXTS).scipy(), BIRDS)
    np.testing.assert_allclose(model.predict_proba(HELD_TEXTS), peer.predict_proba(X), atol=1e-4)


def test_held_out_birds_are_told_apart() -> None:
    model = TextClassifier().fit(ALL_TEXTS[:600], ALL_BIRDS[:600])
    assert model.score(HELD_TEXTS, HELD_BIRDS) > 0.75
    probabilities = model.predict_proba(HELD_TEXTS)
    at = np.searchsorted(model.classes_, HELD_BIRDS)
    likelihood = np.log(probabilities[np.arange(len(at)), at]).mean()
    assert likelihood > np.log(1 / 6) / 2


# ---------------------------------------------------------------------- naive Bayes ratios by label


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_ratios_of_each_label_as_written_out(loss: str) -> None:
    features = TextFeatures(word=(1, 1), scale="nb", alpha=0.5)
    model = TextClassifier(features, loss, C=2.0, tol=1e-8).fit(TEXTS, BIRDS)
    plain = TextFeatures(word=(1, 1))
    X = plain.fit_rows(TEXTS).scipy().toarray().astype(np.float64)
    assert list(plain.names) == list(model.features_.names)
    y = np.array(BIRDS)
    for k, bird in enumerate(model.classes_):
        seen = X > 0
        p, q = 0.5 + seen[y == bird].sum(axis=0), 0.5 + seen[y != bird].sum(axis=0)
        r = np.log(p / p.sum()) - np.log(q / q.sum())
        part = linnet.LinearClassifier(loss, C=2.0, tol=1e-8, intercept_scaling=0.3)
        part.fit((X * r).astype(np.float32), (y == bird).astype(int))
        scores = X @ (part.coef_[0] * r) + part.intercept_
        np.testing.assert_allclose(model.decision_function(TEXTS)[:, k], scores, atol=2e-3)


def test_ratios_of_two_labels_are_in_the_rows() -> None:
    model = TextClassifier(TextFeatures(scale="nb"), "logistic").fit(TWO_TEXTS, TWO_BIRDS)
    assert model.model_.width == 1
    assert (model.features_.rows(TWO_TEXTS).values < 0).any()


# ---------------------------------------------------------------------- weights


EXACT = [
    linnet.LogisticRegression(C=2.0, tol=1e-10),
    linnet.LinearSVM(C=2.0, loss="squared_hinge", tol=1e-10),
    linnet.NaiveBayes(),
]


@pytest.mark.parametrize("classifier", EXACT, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("labels", [2, 6])
def test_a_weight_of_two_is_the_text_twice(classifier: linnet.LinearClassifier, labels: int) -> None:
    X, y = (TWO_TEXTS, TWO_BIRDS) if labels == 2 else (TEXTS, BIRDS)
    weights = 1 + (np.arange(len(X)) % 3 == 0)
    once = TextClassifier(WORDS, classifier=classifier).fit(X, y, sample_weight=weights)
    order = np.repeat(np.arange(len(X)), weights)
    twice = TextClassifier(WORDS, classifier=classifier)
    twice.fit([X[i] for i in order], [y[i] for i in order])
    np.testing.assert_allclose(
        once.decision_function(HELD_TEXTS), twice.decision_function(HELD_TEXTS), atol=1e-4
    )


def test_class_weights() -> None:
    factors = {"linnet": 3.0, "owl": 0.5}
    weights = [factors.get(bird, 1.0) for bird in BIRDS]
    by_weight = TextClassifier(WORDS).fit(TEXTS, BIRDS, sample_weight=weights)
    by_class = TextClassifier(WORDS, class_weight=factors).fit(TEXTS, BIRDS)
    np.testing.assert_array_equal(by_class.coef_, by_weight.coef_)
    inner = linnet.LinearSVM(class_weight=factors, tol=0.05, intercept_scaling=0.3)
    within = TextClassifier(WORDS, classifier=inner).fit(TEXTS, BIRDS)
    np.testing.assert_array_equal(within.coef_, by_weight.coef_)
    balanced = TextClassifier(WORDS, class_weight="balanced").fit(TEXTS, BIRDS)
    count = {bird: BIRDS.count(bird) for bird in set(BIRDS)}
    weights = [120 / (6 * count[bird]) for bird in BIRDS]
    by_weight.fit(TEXTS, BIRDS, sample_weight=weights)
    np.testing.assert_array_equal(balanced.coef_, by_weight.coef_)
    stream = TextClassifier(class_weight={"linnet": 3.0, "parrot": 9.0}).partial_fit(TEXTS, BIRDS)
    given = TextClassifier().partial_fit(
        TEXTS, BIRDS, sample_weight=[3.0 if bird == "linnet" else 1.0 for bird in BIRDS]
    )
    np.testing.assert_array_equal(stream.coef_, given.coef_)


# ---------------------------------------------------------------------- threads


@pytest.mark.parametrize("kind", ["two", "six", "several", "stream", "nb"])
def test_same_bits_for_any_number_of_threads(kind: str) -> None:
    found = []
    for jobs in (1, 2, 3):
        model = TextClassifier(TextFeatures(scale="nb") if kind == "nb" else "auto", n_jobs=jobs)
        if kind == "stream":
            for begin in range(0, 120, 40):
                model.partial_fit(TEXTS[begin : begin + 40], BIRDS[begin : begin + 40])
        elif kind == "two":
            model.fit(TWO_TEXTS, TWO_BIRDS)
        else:
            model.fit(TEXTS, SEVERAL if kind == "several" else BIRDS)
        found.append((model.model_.weights.tobytes(), model.decision_function(HELD_TEXTS).tobytes()))
        found.append((found[-1][0], model.set_params(n_jobs=3).decision_function(HELD_TEXTS).tobytes()))
    assert len(set(found)) == 1


def test_a_hard_cell_is_refused_with_its_reason() -> None:
    with pytest.raises(RefusedError, match="counting"):
        TextClassifier(WORDS, loss="hinge", learner="counting").fit(TEXTS, BIRDS)


@pytest.mark.parametrize("C", [1e2, 1e3, 1e4, 1e6])
def test_strong_logistic_regression_converges(C: float) -> None:
    dual = TextClassifier("auto", "logistic", "dual", C=C).fit(TWO_TEXTS, TWO_BIRDS)  # warns if not
    newton = TextClassifier("auto", "logistic", "newton", C=C, tol=1e-6).fit(TWO_TEXTS, TWO_BIRDS)
    best = newton.record_.epochs[-1].objective
    assert best * 0.99 < dual.record_.epochs[-1].objective < best * 1.06


def test_elimination_gets_what_is_0_or_1() -> None:
    model = TextClassifier(loss="perceptron", learner="elimination", penalty="none")
    model.fit(TWO_TEXTS, TWO_BIRDS)
    assert set(model.features_.rows(TWO_TEXTS).values.tolist()) == {1.0}
