"""Co-training over two views that the user names."""

import numpy as np
import pytest

import linnet
from linnet import TextClassifier, TextFeatures
from linnet.estimators.text.unlabelled.views import features_of
from linnet.learners.unlabelled import co_train

from .test_unlabelled import GOLD, LABELS, MORE, TEST, TEST_GOLD, TEXTS

BOTH = ("word=1-2", "chars=2-4")


def co(views, **settings):
    model = TextClassifier(unlabeled_method="co", unlabeled_views=views, **settings)
    return model.fit(TEXTS, LABELS, unlabeled=MORE)


def first_half(text):
    return text.split(" and ")[0]


def second_half(text):
    return text.split(" and ")[1]


def test_each_model_sees_its_view_and_learns_what_the_other_one_is_certain_of(monkeypatch):
    """The labels that are learnt in the end are those of co-training over rows made by hand."""
    from linnet.estimators.linear.classifier import LinearClassifier
    from linnet.estimators.text.unlabelled import methods
    from linnet.learners.unlabelled.self_training import as_columns

    views = (TextFeatures(word=(1, 1)), TextFeatures(word=None, chars=(3, 3)))
    codes = np.unique(LABELS, return_inverse=True)[1].astype(np.int32)
    taught = []

    def watched(pool, rows, places, codes, weights, others, shares):
        taught.append(shares.argmax(axis=1))
        return original(pool, rows, places, codes, weights, others, shares)

    original = methods._taught
    monkeypatch.setattr(methods, "_taught", watched)
    model = co(views)
    choice = model.record_

    def scorer(features):
        rows = TextFeatures(**features.get_params()).fit_rows([*TEXTS, *MORE])

        def train(places, given):
            inner = LinearClassifier(choice.loss, choice.learner, choice.penalty, C=choice.C)
            inner.set_params(tol=0.05, verbose=False)
            return as_columns(inner.fit(rows[places], given).model_.scores(rows))

        return train

    n = len(TEXTS)
    by_hand = co_train(
        (scorer(views[0]), scorer(views[1])), np.arange(n), codes, np.arange(n, n + len(MORE))
    )
    assert (taught[-1] == by_hand.argmax(axis=1)).mean() > 0.98
    assert model.score(TEST, TEST_GOLD) > 0.8


def test_views_by_name_are_the_features_they_name():
    usual = TextFeatures(word=(1, 1), lead=5, mix={"lead": 2.0}, scale="idf", lowercase=False)
    assert features_of("chars-wb=2-5 norm=none", usual).get_params() == (
        TextFeatures(word=None, chars_wb=(2, 5), scale="idf", lowercase=False, norm="none").get_params()
    )
    assert features_of("word=3", usual).word == (3, 3)
    one = TextFeatures(lead=2)
    assert features_of(one, usual).get_params() == one.get_params()
    assert features_of(one, usual) is not one


def test_names_and_objects_are_the_same_view():
    named = co(("word=1", "chars=2-4"), features=TextFeatures())
    given = co(
        (TextFeatures(word=(1, 1)), TextFeatures(word=None, chars=(2, 4))), features=TextFeatures()
    )
    assert np.array_equal(named.decision_function(TEST), given.decision_function(TEST))


def test_another_view_is_another_model():
    """Two views of the first words, and of less, teach what is not so."""
    good, poor = co(BOTH), co(("lead=1", "chars=1 chars_first=2"))
    assert not np.allclose(good.decision_function(TEST), poor.decision_function(TEST))
    assert good.score(TEST, TEST_GOLD) > poor.score(TEST, TEST_GOLD)


def test_the_record_and_why_name_the_views_and_the_file_keeps_them(tmp_path):
    model = co(BOTH)
    assert model.why_[-1] == "unlabeled: 150 texts, by 'co' over word=1-2 and chars=2-4, as given"
    seen = model.record_.facts["views"]
    for view, count in seen.items():
        features = features_of(view, model.features_)
        assert count == features.fit_rows([*TEXTS, *MORE]).features
    path = tmp_path / "m.linnet"
    model.save(path)
    again = linnet.load(path)
    assert again.record_.facts["views"] == seen
    assert again.get_params()["unlabeled_views"] == BOTH
    assert np.array_equal(again.decision_function(TEST), model.decision_function(TEST))
    assert again.explain(TEST[0]).label == model.predict(TEST[:1])[0]
    again.fit(TEXTS, LABELS, unlabeled=MORE)
    assert np.array_equal(again.decision_function(TEST), model.decision_function(TEST))


def test_a_view_may_be_a_part_of_the_text(tmp_path):
    """As Blum and Mitchell have it: each half of a note suffices."""
    views = tuple(TextFeatures(word=(1, 1), preprocessor=half) for half in (first_half, second_half))
    model = co(views)
    assert model.score(TEST, TEST_GOLD) > 0.8
    assert all("half'" in name for name in model.record_.facts["views"])
    path = tmp_path / "m.linnet"
    model.save(path)  # predicts without the code of the views
    again = linnet.load(path)
    assert np.array_equal(again.predict(TEST), model.predict(TEST))
    with pytest.raises(ValueError, match="first_half"):
        again.fit(TEXTS, LABELS, unlabeled=MORE)
    again.set_params(unlabeled_views=views).fit(TEXTS, LABELS, unlabeled=MORE)
    assert np.array_equal(again.decision_function(TEST), model.decision_function(TEST))


def test_the_same_for_any_number_of_threads_and_after_cloning():
    from sklearn.base import clone

    one = co(BOTH, n_jobs=1)
    two = clone(one).set_params(n_jobs=2).fit(TEXTS, LABELS, unlabeled=MORE)
    assert np.array_equal(one.decision_function(TEST), two.decision_function(TEST))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"unlabeled_method": "self"}, "only co-training has two views"),
        ({"unlabeled_method": "auto"}, "only co-training has two views"),
        ({"unlabeled_views": ("word=1",)}, "must be two views, not 1"),
        ({"unlabeled_views": ("word=1", "chars=2", "lead=1")}, "must be two views, not 3"),
        ({"unlabeled_views": "word=1"}, "must be two views"),
        ({"unlabeled_views": ("word=1", "word=1-1")}, "the same twice"),
        ({"unlabeled_views": ("word=1", 3)}, "a view must be TextFeatures, or n-grams"),
        ({"unlabeled_views": ("word=1", "")}, "a view must be TextFeatures, or n-grams"),
        ({"unlabeled_views": ("word=1", "words=2")}, "has no setting 'words=2'"),
        ({"unlabeled_views": ("word=1", "word=2-1")}, "word=2-1 is no range of lengths"),
        ({"unlabeled_views": ("word=1", "word=none")}, "word=none is no range of lengths"),
        ({"unlabeled_views": ("word=1", "tf=count")}, "names no n-grams"),
        ({"unlabeled_views": ("word=1", "lead=2 chars_first=9")}, "chars_first has no effect"),
        (
            {"unlabeled_views": ("word=1", "chars=2 tf=odd")},
            "the view 'chars=2 tf=odd': tf must be one",
        ),
        (
            {"unlabeled_views": ("word=1", "word=1 min_df=-3")},
            "the view 'word=1 min_df=-3': min_df must",
        ),
        ({"unlabeled_views": ("word=1", "chars=2-9999")}, "the view 'chars=2-9999': n-gram lengths"),
        ({"unlabeled_views": ("word=1", "chars=2 chars=3")}, "says chars twice"),
        ({"unlabeled_views": ("word=1", "chars-wb=2 chars_wb=3")}, "says chars_wb twice"),
        ({"unlabeled_views": ("word=1", "chars=2 numeric=n")}, "has no setting 'numeric=n'"),
        ({"unlabeled_views": ("word=1", TextFeatures(numeric=("n",)))}, "texts alone"),
        ({"unlabeled_views": ("word=1", "chars=2 scale=nb")}, "scale='idf'"),
        ({"unlabeled_views": ("word=1", "word=30")}, "no text has any feature of word=30"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, message):
    given = {"unlabeled_method": "co", "unlabeled_views": BOTH} | settings
    with pytest.raises(ValueError, match=message):
        TextClassifier(**given).fit(TEXTS, LABELS, unlabeled=MORE)


def test_views_without_texts_and_on_a_stream_are_refused():
    with pytest.raises(ValueError, match="no effect without unlabeled="):
        TextClassifier(unlabeled_method="co", unlabeled_views=BOTH).fit(TEXTS, LABELS)
    with pytest.raises(ValueError, match="unlabeled_views has no effect on a stream"):
        TextClassifier(unlabeled_views=BOTH).partial_fit(MORE, GOLD)
