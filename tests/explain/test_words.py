"""Explanations by word: pieces of words are gathered, nothing is lost, and people can read them."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import linnet
from linnet.explain import Explanation
from linnet.features import TextFeatures

TEXTS = ["the linnet sings", "a wren hides, well", "linnet: red forehead", "tiny wren; cocked tail"] * 3
LABELS = ["linnet", "wren"] * 6
KINDS = [
    {"word": (1, 2), "stop_words": ["the", "a"]},
    {"word": None, "chars_wb": (2, 4)},
    {"word": None, "chars": (1, 5), "lowercase": False},
    {"word": (1, 3), "skip": 2, "shape": True, "lead": 3, "min_length": 2},
    {"word": (1, 1), "tokens": "whitespace", "hash_bits": 6, "chars": (2, 3)},
    {"word": (1, 2), "punctuation": False, "statistics": ("length",), "mix": None},
]


def a_classifier(labels: list[str] = LABELS, **kind: object) -> linnet.TextClassifier:
    return linnet.TextClassifier(TextFeatures(**kind), loss="logistic").fit(TEXTS, labels)


CLASSIFIERS = [a_classifier(labels, **kind) for kind in KINDS for labels in (LABELS, [*"abcd"] * 3)]
anything = st.text(max_size=30) | st.lists(st.sampled_from(" ".join(TEXTS).split()), max_size=9).map(
    "  ".join
)


@settings(max_examples=150, deadline=None)
@given(anything, st.sampled_from(CLASSIFIERS))
def test_words_have_the_sum_that_features_have(text: str, model: linnet.TextClassifier) -> None:
    told = model.explain(text)
    width = len(told.labels)
    features = np.array([p.contributions for p in told.pieces]).reshape(-1, width)
    words = np.array([p.contributions for p in told.words]).reshape(-1, width)
    size = np.abs(features).sum(axis=0) + 1e-12
    assert (np.abs(words.sum(axis=0) - features.sum(axis=0)) <= 1e-12 * size).all()
    for y in range(width):
        assert "".join(run for run, _ in told.runs(y)) == told.text
        shaded = sum(value for _, value in told.runs(y))
        beside = sum(p.contributions[y] for p in told.pieces if not p.words)
        assert shaded + beside == pytest.approx(features[:, y].sum(), abs=1e-12 * size[y])
    for word in told.words[: len(told.spans)]:
        assert told.text[word.begin : word.end] == word.name != ""
        assert not any(character.isspace() for character in word.name)


def contributions(told: Explanation) -> dict[str, float]:
    return {name: total for name, total, _ in told.by_word()}


def test_pieces_of_a_word_are_gathered_into_it() -> None:
    told = a_classifier(word=None, chars_wb=(2, 3)).explain("linnet wren")
    for begin, end in ((0, 6), (7, 11)):
        inside = [p for p in told.pieces if begin <= p.begin and p.end <= end]
        total = sum(p.contributions[0] for p in inside)
        assert contributions(told)[told.text[begin:end]] == pytest.approx(total)
    assert {p.name for p in told.pieces} > {"chars_wb:lin", "chars_wb:ren"}


def test_an_ngram_of_several_words_is_shared_equally_among_them() -> None:
    told = a_classifier(word=(2, 2)).explain("the linnet sings")
    first, second = (p.contributions[0] for p in told.pieces)
    assert contributions(told) == pytest.approx(
        {"the": first / 2, "linnet": (first + second) / 2, "sings": second / 2}
    )


def test_words_that_are_skipped_or_left_out_have_no_share() -> None:
    told = a_classifier(word=None, skip=1).explain("the linnet sings")
    assert [(p.name, p.words) for p in told.pieces] == [("skip:the sings", (0, 2))]
    told = a_classifier(word=(2, 2), stop_words=["hides", ","]).explain("wren hides, well")
    assert [(p.name, p.words) for p in told.pieces] == [("wren well", (0, 3))]
    assert set(contributions(told)) == {"wren", "well"}


def test_by_feature_is_shown_feature_by_feature() -> None:
    model = a_classifier(word=None, chars_wb=(2, 3))
    told = model.explain("linnet wren", by="feature")
    assert "chars_wb:li" in str(told)
    assert "words" not in told.to_dict()
    assert "chars_wb" not in str(model.explain("linnet wren"))
    with pytest.raises(ValueError, match="by must be 'word' or 'feature', not 'letter'"):
        model.explain("linnet", by="letter")


def test_a_page_shades_words_and_has_a_heading_a_legend_and_the_probability() -> None:
    model = a_classifier(word=None, chars_wb=(1, 3))
    text = "linnet & <wren>"
    page = model.explain(text).to_html()
    probability = model.predict_proba([text]).max()
    label = model.predict([text])[0]
    assert f"<h3>label {label}, probability {probability:.3f}</h3>" in page
    assert "speaks for wren" in page
    assert "speaks for linnet" in page
    assert "an equal share" in page
    body = page[page.index("<h4>") :]
    shaded = re.findall(r'<span style="[^"]*" title="([^"]*)">([^<]*)</span>', body)
    assert {word for _, word in shaded} <= {"linnet", "wren", "&amp;", "&lt;", "&gt;"}
    told = dict(model.explain(text).runs())
    assert {word: f"{told[word]:+.4g}" for word in ("linnet", "wren")} == {
        word: number for number, word in shaded if word.isalpha()
    }


def test_the_terminal_has_them_too() -> None:
    told = a_classifier(word=(1, 2)).explain("the linnet sings")
    out = io.StringIO()
    Console(file=out, width=200).print(told)
    lines = out.getvalue().splitlines()
    assert lines[0] == f"label linnet, probability {told.probabilities['linnet']:.3f}"
    assert any("green  speaks for wren,  red  speaks for linnet, the fuller" in line for line in lines)
    assert str(told).splitlines()[0] == lines[0]


def test_margins_are_called_scores() -> None:
    model = linnet.TextClassifier(loss="hinge", calibration=None).fit(TEXTS, LABELS)
    told = model.explain("the linnet sings")
    assert told.probabilities is None
    score = -model.decision_function(["the linnet sings"])[0]
    assert str(told).startswith(f"label linnet, score {score:+.4f} (no probability: the scores are")
    assert told.to_dict()["probabilities"] is None


def test_several_labels_and_unsure_are_said_as_predicted() -> None:
    labels = [("bird", name) for name in LABELS]
    model = linnet.TextClassifier(loss="logistic").fit(TEXTS, labels)
    assert str(model.explain("the linnet sings")).startswith("bird, linnet; best label linnet, probab")
    model = linnet.TextClassifier(loss="logistic", thresholds=1.0).fit(TEXTS, LABELS)
    assert str(model.explain("the linnet sings")).startswith("unsure; best label linnet, probab")


def test_texts_and_tables_give_lists() -> None:
    model = linnet.TextClassifier(TextFeatures(numeric=("age",), categorical=("sex",)))
    table = {"text": TEXTS, "age": np.arange(12.0), "sex": ["f", "m", "m"] * 4}
    model.fit(table, LABELS)
    told = model.explain(table)
    assert len(told) == 12
    assert told[5].to_dict() == model.explain(TEXTS[5], {"age": 5.0, "sex": "m"}).to_dict()
    for one, score in zip(told, model.decision_function(table), strict=True):
        assert one.scores[0] == pytest.approx(score, abs=1e-5)
    assert [one.text for one in a_classifier(word=(1, 1)).explain(TEXTS[:2])] == TEXTS[:2]
    assert {"column:age", "column:sex=m"} <= {word.name for word in told[5].words}
    json.dumps(told[5].to_dict())
