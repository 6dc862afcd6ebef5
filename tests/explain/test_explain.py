"""Explanations: they sum to the score, cover the text, and show it safely."""

from __future__ import annotations

import io
import json
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import linnet
import linnet._core as core
from linnet.errors import DataError
from linnet.explain import Explanation, explain, top_weights
from linnet.explain.top_weights import largest
from linnet.features import TextFeatures, quantise
from linnet.model import LinearModel

TRAIN = ["the cat sat on the mat", "a dog bit the cat", "naïve café <b>bold</b> & more", "東京 タワー!"]


def a_model(features: TextFeatures, width: int, seed: int = 0) -> LinearModel:
    weights = np.zeros((features.n_features + 1, core.padded(width)), dtype=np.float32)
    weights[:, :width] = np.random.default_rng(seed).normal(size=(len(weights), width))
    return LinearModel(weights, width, 0.5)


def an_explanation(text: str, width: int = 1, **settings: object) -> Explanation:
    features = TextFeatures(**settings)
    features.fit_rows(TRAIN, np.array([0, 1, 0, 1], dtype=np.int32), 2)
    classes = ["neg", "pos"] if width == 1 else [f"label {y}" for y in range(width)]
    return explain(features, a_model(features, width), classes, text)


KINDS = [
    {"word": (1, 2), "scale": "nb"},
    {"word": (1, 2), "chars_wb": (2, 4), "tf": "sublinear", "scale": "idf"},
    {"word": (1, 1), "skip": 2, "shape": True, "tf": "count", "norm": "l1"},
    {"word": (1, 2), "hash_bits": 4, "tf": "count", "elementwise": "square"},
    {"word": None, "chars": (1, 3), "norm": "none", "lowercase": False},
]
anything = st.text(max_size=40) | st.lists(st.sampled_from(" ".join(TRAIN).split()), max_size=12).map(
    " ".join
)


@settings(max_examples=150, deadline=None)
@given(anything, st.sampled_from(KINDS), st.sampled_from([1, 3]), st.sampled_from([None, 8, 4]))
def test_contributions_sum_to_the_score(
    text: str, kind: dict[str, object], width: int, bits: int | None
) -> None:
    features = TextFeatures(**kind)
    features.fit_rows(TRAIN, np.array([0, 1, 0, 1], dtype=np.int32), 2)
    model = a_model(features, width)
    scorer = features.scorer(model.weights, width, model.bias)
    if bits is not None:
        features, packed = quantise(features, model.weights, width, bits=bits)
        model = LinearModel(packed.block(), width, model.bias)
        scorer = features.scorer(packed, width, model.bias)
    classes = ["a", "b"] if width == 1 else ["a", "b", "c"]
    explanation = explain(features, model, classes, text)
    contributions = np.array([p.contributions for p in explanation.pieces]).reshape(-1, width)
    size = np.abs(explanation.bias) + np.abs(contributions).sum(axis=0)
    summed = explanation.bias + contributions.sum(axis=0)
    assert (np.abs(summed - explanation.scores) <= 1e-12 * size).all()
    scores = scorer.scores([text])[0]
    assert (np.abs(summed - scores) <= 1e-6 * size + 1e-12).all()
    for piece in explanation.pieces:
        assert 0 <= piece.begin <= piece.end <= len(explanation.text)
    spread = [explanation.by_character(y).sum() for y in range(width)]
    np.testing.assert_allclose(spread, contributions.sum(axis=0), atol=1e-9 * size.max())
    for y in range(width):
        assert "".join(characters for characters, _ in explanation.runs(y)) == explanation.text


def test_repeated_features_share_evenly_and_unknown_ones_are_counted() -> None:
    explanation = an_explanation("the CAT, the zebra the cat", word=(1, 1))
    cats = [p for p in explanation.pieces if p.name == "cat"]
    assert [explanation.text[p.begin : p.end] for p in cats] == ["CAT", "cat"]
    assert cats[0].contributions == cats[1].contributions
    assert explanation.unknown == 2  # the comma and the zebra
    (the,) = (row for row in explanation.by_feature() if row[0] == "the")
    assert the[2] == 3


def test_characters_are_counted_not_bytes() -> None:
    explanation = an_explanation("ÄÖ naïve café 東京", word=(1, 1))
    found = {p.name: explanation.text[p.begin : p.end] for p in explanation.pieces}
    assert found["naïve"] == "naïve"
    assert found["café"] == "café"
    assert found["東"] == "東"


def test_surrogates_and_bytes_are_read_as_the_analyzer_reads_them() -> None:
    explanation = an_explanation("cat \ud800 mat", word=(1, 1))
    assert explanation.text == "cat \ufffd mat"
    explanation.to_html().encode()
    assert {p.name for p in explanation.pieces} == {"cat", "mat"}


def test_the_label_follows_the_tie_rule() -> None:
    explanation = an_explanation("", width=3)
    tied = Explanation("", ["a", "b"], None, np.zeros(2), np.zeros(2), [], 0)
    assert tied.label == "a"
    binary = Explanation("", ["b"], "a", np.zeros(1), np.zeros(1), [], 0)
    assert binary.label == "a"
    assert explanation.label == explanation.labels[int(np.argmax(explanation.scores))]


def test_columns_beside_the_text_are_pieces_too() -> None:
    features = TextFeatures(word=(1, 1), statistics=("length",), numeric=("stars",))
    features.fit_rows(TRAIN, columns={"stars": np.arange(4.0)})
    model = a_model(features, 1)
    explanation = explain(features, model, ["a", "b"], "the cat", columns={"stars": 2.0})
    names = [p.name for p in explanation.pieces]
    assert names[-2:] == ["text:length", "column:stars"]
    scores = features.scorer(model.weights, 1, model.bias).scores(
        ["the cat"], columns={"stars": np.array([2.0])}
    )
    np.testing.assert_allclose(explanation.scores, scores[0], rtol=1e-6)


def test_data_is_ready_for_json() -> None:
    explanation = an_explanation("the cat", width=3)
    data = json.loads(json.dumps(explanation.to_dict()))
    total = np.array(data["bias"]) + np.sum([p["contributions"] for p in data["pieces"]], axis=0)
    np.testing.assert_allclose(total, data["scores"])
    assert data["label"] == explanation.label


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="<>&\"'/cat script onerror=x", max_size=40))
def test_html_shows_any_text_and_runs_none(text: str) -> None:
    explanation = an_explanation(text + " cat", chars=(1, 2))
    reader = _Reader()
    reader.feed(explanation.to_html())
    reader.close()
    allowed = {"div", "style", "h3", "h4", "p", "span", "details", "summary", "table", "tr", "td"}
    allowed |= {"small"}
    assert set(reader.tags) <= allowed
    assert explanation.text in reader.text


def test_the_terminal_shows_text_and_features_without_markup() -> None:
    explanation = an_explanation("the [bold]cat[/bold] cat", width=5)
    out = io.StringIO()
    Console(file=out, width=100, force_terminal=True, color_system="truecolor").print(explanation)
    assert "[bold]" in out.getvalue() or "bold" in out.getvalue()
    assert "\x1b[" in out.getvalue()
    plain = io.StringIO()
    Console(file=plain, width=100).print(explanation)
    assert "\x1b[" not in plain.getvalue()
    assert "the [bold]cat[/bold] cat" in plain.getvalue()
    assert "cat (×2)" in str(explanation)
    assert "unknown" in str(explanation)


def test_an_empty_text_has_only_the_bias() -> None:
    explanation = an_explanation("")
    np.testing.assert_array_equal(explanation.scores, explanation.bias)
    assert explanation.pieces == []
    assert explanation.runs() == []
    assert str(explanation)
    assert explanation.to_html()


def test_top_weights_by_name() -> None:
    features = TextFeatures(word=(1, 1), scale="nb")
    features.fit_rows(TRAIN, np.array([0, 1, 0, 1], dtype=np.int32), 2)
    model = a_model(features, 1)
    products = dict(zip(features.names, model.weights[1:, 0] * features.values, strict=True))
    top = top_weights(features, model, ["neg", "pos"], 3)
    best = sorted(products, key=lambda name: -products[name])
    assert [name for name, _ in top.labels["pos"]] == best[:3]
    assert [name for name, _ in top.labels["neg"]] == best[:-4:-1]
    assert all(weight > 0 for rows in top.labels.values() for _, weight in rows)
    assert top.intercepts["pos"] == -top.intercepts["neg"] == pytest.approx(0.5 * model.weights[0, 0])
    assert best[0] in str(top)
    json.dumps(top.to_dict())
    out = io.StringIO()
    Console(file=out, width=80).print(top)
    assert best[0] in out.getvalue()


def test_top_weights_of_several_labels() -> None:
    features = TextFeatures(word=(1, 1))
    features.fit_rows(TRAIN)
    model = a_model(features, 3)
    top = top_weights(features, model, ["a", "b", "c"], 1000)
    for y, label in enumerate("abc"):
        assert len(top.labels[label]) == (model.weights[1:, y] > 0).sum()


def test_top_weights_without_names() -> None:
    features = TextFeatures(word=(1, 1), hash_bits=4)
    features.fit_rows(TRAIN)
    model = a_model(features, 1)
    assert top_weights(features, model, ["a", "b"], 2).labels["a"][0][0].startswith("hash:")
    features = TextFeatures(word=(1, 1))
    features.fit_rows(TRAIN)
    small, packed = quantise(features, a_model(features, 1).weights, 1)
    with pytest.raises(DataError, match="dropped"):
        top_weights(small, LinearModel(packed.block(), 1, 1.0), ["a", "b"])
    named, packed = quantise(features, a_model(features, 1).weights, 1, names=True)
    top = top_weights(named, LinearModel(packed.block(), 1, 1.0), ["a", "b"], 5)
    assert {name for name, _ in top.labels["a"]} <= set(features.names)


def test_of_equal_weights_the_earlier_come_first() -> None:
    values = np.array([1.0, 3.0, 2.0, 3.0, -1.0, 2.0, 2.0, 0.0])
    assert largest(values, 3) == [1, 3, 2]
    assert largest(values, 20) == [1, 3, 2, 5, 6, 0]


def test_inspect_of_rows_names_features_and_turns_the_sign_of_the_first_of_two_labels() -> None:
    birds = [{"brown": 1, "red forehead": 1}, {"tiny": 1, "cocked tail": 1}]
    model = linnet.LinearSVM().fit(birds, ["linnet", "wren"])
    found = model.inspect(2)
    assert {name for name, _ in found.labels["linnet"]} == {"brown", "red forehead"}
    assert {name for name, _ in found.labels["wren"]} == {"tiny", "cocked tail"}
    assert all(weight > 0 for rows in found.labels.values() for _, weight in rows)
    assert str(found).startswith("linnet\n    +0.5000  ")
    with pytest.raises(ValueError, match="top must be a whole number"):
        model.inspect(1.5)
