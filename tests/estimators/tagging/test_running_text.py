"""Running text in, tags and spans out; and taggers that predict first what words alone lack."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
from linnet import Tagger
from linnet.data import Sequences, samples
from linnet.data.chunks import TextSpan
from linnet.errors import DataError, RefusedError

X, Y = samples.load_tagged("sightings-train")
TEST = samples.load_tagged("sightings-test")
WORDS = [[word for word, _ in sentence] for sentence in X]
TEXT = "Wanda Finch saw a barn owl near Kettle Marsh."
TWO = f"{TEXT} An owl sang."


@cache
def words_alone() -> Tagger:
    return Tagger().fit(WORDS, Y)


@cache
def tagged_first() -> Tagger:
    return Tagger(tagger="auto", jackknife=2).fit(X, Y)


def test_a_string_is_running_text() -> None:
    words = ["Wanda", "Finch", "saw", "a", "barn", "owl", "near", "Kettle", "Marsh", "."]
    assert words_alone().predict([TEXT]) == words_alone().predict([words])
    assert words_alone().predict(np.array([TEXT])) == words_alone().predict([words])
    assert words_alone().tag([TEXT]).values() == words_alone().predict([words])[0]
    (marginals,) = words_alone().predict_marginals([TEXT])
    assert marginals[5]["I-BIRD"] > 0.9
    assert words_alone().entropy([TEXT]) == pytest.approx(words_alone().entropy([words]))


def test_a_text_has_one_answer_however_many_sentences_it_holds() -> None:
    together = words_alone().predict([TWO, "", TEXT])
    assert [len(tags) for tags in together] == [14, 0, 10]
    assert together[0][:10] == together[2]
    assert [len(p) for p in words_alone().predict_proba([TWO, TEXT])] == [14, 10]
    sentences = Sequences.from_texts([TWO])
    assert [len(tags) for tags in words_alone().predict(sentences)] == [10, 4]
    for ask in (words_alone().entropy, words_alone().sample, words_alone().sequence_log_proba):
        with pytest.raises(DataError, match=r"text 1 holds 2 sentences; Sequences\.from_texts"):
            ask([TWO])
    with pytest.raises(DataError, match="k: text 1 holds 2 sentences"):
        words_alone().predict([TWO], k=2)
    assert len(words_alone().predict([TEXT], k=2)[0]) == 2


def test_spans_have_characters() -> None:
    found = words_alone().spans(TEXT)
    assert found[0] == TextSpan(0, 11, "PERSON", "Wanda Finch")
    assert [TEXT[span.start : span.end] for span in found] == [
        "Wanda Finch",
        "barn owl",
        "Kettle Marsh",
    ]
    assert words_alone().spans([TEXT, "Nothing."])[0] == found
    assert words_alone().spans(Sequences.from_texts([TEXT])) == [found]
    odd = "Ünal …  " + TEXT
    (bird,) = [span for span in words_alone().spans(odd) if span.label == "BIRD"]
    assert odd[bird.start : bird.end] == bird.text == "barn owl"


def test_what_has_no_spans() -> None:
    with pytest.raises(DataError, match="a text, or a list of texts"):
        words_alone().spans([["Wanda", "saw"]])
    plain = Tagger().fit([["a", "wren"]], [["D", "N"]])
    with pytest.raises(RefusedError, match="tags such as D speak of no spans"):
        plain.spans("a wren")


def test_words_are_no_texts() -> None:
    with pytest.raises(DataError, match=r"X is a list of words: 'Wanda', 'saw', .*\[X\]"):
        words_alone().predict(["Wanda", "saw", "owls"])
    with pytest.raises(DataError, match="give X as lists"):
        words_alone().score([TEXT], [["O"]])
    with pytest.raises(DataError, match="sentence 1 is of type str"):
        Tagger().fit([TEXT], [["O"]])
    with pytest.raises(DataError, match="trained on attributes"):
        Tagger().fit([[["w=a"], ["w=b"]]], [["A", "B"]]).predict([TEXT])


def test_columns_that_text_does_not_have_are_asked_for() -> None:
    tags = Tagger().fit(X, Y)
    assert tags.words_lack() == ["pos"]
    with pytest.raises(DataError, match=r"no pos, which the tagger looks at.*tagger='auto'"):
        tags.predict([TEXT])


def test_or_predicted_first(tmp_path: Path) -> None:
    model = tagged_first()
    assert model.words_lack() == []
    assert model.spans(TEXT) == words_alone().spans(TEXT)
    assert model.why_[0] == "tagged first: pos; the tagger learns from tags predicted in 2 folds"
    assert model.score(*TEST) > 0.98  # with the tags of the data
    words = [[word for word, _ in sentence] for sentence in TEST[0]]
    assert model.score(words, TEST[1]) > 0.97
    model.save(tmp_path / "m.linnet")
    again = linnet.load(tmp_path / "m.linnet")
    assert list(again.taggers_) == ["pos"]
    assert again.predict(words) == model.predict(words)
    assert model.quantize().spans(TEXT) == model.spans(TEXT)
    assert again.taggers_["pos"].model_.states.scales is not None  # packed


def test_tags_that_are_there_are_kept_unless_told_otherwise() -> None:
    wrong = [[(word, "X") for word, _ in sentence] for sentence in TEST[0]]
    data = Sequences.from_lists(wrong)
    words = Sequences.from_lists([[word for word, _ in sentence] for sentence in TEST[0]])
    found = tagged_first().tag(words).codes
    assert not np.array_equal(tagged_first().tag(data).codes, found)
    assert np.array_equal(tagged_first().tag(data, retag=True).codes, found)


def test_taggers_that_are_given(tmp_path: Path) -> None:
    pos = [[tag for _, tag in sentence] for sentence in X]
    ready = linnet.StructuredPerceptron(max_iter=2).fit(WORDS, pos)
    for given in (ready, {"pos": ready}):
        model = Tagger(tagger=given).fit(X, Y)
        assert model.taggers_["pos"] is ready
        assert "those of the data" in model.why_[0]
    model.save(tmp_path / "m.linnet")
    assert linnet.load(tmp_path / "m.linnet").spans(TEXT) == model.spans(TEXT)
    assert "none is needed" in Tagger(tagger="auto").fit(WORDS, Y).why_[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tagger": "hmm"}, "tagger must be 'auto', None"),
        ({"tagger": {"tag": linnet.HMM()}}, "no column 'tag' to learn from"),
        ({"tagger": "auto", "jackknife": 1}, "jackknife must be 0"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Tagger(**settings).fit(X[:20], Y[:20])


def test_streams_learn_no_taggers() -> None:
    with pytest.raises(RefusedError, match="partial_fit does not learn taggers"):
        Tagger(tagger="auto").partial_fit(X[:20], Y[:20])
