"""Taggers with sentences that have no tags."""

import numpy as np
import pytest

import linnet
from linnet import Tagger
from linnet.data import Sequences, Trees
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


def compared(models, **settings):
    data = Sequences.from_lists(X, Y)
    test = Sequences.from_lists(TEST, GOLD)
    rows = linnet.compare(data, test=test, models=models, unlabeled=MORE, **settings)
    return {row.name: row for row in rows}


WAYS = {
    "with untagged sentences": "auto",
    "classes of words": "classes",
    "self-training": "self",
    "entropy regularisation": "entropy",
}


@pytest.mark.parametrize(("name", "method"), WAYS.items())
def test_who_takes_part_is_the_tagger_by_that_method(name, method):
    rows = compared(["CRF", name])
    assert list(rows) == ["CRF", name]
    row = rows[name]
    settings = {} if row.parameter != "C" else {"C": row.value}
    weight = row.value if row.parameter == "unlabeled_weight" else None
    model = linnet.CRF(tol=0.01, **settings).fit(
        X, Y, unlabeled=MORE, unlabeled_method=method, unlabeled_weight=weight
    )
    assert row.accuracy == pytest.approx(model.score(TEST, GOLD))
    assert row.nonzero == model.nonzero_weights()
    assert row.probabilities


def test_untagged_sentences_help_where_only_they_show_the_words():
    rows = compared(["CRF", "classes of words"])
    assert rows["classes of words"].accuracy >= rows["CRF"].accuracy


def test_without_untagged_sentences_nobody_learns_from_them():
    with pytest.raises(ValueError, match="no model is called 'self-training'"):
        linnet.compare(Sequences.from_lists(X, Y), models=["self-training"])


def test_who_cannot_learn_from_these_sentences_is_left_out_with_the_reason():
    from linnet.estimators.comparing import contest

    pairs = [list(zip(words, tags, strict=True)) for words, tags in zip(X, Y, strict=True)]
    data = Sequences.from_lists(pairs, Y, names=["shape", "other"])
    more = Sequences.from_lists([["the", "."]], names=["shape"])
    found = contest(data, unlabeled=more)
    assert [note.partition(":")[0] for note in found.notes] == [
        "with untagged sentences, classes of words are left out",
        "self-training, entropy regularisation are left out",
    ]
    assert "no such column in both" in found.notes[0]
    assert "columns must be the same" in found.notes[1]
    assert not set(WAYS) & set(found.contenders)
    assert set(WAYS) == found.left_out


def test_what_is_compared_is_texts_or_sentences():
    with pytest.raises(DataError, match="unlabeled is empty"):
        linnet.compare(Sequences.from_lists(X, Y), unlabeled=[])
    trees = Trees.from_lists([["it", "sings"]], [[2, 0]], [["nsubj", "root"]])
    with pytest.raises(ValueError, match="sentences beside sentences that have tags"):
        linnet.compare(trees, unlabeled=MORE)
