"""The language of templates: what it says, what it refuses, classes and lexicons."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from linnet.data import as_texts
from linnet.data.examples import LabelColumn
from linnet.errors import DataError
from linnet.features import Lexicon, TokenFeatures
from linnet.features.recipes import RECIPES

from .token_sentences import BIRDS, Sentences, assert_same, fitted, sentences


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("word", {"word[0]=linnets"}),
        ("  word [0]".replace(" [", "["), {"word[0]=linnets"}),
        ("word[-1..+1]", {"word[-1]=U.S.", "word[0]=linnets", "word[1]=sang"}),
        ("prefix2..3", {"prefix2[0]=li", "prefix3[0]=lin"}),
        ("suffix1..2[-1..0]", {"suffix1[-1]=.", "suffix2[-1]=S.", "suffix1[0]=s", "suffix2[0]=ts"}),
        ("1[0]", {"1[0]=NNS"}),
        ("column(pos)[1]", {"column(pos)[1]=VBD"}),
        ("shape(pos)", {"shape(pos)[0]=X"}),
        ("pos[0] word[-1..0]", {"pos[0]=NNS word[-1]=U.S.", "pos[0]=NNS word[0]=linnets"}),
        ("bias", {"bias"}),
        ("first", set()),
        ("bias lower[4]", {"bias lower[4]=!"}),
        ("class[2]", {"hyphen[2]"}),
        ("class[4]", {"punctuation[4]"}),
        ("all-caps[-1]", {"all-caps[-1]"}),
        ("# word", set()),
        ("", set()),
        ("class[-3]", set()),
        ("word[-3]", {"word[-3]=_B-2"}),
    ],
)
def test_templates_read_as_the_manual_says(template: str, expected: set[str]) -> None:
    assert set(fitted([template], BIRDS)[4]) == expected


def test_first_and_last() -> None:
    found = fitted(["first", "last"], BIRDS)
    assert [set(row) for row in found[:3]] == [{"first"}, set(), {"last"}]
    assert set(found[-1]) == {"first", "last"}


def test_templates_come_as_list_lines_file_or_recipe(tmp_path: Path) -> None:
    (tmp_path / "templates").write_text("word\n# comment\nsuffix3\n", encoding="utf-8")
    expected = fitted(["word", "suffix3"], BIRDS)
    assert fitted("word\nsuffix3", BIRDS) == expected
    assert fitted(tmp_path / "templates", BIRDS) == expected
    assert fitted(str(tmp_path / "templates"), BIRDS) == expected
    for name, lines in RECIPES.items():
        without_tags = [line for line in lines if "usual" not in line]
        assert fitted(name, BIRDS) == fitted(without_tags, BIRDS)


def test_usual_tags_are_learnt_where_there_are_tags() -> None:
    words = ["the", "song", "the", "Song", "A", "song", "the", "rare"]
    tags = LabelColumn.from_values(["D", "N", "D", "N", "D", "V", "D", "V"])
    offsets = np.array([0, 4, 8])
    data = SimpleNamespace(columns={"word": as_texts(words)}, offsets=offsets, labels=tags)
    features = TokenFeatures(templates=["usual[-1] usual[0]", "usual"])
    features.fit_rows(data)
    assert sorted(features.names) == ["usual[-1]=D usual[0]=N", "usual[-1]=N usual[0]=D",
                                      "usual[0]=D", "usual[0]=N"]  # fmt: skip
    untagged = SimpleNamespace(columns=data.columns, offsets=offsets)
    spec, tensors = json.loads(json.dumps(features.spec())), features.tensors()
    copy = TokenFeatures.from_parts(spec, tensors)
    assert copy.lexicons is None
    assert copy.spec() == features.spec()
    assert_same(features.rows(untagged), copy.rows(untagged))
    assert_same(copy.fit_rows(data), features.rows(untagged))
    own = TokenFeatures(templates=["usual"], lexicons={"usual": {"rare": "X"}})
    own.fit_rows(data)
    assert list(own.names) == ["usual[0]=X"]
    with pytest.raises(ValueError, match="no tags to learn from"):
        TokenFeatures(templates=["usual"]).fit_rows(untagged)


def test_recipes_do_without_columns_that_are_not_there() -> None:
    words = Sentences({"word": BIRDS.columns["word"]}, BIRDS.offsets)
    for name in RECIPES:
        assert not any("pos[" in each for row in fitted(name, words) for each in row)


def test_columns_of_other_names_are_found() -> None:
    renamed = {"form": BIRDS.columns["word"], "upos": BIRDS.columns["pos"]}
    assert fitted(["word pos"], Sentences(renamed, BIRDS.offsets)) == fitted(["word pos"], BIRDS)
    unnamed = {"0": BIRDS.columns["word"], "1": BIRDS.columns["pos"]}
    assert fitted(["word pos"], Sentences(unnamed, BIRDS.offsets)) == fitted(["word pos"], BIRDS)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("word[-1", r"'word\[-1', position 8: '\]' is expected; write a position as"),
        ("word[x]", r"position 6: a number is expected"),
        ("word]", r"position 5: a space or the end is expected"),
        ("wrd[0]", r"'wrd\[0\]', position 1: nothing is called 'wrd'; the columns are word, pos, and"),
        ("word[0] %", r"position 9: a name is expected"),
        ("lemma(x)", "nothing is called|there is no column 'x'"),
        ("lower(lemma)", "position 1: there is no column 'lemma'; the columns are word, pos"),
        ("7[0]", "there is no column '7'"),
        ("prefix", "prefix needs a length; write prefix3"),
        ("prefix0", "is no range of lengths"),
        ("suffix4..2", r"4\.\.2 is no range of lengths; write the smaller one first"),
        ("word1..2", "nothing is called 'word1'"),
        ("lower..2", "lower has no number"),
        ("word[2..-2]", r"position 5: \[2\.\.-2\] is no range of positions"),
        ("word[101]", "at most 100 tokens away"),
        ("bias[1]", "bias has no position; write bias alone"),
        ("transition:", "a value is expected"),
        ("column[0]", "column needs a name"),
        (" ".join(["word[-5..5]"] * 5), "stands for 161051 templates; use narrower ranges"),
        ("U00:%x[0,5]", "line 1 of the CRF.. template.*position 5: there is no column 5"),
        ("U00:%x[0,0]%y", r"position 12: '%' must begin a macro"),
        ("U00:%x[200,0]", "looks further than 100 tokens"),
        ("U00:%x[0,0]\nX", "line 2 of the CRF.. template, 'X', position 1"),
    ],
)
def test_bad_templates_say_what_to_do(template: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TokenFeatures(templates=template).fit_rows(BIRDS)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"templates": 3}, "templates must be 'pos'"),
        ({"templates": "chunks"}, "recipes are pos, chunk, ner, and no file has this name"),
        ({"classes": {"x": "("}}, "the class 'x' is no regular expression"),
        ({"lexicons": {"x": 3}}, "the lexicon 'x' is of type int"),
        ({"site": "arc"}, "site must be 'token' or 'pair'"),
        ({"hash_bits": 8, "min_df": 2}, "with hash_bits leave min_df"),
        ({"min_df": 1.5}, "min_df must be"),
        ({"max_features": 0}, "max_features must be at least 1"),
        ({"hash_bits": 40}, "hash_bits must be from 1 to 30"),
    ],
)
def test_bad_settings_say_what_to_do(settings: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TokenFeatures(**settings).fit_rows(BIRDS)


def test_says_which_column_is_missing() -> None:
    features = TokenFeatures(templates=["word pos"])
    with pytest.raises(ValueError, match="nothing yet; call fit_rows"):
        features.rows(BIRDS)
    features.fit_rows(BIRDS)
    with pytest.raises(
        DataError, match="look at the column 'pos', which is not there; the columns are word"
    ):
        features.rows(Sentences({"word": BIRDS.columns["word"]}, BIRDS.offsets))


# Classes and lexicons


def test_phrases_are_found_the_longest_first() -> None:
    places = {"New York": "LOC", "New York Times": "ORG", "paris": "LOC", "York": "PER"}
    text = ["the", "New", "York", "Times", "of", "New", "York", "and", "PARIS", "York", "Times"]
    data = sentences([[(word,) for word in text[:7]], [(word,) for word in text[7:]]], ["word"])
    found = fitted(["place"], data, lexicons={"place": places})
    values = [next(iter(row), "place[0]=-").removeprefix("place[0]=") for row in found]
    assert values == ["-", "B-ORG", "I-ORG", "I-ORG", "-", "B-LOC", "I-LOC", "-", "B-LOC", "B-PER", "-"]
    names = fitted(["name[-1] name"], data, lexicons={"name": ["New York", "Times"]})
    assert names[2] == {"name[-1]=B name[0]=I": 1}


def test_lexicons_are_read_from_files(tmp_path: Path) -> None:
    files = {
        "brown": "0110\tlinnet\t7\n10\tsings\t3\n",
        "values": "linnet\tbird\n",
        "phrases": "The linnet\n\nsings\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    lexicons = {name: tmp_path / name for name in files}
    found = fitted(["brown2..3", "brown", "values", "phrases"], BIRDS, lexicons=lexicons)
    assert set(found[1]) == {
        "brown2[0]=01",
        "brown3[0]=011",
        "brown[0]=0110",
        "values[0]=bird",
        "phrases[0]=I",
    }
    assert set(found[2]) == {"brown2[0]=10", "brown3[0]=10", "brown[0]=10", "phrases[0]=B"}
    (tmp_path / "ragged").write_text("a\tb\nc\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 2: 1 columns, but the first line has 2"):
        Lexicon.read(tmp_path / "ragged")
