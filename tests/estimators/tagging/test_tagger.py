"""The tagger: what goes in, what comes out, and what is refused."""

from __future__ import annotations

import copy
import itertools
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import Tagger, TokenFeatures
from linnet.data import Sequences
from linnet.errors import DataError, RefusedError, TrainingWarning

X = [
    ["the", "linnet", "sings"],
    ["a", "wren", "hides", "here"],
    ["sing", "!"],
    ["the", "wren", "sings", "here"],
]
Y = [["D", "N", "V"], ["D", "N", "V", "R"], ["V", "."], ["D", "N", "V", "R"]]
CHUNKS = [["B-NP", "I-NP", "B-VP"], ["B-NP", "I-NP", "O", "O"], ["O", "O"], ["B-NP", "I-NP", "O", "O"]]
SETTINGS = [
    {},
    {"learner": "lbfgs"},
    {"penalty": "l1", "C": 10.0},
    {"loss": "perceptron", "average": False},
    {"loss": "hinge"},
    {"loss": "softmax_margin"},
    {"order": 0},
    {"order": 2},
    {"order": 3},
    {"order": 4, "loss": "perceptron"},
    {"ends": True},
    {"normalisation": "local"},
    {"features": ["word[0]", "transition: word[0]"]},
    {"features": ["word[0]", "transition: word[0]"], "normalisation": "local"},
    {"all_states": True, "all_transitions": False},
    {"constrain_training": True},
]


def fitted(y: Any = Y, **settings: Any) -> Tagger:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrainingWarning)
        return Tagger(**settings).fit(X, y)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_learns_its_training_data(settings: dict[str, Any]) -> None:
    tagger = fitted(**settings)
    assert tagger.predict(X) == Y
    assert tagger.score(X, Y) == 1.0
    assert tagger.classes_.tolist() == [".", "D", "N", "R", "V"]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_k_best_are_the_best_of_all(settings: dict[str, Any]) -> None:
    """The first is the prediction, scores fall, and all sequences come once."""
    tagger = fitted(**settings)
    (ranked,) = tagger.predict([["the", "wren"]], k=100)
    assert len(ranked) == 25
    assert len({tuple(tags) for tags, _ in ranked}) == 25
    scores = [score for _, score in ranked]
    assert scores == sorted(scores, reverse=True)
    assert [ranked[0][0]] == tagger.predict([["the", "wren"]])


@pytest.mark.parametrize(
    "settings",
    [s for s in SETTINGS if s.get("loss") not in ("perceptron", "hinge")],
    ids=str,
)
def test_probabilities_are_those_of_all_sequences(settings: dict[str, Any]) -> None:
    tagger = fitted(**settings)
    sentence = ["a", "linnet", "!"]
    sequences = [list(tags) for tags in itertools.product(tagger.classes_.tolist(), repeat=3)]
    log_p = tagger.sequence_log_proba([sentence] * len(sequences), sequences)
    assert np.exp(log_p).sum() == pytest.approx(1.0)
    (marginals,) = tagger.predict_proba([sentence])
    for t, k in itertools.product(range(3), range(5)):
        share = sum(
            np.exp(p) for tags, p in zip(sequences, log_p, strict=True) if tags[t] == tagger.classes_[k]
        )
        assert marginals[t, k] == pytest.approx(share, abs=1e-6)
    assert tagger.entropy([sentence])[0] == pytest.approx(-(np.exp(log_p) * log_p).sum(), abs=1e-5)
    best = tagger.predict([sentence])[0]
    assert tagger.sequence_log_proba([sentence])[0] == pytest.approx(log_p[sequences.index(best)])
    named = tagger.predict_marginals([sentence])
    assert named[0][1]["N"] == marginals[1, 2]


def test_margins_are_no_probabilities() -> None:
    tagger = fitted(loss="hinge")
    assert not hasattr(tagger, "predict_proba")
    with pytest.raises(AttributeError, match="margins, not probabilities"):
        _ = tagger.predict_proba


def test_samples_have_the_frequencies_of_their_probabilities() -> None:
    tagger = fitted()
    (drawn,) = tagger.sample([["the", "wren"]], n=4000, random_state=3)
    share = sum(tags == ["D", "N"] for tags in drawn) / len(drawn)
    assert share == pytest.approx(
        np.exp(tagger.sequence_log_proba([["the", "wren"]], [["D", "N"]]))[0], abs=0.03
    )
    assert tagger.sample([["the", "wren"]], n=3, random_state=3) == tagger.sample(
        [["the", "wren"]], n=3, random_state=3
    )


def test_predicted_spans_are_legal() -> None:
    """An I without its B never comes out, however the weights lie."""
    tagger = fitted(CHUNKS, features=["word[0]"], C=0.01)
    assert tagger.scheme_ == "iob2"
    noise = [["sings", "linnet", "linnet", "wren"], ["wren"], ["linnet", "wren"]]
    for tags, _ in itertools.chain.from_iterable(tagger.predict(noise, k=30)):
        before = "O"
        for tag in tags:
            assert not tag.startswith("I-") or before[2:] == tag[2:]
            before = tag
    free = fitted(CHUNKS, features=["word[0]"], C=0.01, legal=None)
    assert any(tags[0].startswith("I-") for tags, _ in free.predict([["wren"]], k=30)[0])


def test_data_that_break_the_scheme_lift_it() -> None:
    y = [["I-NP", "B-NP", "O"], *CHUNKS[1:]]
    assert fitted(y).scheme_ != "iob2"


def test_known_tags_dictionary_and_transitions() -> None:
    tagger = fitted()
    assert tagger.predict([["the", "wren"]], known=[[None, "V"]])[0][1] == "V"
    tagger.dictionary = {"wren": ["R", "V"]}
    assert tagger.predict([["the", "wren"]])[0][1] in ("R", "V")
    strict = fitted(transitions={"D": ["R"]})
    assert strict.predict([["the", "wren"]])[0] in (["D", "R"], strict.predict([["the", "wren"]])[0])
    assert ["D", "N"] not in [tags for tags, _ in strict.predict([["the", "wren"]], k=30)[0]]
    with pytest.raises(ValueError, match="dictionary names the tag 'X'"):
        fitted(dictionary={"wren": ["X"]}).predict(X)


def test_missing_tags_are_summed_out() -> None:
    y = [["D", None, "V"], ["D", "N", None, None], ["V", "."], ["D", "N", "V", "R"]]
    tagger = fitted(y)
    assert tagger.record_.learner == "lbfgs"
    assert tagger.predict(X) == Y


def test_sentence_weights_count_like_copies() -> None:
    settings: dict[str, Any] = {"features": ["word[-1..1]"], "learner": "lbfgs", "tol": 1e-8}
    twice = Tagger(**settings).fit(X + X[:1], Y + Y[:1])
    weighed = Tagger(**settings).fit(X, Y, sample_weight=[2, 1, 1, 1])
    np.testing.assert_allclose(
        twice.sequence_log_proba(X, Y), weighed.sequence_log_proba(X, Y), atol=1e-4
    )


def test_costs_need_a_loss_that_knows_them() -> None:
    with pytest.raises(RefusedError, match="softmax_margin"):
        fitted(cost={("D", "N"): 3.0})
    with pytest.raises(RefusedError, match="class_weight"):
        fitted(class_weight="balanced")
    heavy = fitted(loss="softmax_margin", class_weight={"V": 5.0})
    assert heavy.predict(X) == Y
    with pytest.raises(ValueError, match="no pair of tags"):
        fitted(loss="hinge", cost={("D", "X"): 3.0})


def test_every_way_to_say_a_sentence(tmp_path: Path) -> None:
    rows = [[(word, word[-1]) for word in sentence] for sentence in X]
    assert Tagger("pos").fit(rows, Y).predict(rows) == Y
    attributes = [[[f"w={word}", "bias"] for word in sentence] for sentence in X]
    assert Tagger().fit(attributes, Y).predict(attributes) == Y
    named = [[{"w": word, "length": len(word) / 10} for word in sentence] for sentence in X]
    assert Tagger().fit(named, Y).predict(named) == Y
    file = tmp_path / "birds.txt"
    file.write_text(
        "\n\n".join(
            "\n".join(f"{word} {tag}" for word, tag in zip(*both, strict=True))
            for both in zip(X, Y, strict=True)
        )
    )
    tagger = Tagger().fit(file)
    assert tagger.predict(file) == Y
    assert tagger.score(file) == 1.0
    assert tagger.predict(Sequences.from_lists(X)) == Y


def test_empty_sentences_are_tagged_with_nothing() -> None:
    tagger = fitted()
    assert tagger.predict([]) == []
    assert tagger.predict([[], ["the"], []]) == [[], ["D"], []]
    assert tagger.predict_proba([[]])[0].shape == (0, 5)


def test_unknown_tags_count_as_wrong() -> None:
    assert fitted().score([["the", "wren"]], [["D", "never seen"]]) == 0.5


def test_one_tag_and_very_many_tags() -> None:
    assert Tagger().fit([["a", "b"]], [["T", "T"]]).predict([["c"]]) == [["T"]]
    words = [[f"w{k}"] for k in range(400)]
    tags = [[f"t{k:03}"] for k in range(400)]
    tagger = Tagger(["word[0]"], max_iter=3, loss="perceptron").fit(words, tags)
    assert tagger.score(words, tags) > 0.9


def test_a_sentence_of_a_hundred_thousand_tokens() -> None:
    tagger = fitted()
    (tags,) = tagger.predict([["the", "wren"] * 50_000])
    assert tags[:2] == ["D", "N"]
    assert len(tags) == 100_000


def test_dev_stops_early_and_keeps_the_best() -> None:
    tagger = Tagger(loss="perceptron", max_iter=50, patience=2).fit(X, Y, dev=(X, Y))
    assert tagger.record_.stopped in ("dev score", "converged")
    assert tagger.record_.epochs[0].dev_score is not None
    with pytest.raises(DataError, match="never seen in training: X"):
        Tagger().fit(X, Y, dev=([["a"]], [["X"]]))


def test_warm_start_goes_on() -> None:
    tagger = Tagger(learner="lbfgs", warm_start=True, tol=1e-6).fit(X, Y)
    first = tagger.record_.n_iter
    tagger.fit(X, Y)
    assert tagger.record_.n_iter < first
    with pytest.raises(DataError, match="warm_start: the tags"):
        tagger.fit(X, CHUNKS)


def test_streams_grow_words_and_tags() -> None:
    tagger = Tagger()
    for _ in range(6):
        tagger.partial_fit(X[:1], Y[:1])
        tagger.partial_fit(X[1:], Y[1:])
    assert tagger.classes_.tolist() == ["D", "N", "V", ".", "R"]
    assert tagger.predict(X) == Y
    with pytest.raises(RefusedError, match="needs all data at once"):
        Tagger(learner="lbfgs").partial_fit(X, Y)


def test_the_same_bits_for_any_number_of_threads() -> None:
    one, two = fitted(n_jobs=1), fitted(n_jobs=2)
    for name, array in one.model_.tensors().items():
        np.testing.assert_array_equal(array, two.model_.tensors()[name])


def test_saved_pickled_copied_and_cloned(tmp_path: Path) -> None:
    from sklearn.base import clone

    tagger = fitted()
    tagger.save(tmp_path / "t.linnet")
    loaded = linnet.load(tmp_path / "t.linnet")
    for other in (loaded, pickle.loads(pickle.dumps(tagger)), copy.deepcopy(tagger)):
        assert other.predict(X, k=3) == tagger.predict(X, k=3)
    assert not clone(tagger).__sklearn_is_fitted__()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"order": -1}, "order must be 0, 1, 2"),
        ({"order": 1.5}, "order must be 0, 1, 2"),
        ({"order": 40}, "windows of 41 labels"),
        ({"order": 29}, r"order 29 .* labels would need about \d+ GB: use a lower order"),
        ({"normalisation": "none"}, "normalisation must be"),
        ({"features": 7}, "features must be"),
        ({"legal": "bio"}, "speak of no spans"),
        ({"loss": "log"}, "unknown loss"),
        ({"learner": "adam"}, "unknown learner"),
        ({"C": -1.0}, "C must be positive"),
        ({"dev_metric": "bleu"}, "dev_metric must be"),
    ],
    ids=str,
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, RefusedError), match=message):
        Tagger(**settings).fit(X, Y)


def test_input_that_makes_no_sense() -> None:
    with pytest.raises(DataError, match="sentence 2 has 4 tokens, but 1 tags"):
        Tagger().fit(X, [Y[0], ["D"], *Y[2:]])
    with pytest.raises(DataError, match=r"X is 'A linnet sang\.', and no file of this name exists"):
        Tagger().fit("A linnet sang.")
    with pytest.raises(DataError, match="y is needed"):
        Tagger().fit(X)
    with pytest.raises(DataError, match="each a list of tokens"):
        Tagger().fit(["the wren"], [["D"]])
    with pytest.raises(DataError, match="the templates look at the column"):
        Tagger(["pos[0]"]).fit([[("a", "b")]], [["T"]]).predict(X)
    with pytest.raises(DataError, match="one tag, or None"):
        fitted().predict(X, known=[[None]])
    with pytest.raises(DataError, match="sample_weight"):
        Tagger().fit(X, Y, sample_weight=[1.0])


def test_templates_and_recipes_are_chosen() -> None:
    assert "the recipe 'pos'" in str(fitted().choice_)
    assert "the recipe 'chunk'" in str(fitted(CHUNKS).choice_)
    names = [["B-PER", *["O"] * (len(s) - 1)] for s in X]
    assert "the recipe 'ner'" in str(fitted(names).choice_)
    given = TokenFeatures(templates=["word[0]"])
    tagger = fitted(features=given)
    assert tagger.features_ is not given
    assert tagger.get_feature_names_out()[0] == "word[0]=the"


def test_votes_keep_to_what_is_allowed() -> None:
    tagger = fitted(CHUNKS, features=["word[0]"], learner="voted", max_iter=3)
    assert tagger.scheme_ == "iob2"
    for tags in tagger.predict([["linnet", "sings"], ["wren"], ["linnet", "wren", "linnet"]]):
        assert not tags[0].startswith("I-")
    assert tagger.predict([["the", "wren"]], known=[[None, "O"]])[0][1] == "O"


def test_input_of_any_kind_is_read_or_refused() -> None:
    X, y = [[("a", "DT"), ("wren", "NN")], [("wrens", "NN")]], [["O", "B-X"], ["O"]]
    tagger = Tagger().fit(X, y)
    codes = tagger.tag(X).codes.tolist()
    assert [tagger.classes_[code] for code in codes] == [t for tags in tagger.predict(X) for t in tags]
    for wrong, message in ((None, "X is of type NoneType"), (["abc"], "no pos, which the tagger")):
        with pytest.raises(DataError, match=message):
            tagger.tag(wrong)
    for known, message in ((3, "known is of type int"), ([None], "sentence 1 is of type NoneType")):
        with pytest.raises(DataError, match=message):
            tagger.predict(X[:1], known=known)
    with pytest.raises(ValueError, match=r"known names the tag \[\], which is not among"):
        tagger.predict(X[:1], known=[[[], None]])
    with pytest.raises(ValueError, match="top must be a whole number"):
        tagger.inspect("x")
