"""Text classifiers with texts that have no labels."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import linnet
from linnet import TextClassifier, TextFeatures
from linnet.errors import DataError
from linnet.estimators.text.unlabelled import fit, switch
from linnet.estimators.text.unlabelled.methods import METHODS
from linnet.estimators.text.unlabelled.pool import folded, halfway, widened
from linnet.estimators.text.unlabelled.switch import LEAST, Gain, folds, gain

BIRDS = {
    "linnet": ["red forehead", "forked tail", "seeds and hedges", "twittering flock", "brown back"],
    "wren": ["cocked tail", "tiny body", "loud trill", "mossy nest", "low cover"],
    "owl": ["silent flight", "hooting night", "round face", "large eyes", "eats mice"],
}


def notes(n, seed):
    """Each speaks of two or three things of one bird."""
    random = np.random.default_rng(seed)
    names = sorted(BIRDS)
    labels = [names[i % 3] for i in range(n)]
    texts = [" and ".join(random.choice(BIRDS[label], 2 + i % 2)) for i, label in enumerate(labels)]
    return texts, labels


TEXTS, LABELS = notes(6, 0)
MORE, GOLD = notes(150, 1)
TEST, TEST_GOLD = notes(90, 2)


@pytest.mark.parametrize("method", ["auto", *METHODS])
@pytest.mark.parametrize("labels", [2, 3])
def test_every_method_learns_saves_and_explains(method, labels, tmp_path):
    kept = [i for i, label in enumerate(LABELS) if labels == 3 or label != "owl"]
    texts, given = [TEXTS[i] for i in kept], [LABELS[i] for i in kept]
    more = [t for t, g in zip(MORE, GOLD, strict=True) if labels == 3 or g != "owl"]
    test = [t for t, g in zip(TEST, TEST_GOLD, strict=True) if labels == 3 or g != "owl"]
    gold = [g for g in TEST_GOLD if labels == 3 or g != "owl"]
    model = TextClassifier(unlabeled_method=method, n_jobs=1).fit(texts, given, unlabeled=more)
    assert model.score(test, gold) > 0.8
    assert model.why_[-1].startswith("unlabeled: ")
    scores = model.decision_function(test)
    path = tmp_path / "birds.linnet"
    model.save(path)
    again = linnet.load(path)
    assert np.array_equal(again.decision_function(test), scores)
    assert again.why_ == model.why_
    found = model.explain(test[0])
    assert found.label == model.predict(test[:1])[0]
    assert np.allclose(found.scores, model._scores(test[:1])[0], atol=1e-4)
    probabilities = model.predict_proba(test)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert np.array_equal(
        TextClassifier(unlabeled_method=method, n_jobs=2)
        .fit(texts, given, unlabeled=more)
        .decision_function(test),
        scores,
    )


def test_most_methods_gain_where_labels_are_few():
    alone = TextClassifier().fit(TEXTS, LABELS).score(TEST, TEST_GOLD)
    for method in ("joint", "propagate", "self", "em"):
        model = TextClassifier(unlabeled_method=method).fit(TEXTS, LABELS, unlabeled=MORE)
        assert model.score(TEST, TEST_GOLD) > alone + 0.03, method


def test_em_weighs_each_unlabelled_text_as_was_said():
    """λ near 0 is naive Bayes on the labels alone; at 1 both kinds count the same."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    def em(weight):
        return TextClassifier(unlabeled_method="em", unlabeled_weight=weight)

    names = em(1e-9).fit(TEXTS, LABELS, unlabeled=MORE).features_.names
    counts = CountVectorizer(vocabulary=list(names), token_pattern=r"(?u)\w+")
    alone = MultinomialNB(alpha=0.1).fit(counts.transform(TEXTS), LABELS)
    for weight, same in ((1e-9, True), (1.0, False)):
        model = em(weight).fit(TEXTS, LABELS, unlabeled=MORE)
        found = model.predict_proba(TEST)
        near = np.allclose(found, alone.predict_proba(counts.transform(TEST)), atol=1e-4)
        assert near == same
        assert (np.diff(model.record_.facts["objectives"]) >= -1e-6).all()


@pytest.mark.parametrize("method", ["joint", "self", "co", "propagate", "entropy"])
def test_how_much_each_counts_matters(method):
    scores = [
        TextClassifier(unlabeled_method=method, unlabeled_weight=weight)
        .fit(TEXTS, LABELS, unlabeled=MORE)
        .decision_function(TEST)
        for weight in (None, 0.01, 1.0)
    ]
    assert not np.allclose(scores[1], scores[2])
    assert not np.allclose(scores[0], scores[1])


def test_weights_of_vectors_fold_into_words():
    random = np.random.default_rng(0)
    from scipy.sparse import random as sparse

    from linnet.estimators import LinearClassifier
    from linnet.estimators.text.unlabelled.pool import Learnt

    matrix = sparse(40, 12, 0.4, format="csr", random_state=0, dtype=np.float32)
    map_ = random.normal(size=(12, 3)).astype(np.float32)
    rows = widened(matrix, matrix @ map_)
    inner = LinearClassifier("hinge").fit(rows, np.arange(40) % 3)
    learnt = Learnt(inner.model_, "hinge", True, inner.record_)
    assert np.allclose(folded(learnt, map_).model.scores(matrix), inner.model_.scores(rows), atol=1e-5)


def test_halfway_between_two_models_is_the_mean_of_their_scores():
    from linnet.estimators import LinearClassifier
    from linnet.estimators.text.unlabelled.pool import Learnt

    random = np.random.default_rng(1)
    rows, codes = random.normal(size=(30, 5)).astype(np.float32), np.arange(30) % 3
    one, other = (LinearClassifier("hinge", C=C).fit(rows, codes) for C in (0.01, 10.0))
    mean = halfway(*(Learnt(m.model_, "hinge", True, m.record_) for m in (one, other)))
    expected = (one.decision_function(rows) + other.decision_function(rows)) / 2
    assert np.allclose(mean.model.scores(csr_array(rows)), expected, atol=1e-5)


def test_with_many_labels_vectors_are_tried(monkeypatch):
    monkeypatch.setattr(fit, "LEAST", -1.0)
    model = TextClassifier().fit(*notes(150, 3), unlabeled=MORE)
    assert "by 'vectors'" in model.why_[-1]
    assert "by 'joint'" in TextClassifier().fit(TEXTS, LABELS, unlabeled=MORE).why_[-1]


def test_what_only_one_text_says_is_known():
    """Without it, words that it shares with others take the blame for its label."""
    texts = [*TEXTS[:-1], TEXTS[-1] + " zyzzyva"]
    alone = set(TextClassifier().fit(texts, LABELS).features_.names)
    for method in ("joint", "propagate", "self"):
        model = TextClassifier(unlabeled_method=method).fit(texts, LABELS, unlabeled=MORE)
        assert "zyzzyva" in alone <= set(model.features_.names)
    counting = TextClassifier(unlabeled_method="em").fit(texts, LABELS, unlabeled=MORE)
    assert "zyzzyva" not in set(counting.features_.names)


def test_a_label_keeps_an_example_to_learn_from():
    codes = np.array([0, 0, 0, 1, 1, 2], dtype=np.int32)
    for kept, held in folds(codes, 0):
        assert set(codes[kept]) == {0, 1, 2}
        assert not set(kept) & set(held)
        assert 5 not in held
    counts = np.bincount(np.concatenate([held for _, held in folds(codes, 0)]), minlength=6)
    assert counts[:5].tolist() == [4] * 5


def test_the_gain_is_that_of_held_out_texts():
    codes = np.arange(20, dtype=np.int32) % 2
    right, wrong = np.eye(2)[codes], np.eye(2)[1 - codes]

    def said(table):
        return lambda _, held: table[held]

    sides = [said(wrong), said(right)]
    found, scores, places = gain(folds(codes, 0), *sides, codes, np.ones(20), (0.05, 0.04))
    assert (found.plain, found.other, found.texts) == (0.0, 1.0, 20)
    assert found.expected > 0.1
    assert np.array_equal(scores.argmax(axis=1), codes[places])
    found, _, _ = gain(folds(codes, 0), *reversed(sides), codes, np.ones(20), (0.05, 0.04))
    assert found.expected < 0


def test_few_texts_say_little():
    assert Gain(0.7, 0.6, 0.2, 10).expected > LEAST > Gain(0.7, 0.705, 0.01, 4000).expected


def test_texts_that_do_not_help_are_left_alone_and_it_says_why(monkeypatch):
    monkeypatch.setitem(switch.PRIORS, "joint", (-1.0, 0.04))
    model = TextClassifier().fit(TEXTS, LABELS, unlabeled=MORE)
    alone = TextClassifier().fit(TEXTS, LABELS)
    assert "are not used: accuracy on 6 held-out labelled texts" in model.why_[-1]
    assert np.array_equal(model.decision_function(TEST), alone.decision_function(TEST))


def test_one_text_of_each_label_cannot_be_held_out():
    model = TextClassifier().fit(TEXTS[:3], LABELS[:3], unlabeled=MORE)
    assert model.why_[-1].endswith("no label has a second text to try it on")


def test_many_unlabelled_texts_have_a_graph_of_some(monkeypatch):
    from linnet.estimators.text.unlabelled import pool

    monkeypatch.setattr(pool, "IN_GRAPH", 50)
    monkeypatch.setattr(fit, "IN_GRAPH", 50)
    model = TextClassifier(unlabeled_method="joint").fit(TEXTS, LABELS, unlabeled=MORE)
    assert model.why_[-1].endswith("a graph of 50 of them, drawn by chance")


@pytest.mark.parametrize(
    ("settings", "given", "message"),
    [
        ({}, {"unlabeled": []}, "unlabeled is empty"),
        ({}, {"unlabeled": "one text"}, "single text"),
        ({}, {"unlabeled": [1, 2]}, "unlabeled: "),
        ({}, {"unlabeled": 3}, "unlabeled: "),
        ({"unlabeled_method": "magic"}, {"unlabeled": MORE}, "must be 'auto' or one of"),
        ({"unlabeled_method": "em"}, {}, "no effect without unlabeled="),
        ({"unlabeled_method": "em", "loss": "hinge"}, {"unlabeled": MORE}, "loss has no effect"),
        ({"unlabeled_method": "em", "unlabeled_weight": 0}, {"unlabeled": MORE}, "positive number"),
        ({"unlabeled_weight": 0.1}, {"unlabeled": MORE}, "'auto' weighs no texts"),
        ({"unlabeled_method": "vectors", "unlabeled_weight": 1}, {"unlabeled": MORE}, "no effect"),
        ({"unlabeled_method": "em", "unlabeled_weight": 1}, {}, "no effect without"),
        ({"unlabeled_method": "em", "C": 2.0}, {"unlabeled": MORE}, "C has no effect"),
        (
            {"unlabeled_method": "em", "features": TextFeatures()},
            {"unlabeled": MORE},
            "counts words",
        ),
        ({"features": TextFeatures(scale="nb")}, {"unlabeled": MORE}, "scale='idf'"),
        ({"statistics": ("length",)}, {"unlabeled": MORE}, "texts alone"),
        ({"calibration": "sigmoid"}, {"unlabeled": MORE}, "'softmax' or None"),
        ({"lexicon": {"owl": {"hooting": 1.0}}}, {"unlabeled": MORE}, "lexicon"),
        ({}, {"unlabeled": MORE, "dev": (TEST, TEST_GOLD)}, "dev"),
        ({}, {"unlabeled": MORE, "memory": "1GB"}, "memory"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, given, message):
    with pytest.raises((DataError, ValueError), match=message):
        TextClassifier(**settings).fit(TEXTS, LABELS, **given)


def test_several_labels_and_streams_are_refused():
    with pytest.raises(ValueError, match="one label per text"):
        TextClassifier().fit(TEXTS, [(label,) for label in LABELS], unlabeled=MORE)
    with pytest.raises(ValueError, match="unlabeled_method has no effect on a stream"):
        TextClassifier(unlabeled_method="em").partial_fit(TEXTS, LABELS)


def test_a_model_with_unlabelled_texts_goes_on_as_a_stream():
    model = TextClassifier().fit(TEXTS, LABELS, unlabeled=MORE)
    model.partial_fit(MORE, GOLD)
    assert model.score(TEST, TEST_GOLD) > 0.95
