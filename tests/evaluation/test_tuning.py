"""Tuning: scores equal those of fits by hand, features are shared, paths start warm."""

import json

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import linnet
from linnet.data import samples
from linnet.errors import DataError
from linnet.evaluation import Contender, compare, held_out, leave_one_out, stratified, tune

TEXTS, LABELS = samples.load("verse-train")
TEXTS, LABELS = TEXTS[::2], LABELS[::2]


class CountingVectorizer(CountVectorizer):
    """Remembers how often it was fitted."""

    fits = 0

    def fit_transform(self, texts, y=None):
        type(self).fits += 1
        return super().fit_transform(texts, y).astype(np.float64)

    def transform(self, texts):
        return super().transform(texts).astype(np.float64)


def logistic(**settings):
    return linnet.LogisticRegression(diagnostics=False, **settings)


def test_every_cell_is_scored_and_features_are_made_once_per_split() -> None:
    CountingVectorizer.fits = 0
    splits = stratified(LABELS, 3)
    seen = []
    found = tune(
        logistic,
        {"C": [0.001, 1.0]},
        TEXTS,
        LABELS,
        splits,
        make_features=CountingVectorizer,
        feature_grid={"min_df": [1, 2]},
        progress=seen.append,
    )
    assert CountingVectorizer.fits == 2 * 3
    assert len(seen) == 2 * 2 * 3
    assert [row.settings for row in found.rows] == [
        {"min_df": m, "C": C} for m in (1, 2) for C in (0.001, 1.0)
    ]
    right = 0
    for kept, held in splits:
        vectorizer = CountVectorizer(min_df=2)
        X = vectorizer.fit_transform([TEXTS[i] for i in kept]).astype(np.float64)
        model = logistic(C=1.0).fit(X, [LABELS[i] for i in kept])
        guess = model.predict(vectorizer.transform([TEXTS[i] for i in held]).astype(np.float64))
        right += sum(g == LABELS[i] for g, i in zip(guess, held, strict=True))
    assert found.rows[3].dev == pytest.approx(right / len(LABELS))
    assert found.rows[3].train >= found.rows[3].dev
    assert found.rows[3].deviation is not None
    assert found.best.dev == max(row.dev for row in found.rows)
    assert json.loads(json.dumps(found.as_dict()))["best"]["settings"] == found.best.settings


def test_a_path_keeps_one_estimator_and_starts_each_fit_where_the_last_ended() -> None:
    X = CountingVectorizer().fit_transform(TEXTS)
    made = []

    def make(**settings):
        made.append(logistic(penalty="l1", learner="owlqn", warm_start=True, tol=1e-6, **settings))
        return made[-1]

    grid = {"C": [0.1, 1.0, 10.0], "class_weight": [None, "balanced"]}
    splits = held_out(LABELS)
    found = tune(make, grid, X, LABELS, splits, path="C")
    assert len(made) == 2  # one for each class_weight
    assert [row.settings["C"] for row in found.rows] == [0.1, 1.0, 10.0] * 2
    nonzero = [row.nonzero for row in found.rows[:3]]
    assert nonzero == sorted(nonzero)
    assert nonzero[0] < nonzero[2]
    cold = tune(
        lambda **s: logistic(penalty="l1", learner="owlqn", tol=1e-6, **s), grid, X, LABELS, splits
    )
    assert [row.dev for row in found.rows[:3]] == pytest.approx(
        [row.dev for row in cold.rows if row.settings["class_weight"] is None], abs=0.02
    )


def test_equal_scores_go_to_the_sparser_model() -> None:
    found = tune(
        lambda **s: logistic(penalty="l1", **s),
        {"C": [100.0, 10.0]},
        CountingVectorizer().fit_transform(["sun sun", "rain rain", "sun day", "rain day"] * 5),
        ["s", "r", "s", "r"] * 5,
        stratified(["s", "r", "s", "r"] * 5, 2),
    )
    assert {row.dev for row in found.rows} == {1.0}
    assert found.best.nonzero == min(row.nonzero for row in found.rows)


def test_one_by_one_takes_all_answers_together() -> None:
    y = LABELS[:12]
    found = tune(
        logistic,
        {"C": [1.0]},
        TEXTS[:12],
        y,
        leave_one_out(y),
        "macro_f1",
        make_features=CountingVectorizer,
    )
    assert found.splits == 12
    assert found.rows[0].deviation is None
    assert 0 < found.rows[0].dev <= 1


def test_silly_input_is_refused() -> None:
    X = CountingVectorizer().fit_transform(TEXTS)
    splits = held_out(LABELS)
    with pytest.raises(ValueError, match="unknown metric 'acuracy'; known are accuracy"):
        tune(logistic, {"C": [1.0]}, X, LABELS, splits, "acuracy")
    with pytest.raises(ValueError, match="C: give one or more values"):
        tune(logistic, {"C": []}, X, LABELS, splits)
    with pytest.raises(ValueError, match="C: give a list of values to try, not 1"):
        tune(logistic, {"C": 1.0}, X, LABELS, splits)
    with pytest.raises(ValueError, match="the path goes along 'alpha'"):
        tune(logistic, {"C": [1.0]}, X, LABELS, splits, path="alpha")
    with pytest.raises(ValueError, match="feature_grid needs make_features"):
        tune(logistic, {"C": [1.0]}, X, LABELS, splits, feature_grid={"min_df": [1]})
    with pytest.raises(DataError, match="no split"):
        tune(logistic, {"C": [1.0]}, X, LABELS, [])
    ones = [i for i, label in enumerate(LABELS) if label == LABELS[0]]
    with pytest.raises(DataError, match="leaves only the label"):
        tune(logistic, {"C": [1.0]}, X, LABELS, [(np.array(ones), np.array([0]))])


def test_comparison_has_a_row_for_each() -> None:
    X = CountingVectorizer().fit_transform(TEXTS)
    contenders = [
        Contender("naive Bayes", "counts", "smoothing", [0.1, 1.0], linnet.NaiveBayes, "counts"),
        Contender("perceptron", "steps", None, [], linnet.Perceptron, "counts"),
    ]
    rows = list(compare(contenders, {"counts": X}, LABELS, {"counts": X}, LABELS, held_out(LABELS)))
    assert [row.name for row in rows] == ["naive Bayes", "perceptron"]
    assert [row.probabilities for row in rows] == [True, False]
    assert rows[0].value in (0.1, 1.0)
    assert rows[1].value is None
    assert all(row.accuracy > 0.9 and row.nonzero > 0 and row.bytes > 0 for row in rows)
    with pytest.raises(DataError, match="0 to score on"):
        list(compare(contenders, {"counts": X}, LABELS, {"counts": X[:0]}, [], held_out(LABELS)))
