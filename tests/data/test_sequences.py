"""Sentences of tokens from lists, and parts of them."""

import numpy as np
import pytest

from linnet.data import Sequences, fingerprint
from linnet.errors import DataError


def test_words_and_tags() -> None:
    made = Sequences.from_lists(iter([iter(["a", "linnet"]), ["sings"]]), [["D", None], ["V"]])
    assert (len(made), made.tokens, made.lengths.tolist()) == (2, 3, [2, 1])
    assert made.column("word") == [["a", "linnet"], ["sings"]]
    assert made.tags() == [["D", None], ["V"]]
    assert made.labels is not None
    assert made.labels.codes.tolist() == [0, -1, 1]


def test_columns() -> None:
    made = Sequences.from_lists([[("a", "DT", "x"), ("b", "NN", "y")]])
    assert list(made.columns) == ["word", "pos", "2"]
    assert made.column("pos") == [["DT", "NN"]]
    named = Sequences.from_lists([[("a", "DT")]], names=["form", "xpos"])
    assert named.column("xpos") == [["DT"]]


def test_attributes() -> None:
    made = Sequences.from_lists([[{"w": "a", "n": 2.5, "yes": True, "no": False, "none": None}]])
    assert made.attribute_names == ["n", "w=a", "yes"]
    assert made.attributes is not None
    entries = dict(zip(made.attributes.indices.tolist(), made.attributes.values.tolist(), strict=True))
    assert entries == {0: 2.5, 1: 1.0, 2: 1.0}
    listed = Sequences.from_lists([[["a", "b", "a"], []]])
    assert listed.attributes is not None
    assert listed.attributes.indptr.tolist() == [0, 2, 2]
    assert sorted(listed.attributes.values.tolist()) == [1.0, 2.0]


def test_take() -> None:
    made = Sequences.from_lists(
        [["a", "b"], ["c"], ["d", "e", "f"]], [["X", "Y"], ["Z"], ["X", "X", "Y"]], weights=[1, 2, 3]
    )
    part = made.take([2, 0, 2])
    assert part.column("word") == [["d", "e", "f"], ["a", "b"], ["d", "e", "f"]]
    assert part.tags() == [["X", "X", "Y"], ["X", "Y"], ["X", "X", "Y"]]
    assert part.weights is not None
    assert part.weights.tolist() == [3, 1, 3]
    rows = Sequences.from_lists([[["a"], ["b"]], [["c"]]]).take([1])
    assert rows.attributes is not None
    assert rows.attributes.indices.tolist() == [2]


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([], None, "there are no sentences"),
        ([["a"], []], None, "sentence 2 is empty"),
        (["ab"], None, "sentence 1 is of type str"),
        ([3], None, "sentence 1 is of type int"),
        ([["a"]], [["X"], ["Y"]], "X has 1 sentences, but y has 2"),
        ([["a"]], [["X", "Y"]], "sentence 1 has 1 tokens, but 2 tags"),
        ([[("a", "b"), ("c",)]], None, "token 2 is .* the first one has 2 columns"),
        ([["a", 3]], None, "token 2 is 3"),
        ([[{"a": 1}, "b"]], None, "a token is 'b' where others"),
        ([[["a", 3]]], None, "an attribute is 3"),
        ([[{"a": [1]}]], None, "the attribute 'a' is"),
        ([[{"a": float("nan")}]], None, "'a' has a value that is not a finite number"),
    ],
)
def test_what_is_wrong_is_told(X: list, y: list | None, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Sequences.from_lists(X, y)


def test_parts_must_fit() -> None:
    good = Sequences.from_lists([["a", "b"], ["c"]])
    with pytest.raises(DataError, match="offsets of sentences"):
        Sequences(good.columns, np.array([0, 2, 1]))
    with pytest.raises(DataError, match="the sentences have 2 tokens, but column 'word' has 3"):
        Sequences(good.columns, np.array([0, 2]))
    with pytest.raises(DataError, match="2 sentences, but 1 weights"):
        Sequences(good.columns, good.offsets, weights=np.ones(1))
    with pytest.raises(DataError, match="columns or attributes"):
        Sequences({}, np.array([0]))


def test_fingerprints() -> None:
    made = [
        Sequences.from_lists([["a", "b"], ["c"]], [["X", None], ["Y"]]),
        Sequences.from_lists([["a", "b"], ["c"]], [["X", "Y"], ["Y"]]),
        Sequences.from_lists([["a", "b", "c"]], [["X", None, "Y"]]),
        Sequences.from_lists([["a", "b"], ["d"]], [["X", None], ["Y"]]),
        Sequences.from_lists([[["a"], ["b"]]]),
        Sequences.from_lists([[["a"], ["c"]]]),
    ]
    assert len({fingerprint(sequences) for sequences in made}) == len(made)
    again = Sequences.from_lists([["a", "b"], ["c"]], [["X", None], ["Y"]])
    assert fingerprint(again) == fingerprint(made[0])
