"""Taggers with sentences that have no tags."""

import numpy as np
import pytest

import linnet
from linnet import Tagger
from linnet.data import Sequences
from linnet.errors import DataError

NOUNS = [f"{a}{b}" for a in ("lin", "wre", "ow", "ro", "da") for b in ("ta", "mo", "ki", "su")]
VERBS = [f"{a}{b}" for a in ("lin", "wre", "ow", "ro", "da") for b in ("to", "ma", "ku", "si")]


def sentences(n, seed, most=20):
    """Nouns and verbs that only their neighbours tell apart."""
    random = np.random.default_rng(seed)
    X = [["the", random.choice(NOUNS[:most]), random.choice(VERBS[:most]), "."] for _ in range(n)]
    X = [words if i % 2 else [words[2], words[1], "."] for i, words in enumerate(X)]
    return X, [["D", "N", "V", "."] if len(words) == 4 else ["V", "N", "."] for words in X]


X, Y = sentences(12, 0)
MORE, _ = sentences(400, 1)
TEST, GOLD = sentences(100, 2)


@pytest.mark.parametrize("method", ["auto", "classes", "self", "entropy"])
def test_every_method_learns_and_is_saved(method, tmp_path):
    model = Tagger(n_jobs=1).fit(X, Y, unlabeled=MORE, unlabeled_method=method)
    assert model.why_[-1].startswith("unlabeled: 400 sentences")
    assert model.score(TEST, GOLD) > 0.8
    model.save(tmp_path / "m.linnet")
    assert linnet.load(tmp_path / "m.linnet").predict(TEST) == model.predict(TEST)
    assert (model.features, model.learner) == ("auto", "auto")
    assert model.record_.data["sentences"] == 12  # with tags


def test_classes_of_words_tell_what_unknown_words_are():
    settings = {"features": ["word"], "order": 0}  # no neighbouring tag to go by
    plain = Tagger(**settings).fit(X, Y)
    model = Tagger(**settings).fit(X, Y, unlabeled=MORE, unlabeled_method="classes")
    assert model.score(TEST, GOLD) > plain.score(TEST, GOLD)
    assert any(name.startswith("induced[0]=c") for name in model.features_.names)


def test_classes_that_add_nothing_are_left_alone():
    full, tags = sentences(300, 3)
    model = Tagger().fit(full, tags, unlabeled=MORE)
    assert "are not used: accuracy on held-out tokens" in model.why_[-1]
    assert model.predict(TEST) == Tagger().fit(full, tags).predict(TEST)


def test_a_model_of_entropies_is_more_certain_of_the_others():
    def surprise(model):
        tagged = Sequences.from_lists(MORE, model.predict(MORE))
        return -model.sequence_log_proba(tagged).sum()

    plain = Tagger(features=["word"]).fit(X, Y)
    model = Tagger(features=["word"]).fit(X, Y, unlabeled=MORE, unlabeled_method="entropy")
    assert surprise(model) < surprise(plain)


@pytest.mark.parametrize("method", ["self", "entropy"])
def test_how_much_each_sentence_counts_matters(method):
    def said(weight):
        given = {"unlabeled": MORE, "unlabeled_method": method, "unlabeled_weight": weight}
        return np.concatenate([p.ravel() for p in Tagger().fit(X, Y, **given).predict_proba(TEST)])

    assert not np.allclose(said(None), said(1.0))


def test_missing_tags_do_not_count_in_what_is_held_out():
    some = [[None, *tags[1:]] for tags in Y]
    model = Tagger().fit(X, some, unlabeled=MORE)
    assert "accuracy on held-out tokens" in model.why_[-1]
    model = Tagger().fit(X[:1], Y[:1], unlabeled=MORE)
    assert "are not used: there is no second sentence" in model.why_[-1]


SELF, ENTROPY = {"unlabeled_method": "self"}, {"unlabeled_method": "entropy"}


@pytest.mark.parametrize(
    ("settings", "given", "message"),
    [
        ({"learner": "perceptron"}, SELF, "use loss='logistic'"),
        ({"learner": "perceptron"}, ENTROPY, "learner has no effect"),
        ({"loss": "hinge"}, ENTROPY, "loss has no effect"),
        ({"normalisation": "local"}, ENTROPY, "normalisation has no effect"),
        ({"constrain_training": True}, ENTROPY, "leave it out"),
        ({"segments": True}, {}, "leave out one"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, given, message):
    with pytest.raises(ValueError, match=message):
        Tagger(**settings).fit(X, Y, unlabeled=MORE, **given)


def test_words_alone_have_no_room_for_classes_but_learn_from_what_is_probable():
    with pytest.raises(ValueError, match="tags of None"):
        linnet.HMM().fit(X, Y, unlabeled=MORE)
    assert linnet.HMM().fit(X, Y, unlabeled=MORE, **SELF).score(TEST, GOLD) > 0.8


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"unlabeled": []}, "empty"),
        ({"unlabeled": 5}, "unlabeled: "),
        ({"unlabeled": [[{"w=a": 1.0}]], **ENTROPY}, "columns must be the same"),
        ({"unlabeled_method": "self"}, "no effect without"),
        ({"unlabeled_weight": 0.5}, "no effect without"),
        ({"unlabeled": MORE, "unlabeled_weight": 0.5}, "'auto' weighs no sentences"),
        ({"unlabeled": MORE, "unlabeled_weight": -1, **SELF}, "positive number"),
        ({"unlabeled": MORE, "unlabeled_method": "magic"}, "must be one of"),
        ({"unlabeled": MORE, "memory": "1GB"}, "does not go with"),
    ],
)
def test_what_makes_no_sense_is_refused(given, message):
    with pytest.raises((DataError, ValueError), match=message):
        Tagger().fit(X, Y, **given)
