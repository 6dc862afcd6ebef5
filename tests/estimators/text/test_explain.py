"""Explanations add up to the score, whatever the features, the labels and the form of the weights."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linnet
from linnet import TextClassifier
from linnet.errors import DataError
from linnet.features import TextFeatures

from ...birds import BIRDS, HELD_TEXTS, SEVERAL, TEXTS, TWO_BIRDS, TWO_TEXTS

YEARS = [1990 + len(text) % 30 for text in TEXTS]
PLACES = ["fen" if "a" in text[:3] else "moor" for text in TEXTS]
MIXED = TextFeatures(word=(1, 2), chars_wb=(2, 3), lead=3, chars_first=40, mix={"lead": 0.5})
BESIDE = TextFeatures(statistics=["length", "digits"], numeric=["year"], categorical=["place"])

MODELS = {
    "auto": lambda: TextClassifier().fit(TEXTS, BIRDS),
    "two": lambda: TextClassifier().fit(TWO_TEXTS, TWO_BIRDS),
    "mix": lambda: TextClassifier(MIXED).fit(TEXTS, BIRDS),
    "mix, hashed": lambda: TextClassifier(
        TextFeatures(word=(1, 2), chars_wb=(2, 3), mix={}, hash_bits=5)
    ).fit(TEXTS, BIRDS),
    "nb": lambda: TextClassifier(TextFeatures(scale="nb", tf="count")).fit(TEXTS, BIRDS),
    "nb of two": lambda: TextClassifier(TextFeatures(scale="nb", norm="l1")).fit(TWO_TEXTS, TWO_BIRDS),
    "idf": lambda: TextClassifier(TextFeatures(scale="idf", tf="sublinear", elementwise="square")).fit(
        TEXTS, BIRDS
    ),
    "hashed": lambda: TextClassifier(TextFeatures(hash_bits=8)).fit(TEXTS, BIRDS),
    "hashed, named": lambda: TextClassifier(TextFeatures(hash_bits=8, keep_names=True)).fit(
        TEXTS, BIRDS
    ),
    "several": lambda: TextClassifier().fit(TEXTS, SEVERAL),
    "naive Bayes": lambda: TextClassifier(classifier=linnet.NaiveBayes()).fit(TWO_TEXTS, TWO_BIRDS),
    "skip and shape": lambda: TextClassifier(TextFeatures(word=None, skip=2, shape=True)).fit(
        TEXTS, BIRDS
    ),
    "stream": lambda: TextClassifier().partial_fit(TEXTS, BIRDS),
    "quantised": lambda: TextClassifier().fit(TEXTS, BIRDS).quantize(),
    "quantised mix, few": lambda: TextClassifier(MIXED).fit(TEXTS, BIRDS).quantize(4, keep=60),
    "quantised nb": lambda: (
        TextClassifier(TextFeatures(scale="nb")).fit(TWO_TEXTS, TWO_BIRDS).quantize()
    ),
    "quantised several": lambda: TextClassifier().fit(TEXTS, SEVERAL).quantize(names=True),
    "quantised hashed": lambda: TextClassifier(TextFeatures(hash_bits=8)).fit(TEXTS, BIRDS).quantize(),
}


@cache
def model_of(name: str) -> TextClassifier:
    return MODELS[name]()


def assert_adds_up(model: TextClassifier, text: str, columns: dict | None = None) -> None:
    found = model.explain(text, columns)
    X = [text] if columns is None else {"text": [text]} | {k: [v] for k, v in columns.items()}
    scores = model._scores(X)[0]
    total = found.bias + sum((piece.contributions for piece in found.pieces), np.zeros(len(scores)))
    size = sum((np.abs(p.contributions) for p in found.pieces), np.abs(found.bias))
    np.testing.assert_allclose(total, found.scores, atol=1e-9 + 1e-9 * size.max())
    np.testing.assert_allclose(scores, found.scores, atol=1e-5 + 2e-5 * size.max())
    assert all(0 <= piece.begin <= piece.end <= len(found.text) for piece in found.pieces)


words = st.lists(
    st.sampled_from([*" ".join(TEXTS[:6]).split(), "é", "漢字", "!", "\ud800", "zzz"]), max_size=12
)


@pytest.mark.parametrize("name", MODELS)
@settings(max_examples=12, deadline=None)
@given(text=words.map(" ".join) | st.text(max_size=20))
def test_contributions_add_up(name: str, text: str) -> None:
    assert_adds_up(model_of(name), text)


@pytest.mark.parametrize("name", MODELS)
def test_explains_its_own_label(name: str) -> None:
    model = model_of(name)
    for text in HELD_TEXTS[:8]:
        assert_adds_up(model, text)
        if not model.several_:
            assert model.explain(text).label == model.predict([text])[0]


def test_votes_are_not_explained_by_weights() -> None:
    model = TextClassifier(classifier=linnet.VotedPerceptron()).fit(TEXTS, BIRDS)
    with pytest.raises(ValueError, match="votes"):
        model.explain("a text")
    with pytest.raises(ValueError, match="votes"):
        model.quantize()


# ---------------------------------------------------------------------- columns beside the text


@pytest.mark.parametrize("source", ["dict", "pandas", "polars", "pyarrow"])
def test_columns_beside_the_text(source: str, tmp_path: Path) -> None:
    columns = {"text": TEXTS, "year": YEARS, "place": PLACES}
    if source == "dict":
        X = columns
    elif source == "pyarrow":
        X = pytest.importorskip("pyarrow").table(columns)
    else:
        X = pytest.importorskip(source).DataFrame(columns)
    model = TextClassifier(BESIDE).fit(X, BIRDS)
    names = list(model.features_.names)[-5:]
    assert names == [
        "text:length",
        "text:digits",
        "column:year",
        "column:place=fen",
        "column:place=moor",
    ]
    assert model.get_feature_names_out().shape == (model.coef_.shape[1],)
    assert model.score(X, BIRDS) == 1.0
    rows = model.features_.rows(TEXTS, columns=columns).scipy()
    expected = rows @ model.coef_.T.astype(np.float64) + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-4)
    assert_adds_up(model, TEXTS[0], {"year": YEARS[0], "place": PLACES[0]})
    assert_adds_up(model, "", {"year": 3, "place": "elsewhere"})
    with pytest.raises(DataError, match="no column 'year'"):
        model.predict(TEXTS)
    for form in (model, model.quantize(), model.quantize(bits=4, keep=100)):
        form.save(tmp_path / "m")
        found = linnet.load(tmp_path / "m")
        np.testing.assert_array_equal(found.decision_function(X), form.decision_function(X))
        assert_adds_up(found, TEXTS[0], {"year": YEARS[0], "place": PLACES[0]})


def test_the_text_column_may_have_another_name() -> None:
    model = TextClassifier(text="note").fit({"note": TEXTS, "text": BIRDS}, BIRDS)
    np.testing.assert_array_equal(model.predict({"note": TEXTS}), model.predict(TEXTS))


def test_columns_decide_where_the_text_says_nothing() -> None:
    X = {"text": ["same"] * 20, "place": ["fen", "moor"] * 10}
    features = TextFeatures(categorical=["place"])
    model = TextClassifier(features).fit(X, [1, 2] * 10)
    assert model.predict(X).tolist() == [1, 2] * 10
    several = TextClassifier(features, C=100.0).fit(X, [["fen"], []] * 10)
    assert several.predict(X) == [("fen",), ()] * 10
    by_ratio = TextClassifier(TextFeatures(categorical=["place"], scale="nb"))
    assert by_ratio.fit(X, [1, 2] * 10).predict(X).tolist() == [1, 2] * 10


# ---------------------------------------------------------------------- hashing, quantising


def test_hashing_with_and_without_names() -> None:
    plain = TextClassifier(TextFeatures(hash_bits=14)).fit(TEXTS, BIRDS)
    named = TextClassifier(TextFeatures(hash_bits=14, keep_names=True)).fit(TEXTS, BIRDS)
    np.testing.assert_array_equal(plain.coef_, named.coef_)
    assert plain.coef_.shape == (6, 1 << 14)
    at = next(iter(named.features_.rows(["gorse"]).indices))
    assert plain.get_feature_names_out()[at] == f"hash:{at}"
    assert "gorse" in named.get_feature_names_out()[at]
    interned = TextClassifier(TextFeatures()).fit(TEXTS, BIRDS)
    np.testing.assert_array_equal(plain.predict(TEXTS), interned.predict(TEXTS))


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("limit", [{}, {"keep": 200}, {"max_bytes": 16_000}, {"names": True}], ids=str)
@pytest.mark.parametrize("labels", ["two", "six", "several"])
def test_quantised_models(bits: int, limit: dict, labels: str, tmp_path: Path) -> None:
    X = TWO_TEXTS if labels == "two" else TEXTS
    y = {"two": TWO_BIRDS, "six": BIRDS, "several": SEVERAL}[labels]
    model = TextClassifier(TextFeatures(word=(1, 1), scale="idf"), C=20.0).fit(X, y)
    small = model.quantize(bits, **limit)
    assert small.model_.packed
    assert not model.model_.packed  # the original stays
    agreement = np.mean([a == b for a, b in zip(small.predict(X), model.predict(X), strict=True)])
    assert agreement > (0.55 if "max_bytes" in limit else 0.8 if "keep" in limit else 0.95)
    small.save(tmp_path / "m")
    found = linnet.load(tmp_path / "m")
    np.testing.assert_array_equal(found.decision_function(X), small.decision_function(X))
    np.testing.assert_array_equal(found.predict_proba(X), small.predict_proba(X))
    np.testing.assert_array_equal(found.coef_, small.coef_)
    if "max_bytes" in limit:
        assert (tmp_path / "m").stat().st_size <= limit["max_bytes"]
    if "names" in limit:
        assert {"gorse"} <= set(found.get_feature_names_out())
    with pytest.raises(ValueError, match="quantized already"):
        small.quantize()
    again = model.quantize(bits, **limit)
    np.testing.assert_array_equal(again.decision_function(X), small.decision_function(X))


@pytest.mark.filterwarnings("ignore::linnet.errors.TrainingWarning")
def test_max_bytes_bounds_the_file_whatever_the_record(tmp_path: Path) -> None:
    long = TextClassifier(TextFeatures(), "logistic", "sgd", max_iter=300, tol=0).fit(TEXTS, BIRDS)
    long.quantize(max_bytes=70_000).save(tmp_path / "m")
    assert 40_000 < (tmp_path / "m").stat().st_size <= 70_000
    values = {"text": TEXTS, "note": [text[:30] for text in TEXTS]}
    wide = TextClassifier(TextFeatures(categorical=["note"])).fit(values, BIRDS)
    wide.quantize(max_bytes=30_000).save(tmp_path / "m")
    assert 15_000 < (tmp_path / "m").stat().st_size <= 30_000
    with pytest.raises(ValueError, match="max_bytes=500 leaves no room"):
        long.quantize(max_bytes=500)
