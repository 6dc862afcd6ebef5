"""What is done to texts before they are cut: cleaning, and hooks of the user's."""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import linnet._core as core
from linnet.features import TextFeatures
from linnet.features.text.aligned import AlignedText
from linnet.features.text.cleaning import (
    cluster_edits,
    html_edits,
    normaliser,
    without_accents,
    without_html,
)
from linnet.features.text.hooks import HookError

CLEANED = {"strip_html": True, "normalize": "NFKC", "strip_accents": True}
unicode_texts = st.text(max_size=30) | st.text(
    "aé\u0301\u0323ｶﾞ각\u1100\u1161\u11a8ﬁ½ <b>&amp;\u212b", max_size=20
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>One</p><p>two</p>", " One  two "),
        ("<b>bold</b>ed &amp; &lt;b&gt; &#233;&#xe9; &nosuch; &copy", "bolded & <b> éé &nosuch; ©"),
        ("<a href=\"x > y\" title='<'>link</a>", "<a href=\"x > y\" title='<'>link"),
        ('<a href="x > y">link</a>', "link"),
        ("a < b and c > d, 1<2", "a < b and c > d, 1<2"),
        ("x<!-- <p>no</p> -->y<script>if (a<b) {}</script>z<STYLE>p{}</style>", "x y z "),
        ("<!DOCTYPE html><?xml version?>x", "  x"),
        ("never <b closed", "never <b closed"),
        ("x<!-- to the end", "x "),
    ],
)
def test_html(text: str, expected: str) -> None:
    assert without_html(text) == expected
    assert AlignedText.of(text).edited(html_edits(text)).text == expected


def test_html_takes_time_in_proportion() -> None:
    for piece in ("<a '", "<!-", '<a "x" ', "&a", "<script", "</", "<a href=\"'"):
        without_html(piece * 100_000)  # would take hours if it were quadratic


def test_accents_are_those_of_letters_not_signs_of_other_scripts() -> None:
    assert without_accents("Café naïve Ångström ΐ й ő Ệ") == "Cafe naive Angstrom ι и o E"
    assert without_accents("が 각 हिन्दी ไทย ß ø ł") == "が 각 हिन्दी ไทย ß ø ł"


@settings(max_examples=300, deadline=None)
@given(unicode_texts, st.sampled_from(["NFC", "NFKC", "accents"]))
@example("\u1100\u0300\u1161", "accents")  # what the accent kept apart is one syllable
def test_clusters_change_as_the_whole_does(text: str, form: str) -> None:
    change = without_accents if form == "accents" else normaliser(form)
    edited = AlignedText.of(text).edited(cluster_edits(text, change))
    assert edited.text == change(text)
    assert list(edited.begins) == sorted(edited.begins)
    assert all(b < e for b, e in zip(edited.begins, edited.ends, strict=True))


@settings(max_examples=100, deadline=None)
@given(st.lists(unicode_texts, min_size=1, max_size=4))
def test_rows_are_those_of_texts_cleaned_beforehand(texts: list[str]) -> None:
    def clean(text: str) -> str:
        return without_accents(unicodedata.normalize("NFKC", without_html(text)))

    plain = TextFeatures(word=(1, 2), chars=(2, 3))
    cleaning = TextFeatures(word=(1, 2), chars=(2, 3), **CLEANED)
    want = plain.fit_rows([clean(text) for text in texts])
    for found in (cleaning.fit_rows(texts), cleaning.rows(texts)):
        np.testing.assert_array_equal(found.indices, want.indices)
        np.testing.assert_array_equal(found.values, want.values)
    assert list(cleaning.names) == list(plain.names)
    grown = TextFeatures(word=(1, 2), chars=(2, 3), **CLEANED).grow_rows(texts)
    np.testing.assert_array_equal(grown.indices, want.indices)
    shape = (plain.n_features + 1, core.padded(2))
    weights = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    scores = [
        features.scorer(weights, 2, 1.0).scores(given)
        for features, given in ((cleaning, texts), (plain, [clean(text) for text in texts]))
    ]
    np.testing.assert_array_equal(*scores)


def test_occurrences_point_into_the_text_as_it_was() -> None:
    features = TextFeatures(word=(1, 1), **CLEANED)
    text = "<p>Un <b>ca</b>fe\u0301 &amp; ﬁn ½</p>"
    features.fit_rows([text])
    found = {name: text[begin:end] for _, begin, end, name, _ in features.occurrences(text)}
    assert found["cafe"] == "ca</b>fe\u0301"
    assert found["&"] == "&amp;"
    assert found["fin"] == "ﬁn"
    assert found["1"] == found["2"] == "½"  # two tokens of one character


def exclaim(text: str) -> str:
    return text.replace("?", "!")


def by_dashes(text: str) -> list[str]:
    return text.split("-")


def first_letters(text: str) -> list[str]:
    return [word[0] + "." for word in text.split()]


def test_a_preprocessor_and_a_tokenizer_of_the_users() -> None:
    features = TextFeatures(word=(1, 2), preprocessor=exclaim, tokenizer=by_dashes)
    features.fit_rows(["New-York-so?"])
    assert list(features.names) == ["new", "york", "so!", "new york", "york so!"]
    assert features.rows(["york-x"]).indices.tolist() == [1]
    by_path = TextFeatures(
        word=(1, 2),
        preprocessor=f"{__name__}:exclaim",
        tokenizer=f"{__name__}:by_dashes",
    )
    np.testing.assert_array_equal(by_path.fit_rows(["New-York-so?"]).indices, np.arange(5))
    assert list(by_path.names) == list(features.names)


def test_tokens_are_found_in_the_text_where_they_are_part_of_it() -> None:
    features = TextFeatures(word=(1, 2), tokenizer=by_dashes)
    features.fit_rows(["a-bc"])
    assert [(begin, end, name) for _, begin, end, name, _ in features.occurrences("a-bc")] == [
        (0, 1, "a"),
        (2, 4, "bc"),
        (0, 4, "a bc"),
    ]
    stems = TextFeatures(word=(1, 1), tokenizer=first_letters)
    stems.fit_rows(["one two"])
    aligned = stems.aligned("one two")
    assert aligned.shown == "o. t."  # what can be pointed into


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"preprocessor": lambda _: None}, "the preprocessor gave None for text 2; it must give a str"),
        ({"preprocessor": lambda text: text[9]}, r"the preprocessor failed on text 2 \(IndexError"),
        ({"tokenizer": lambda text: text}, "the tokenizer gave 'b' for text 2; it must give a list"),
        ({"tokenizer": lambda text: [text, 1]}, "the tokenizer gave the token 1 in text 2"),
        (
            {"tokenizer": lambda _: ["new york"]},
            "'new york' in text 2: a token may hold",
        ),
    ],
)
def test_hooks_that_go_wrong_are_told_with_the_text(setting: dict[str, Any], words: str) -> None:
    (name, wrong) = next(iter(setting.items()))
    right = {"preprocessor": str, "tokenizer": str.split}[name]
    features = TextFeatures(**{name: lambda text: (right if text == "a" else wrong)(text)})
    with pytest.raises(HookError, match=words):
        features.fit_rows(["a", "b"])


@pytest.mark.parametrize(
    ("setting", "error", "words"),
    [
        ({"normalize": "NFX"}, ValueError, "normalize must be 'NFC', 'NFKC' or None, not 'NFX'"),
        ({"strip_html": "yes"}, ValueError, "strip_html"),
        ({"preprocessor": 3}, ValueError, "preprocessor must be a callable or the path of one"),
        ({"tokenizer": "split"}, ValueError, "tokenizer must be a path such as 'module:function'"),
        ({"tokenizer": "no_such_module:f"}, HookError, "cannot be imported: No module named"),
        ({"tokenizer": "os:no_such"}, HookError, "cannot be imported: module 'os' has no"),
        ({"tokenizer": "os:sep"}, HookError, "'os:sep' is str, which cannot be called"),
    ],
)
def test_settings_that_make_no_sense(setting: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        TextFeatures(**setting).fit_rows(["a"])


def test_nothing_to_do_leaves_the_texts_where_they_lie() -> None:
    from linnet.data import as_texts

    texts = as_texts(["a", "b"])
    assert TextFeatures().prepared(texts) is texts
    assert TextFeatures(strip_html=True).prepared(texts) is not texts
