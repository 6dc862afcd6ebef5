"""Sentences as numbers in a file: what is read again is what was written."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from linnet.data import Sequences, Trees, fingerprint
from linnet.data.joined_sentences import join_sentences, join_trees
from linnet.data.kept import Keeping, Kept
from linnet.data.sections import DamagedError, Stored
from linnet.errors import DataError
from linnet.features import TokenFeatures
from linnet.features.events import WordEvents
from linnet.features.tokens import CountFeatures, CountUsual
from linnet.formats import read_sequences, read_trees

from ..estimators.shards import sample

TAGGED = read_sequences(sample("sightings-train.conll"))
TREES = read_trees(sample("rambles-train.conllu"))


def cut(data: Sequences | Trees, size: int = 70) -> list[Sequences | Trees]:
    return [
        data.take(np.arange(begin, min(begin + size, len(data)))) for begin in range(0, len(data), size)
    ]


def kept(parts: list[Sequences | Trees]) -> Kept:
    with tempfile.TemporaryFile() as file:
        keeping = Keeping(file)
        for part in parts:
            keeping.add(part)
        keeping.finish({})
        return Kept(Stored(file.fileno(), "kept"))


@pytest.mark.parametrize("size", [1, 70, 1000])
def test_sentences_come_back(size: int) -> None:
    found = kept(cut(TAGGED, size))
    assert (found.sentences, found.tokens) == (len(TAGGED), TAGGED.tokens)
    assert fingerprint(found.read(0, len(found.sizes))) == fingerprint(TAGGED)
    assert found.tags == TAGGED.labels.names
    assert found.tag_counts().tolist() == np.bincount(TAGGED.labels.codes).tolist()
    pieces = [part.tokens for part in found.parts(["pos"])]
    assert pieces == [tokens for _, tokens in found.sizes]


def test_trees_come_back() -> None:
    found = kept(cut(TREES))
    back = found.read_trees(0, len(found.sizes), "one", ["form", "upos"])
    assert back.heads.tolist() == TREES.heads.tolist()
    assert back.relation_lists() == TREES.relation_lists()
    assert back.column("upos") == TREES.column("upos")
    assert list(back.columns) == ["form", "upos"]


def test_missing_tags_weights_attributes_and_odd_bytes_come_back() -> None:
    odd = Sequences.from_lists(
        [[b"\xff\xfe", b"\xff\xfd"], ["a", ""], ["\U0001f426"]],
        [["X", None], [None, "Y"], ["X"]],
        [1, 2, 0.5],
    )
    found = kept(cut(odd, 1))
    assert fingerprint(found.read(0, 3)) == fingerprint(odd)
    assert found.facts["missing"] == 2
    assert found.facts["weight"] == 3.5
    named = Sequences.from_lists([[{"a": 1.0, "b": 0.5}], [{"c": 1, "a": 2}, ["b"]]][:1], [["X"]])
    more = Sequences.from_lists([[{"c": 1.0, "a": 2.0}, {"b": 1.0}]], [["Y", "X"]])
    back = kept([named, more]).read(0, 2)
    whole = Sequences.from_lists(
        [[{"a": 1.0, "b": 0.5}], [{"c": 1.0, "a": 2.0}, {"b": 1.0}]], [["X"], ["Y", "X"]]
    )
    assert fingerprint(back) == fingerprint(whole)


def test_shards_are_alike_in_size() -> None:
    found = kept(cut(TAGGED, 10))
    for tokens in (100, 900, 10**6):
        bounds = found.cut(tokens)
        assert bounds[0][0] == 0
        assert bounds[-1][1] == len(found.sizes)
        assert all(a[1] == b[0] for a, b in pairwise(bounds))
        sizes = [sum(t for _, t in found.sizes[begin:end]) for begin, end in bounds]
        largest = max(t for _, t in found.sizes)
        assert max(sizes) <= TAGGED.tokens / len(bounds) + largest


def test_damage_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    with path.open("wb") as file:
        keeping = Keeping(file)
        keeping.add(TAGGED)
        keeping.finish({})
    content = bytearray(path.read_bytes())
    content[6000] ^= 1
    path.write_bytes(content)
    stored = Stored.at(str(path))
    assert stored is not None
    with pytest.raises(DamagedError, match="its section piece 0 is damaged"):
        stored.check()


FEATURES = {
    "all": {"templates": "ner"},
    "rare ones go": {"templates": "ner", "min_df": 3},
    "a share": {"templates": "pos", "min_df": 0.002, "keep_names": True},
    "the most frequent": {"templates": "chunk", "min_df": 2, "max_features": 150},
    "hashed": {"templates": "pos", "hash_bits": 12, "keep_names": True},
}


class Elsewhere(list):
    """Parts that are asked where they lie."""

    def each(self, call):
        return (call(part) for part in self)


@pytest.mark.parametrize("name", FEATURES)
def test_features_of_parts_are_numbered_as_of_all(name: str) -> None:
    whole = TokenFeatures(**FEATURES[name])
    rows = whole.fit_rows(TAGGED)
    parts = [replace(part, labels=part.labels) for part in cut(TAGGED)]
    for given in (kept(parts).parts(), Elsewhere(parts)):
        found = TokenFeatures(**FEATURES[name]).fit_parts(given)
        assert found.n_features == whole.n_features
        assert list(found.names) == list(whole.names)
        again = found.rows(TAGGED)
        assert again.indices.tolist() == rows.indices.tolist()
    assert CountFeatures(found)(parts[0])[0] == parts[0].tokens
    assert len(CountUsual("word")(parts[0])) == 3


def test_events_of_parts_are_those_of_all() -> None:
    whole = WordEvents()
    rows = whole.fit_rows(TAGGED)
    found = WordEvents().fit_parts(kept(cut(TAGGED)).parts())
    assert found.rows(TAGGED).indices.tolist() == rows.indices.tolist()
    assert list(found.names) == list(whole.names)


def test_joined_sentences_know_their_files() -> None:
    parts = [replace(part, source=f"file {k}") for k, part in enumerate(cut(TAGGED, 100))]
    joined = join_sentences(parts)
    assert fingerprint(joined) == fingerprint(TAGGED)
    token = parts[0].tokens + 3
    assert joined.where(token) == f"file 1, line {int(TAGGED.lines[token])}"
    assert fingerprint(joined.take([0, 5])) == fingerprint(TAGGED.take([0, 5]))
    with pytest.raises(DataError, match="one has tags and one has none"):
        join_sentences([parts[0], replace(parts[1], labels=None)])
    assert join_trees(cut(TREES)).heads.tolist() == TREES.heads.tolist()
