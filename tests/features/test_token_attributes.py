"""Attributes that come with the tokens, as CRFsuite has them."""

from __future__ import annotations

import numpy as np
import pytest

from linnet.data import as_texts
from linnet.data.attributes import attribute_rows
from linnet.errors import DataError
from linnet.features import TokenFeatures

from .token_sentences import Sentences, named


def test_attributes_are_features_as_they_are() -> None:
    items = [[{"w": "The", "n": 2.5}, ["bird", "bird"]], [["bird"]]]
    rows, names, offsets = attribute_rows(items)
    features = TokenFeatures(templates=["word"])
    alone = Sentences({}, offsets, rows, names)
    expected = [{"w=The": 1.0, "n": 2.5}, {"bird": 2.0}, {"bird": 1.0}]
    assert named(features.fit_rows(alone), features.names) == expected
    columns = {"word": as_texts(["a", "b", "c"])}
    both = features.fit_rows(Sentences(columns, offsets, rows, names))
    assert named(both, features.names)[0] == {"word[0]=a": 1.0, "w=The": 1.0, "n": 2.5}
    other, others, _ = attribute_rows([[["new", "bird"]]])
    known = features.rows(Sentences({"word": as_texts(["c"])}, np.array([0, 1]), other, others))
    assert named(known, features.names) == [{"word[0]=c": 1.0, "bird": 1.0}]


def test_attributes_are_numbered_as_crfsuite_does() -> None:
    items = [
        [{"b": "x", "a": 2, "t": True, "f": False, "p": {"q": "r", "s": 0.5}}, ["z", "b=x", "z"]],
        [{"l": ["u", "v"], "b": "x"}],
    ]
    rows, names, offsets = attribute_rows(iter(items))
    assert names == ["b=x", "a", "t", "f", "p:q=r", "p:s", "z", "l:u", "l:v"]
    assert offsets.tolist() == [0, 2, 3]
    assert named(rows, names) == [
        {"b=x": 1, "a": 2, "t": 1, "p:q=r": 1, "p:s": 0.5},
        {"z": 2, "b=x": 1},
        {"l:u": 1, "l:v": 1, "b=x": 1},
    ]


def test_attributes_are_read_as_crfsuite_does() -> None:
    crfsuite = pytest.importorskip("pycrfsuite")
    sentence = [{"b": "x", "a": 2, "t": True, "p": {"q": "r", "s": 0.5}}, ["z", "y"], {"l": ["u", "v"]}]
    rows, names, _ = attribute_rows([sentence])
    theirs = [name.replace("=", ":") for name in names]  # they write b:x where we write b=x
    assert named(rows, theirs) == crfsuite.ItemSequence(sentence).items()


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (["ab"], "a sentence 0 is a str"),
        ([["ab"]], "an item of sentence 0 is a str"),
        ([[["a"], [3]]], "sentence 0, token 1: the name of an attribute is of type int"),
        ([[{"a": None}]], "the attribute 'a' is None; use a finite number"),
        ([[{"a": float("nan")}]], "the attribute 'a' is nan"),
        ([[3]], "not iterable"),
        (3, "not iterable"),
    ],
)
def test_bad_attributes_say_where_they_are(items: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        attribute_rows(items)
