"""Small tagged sentences, and rows read by the names of their features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from linnet import _core
from linnet.data import as_texts
from linnet.data.matrix import CsrRows
from linnet.features import TokenFeatures

CRFPP_CHUNKING = """# Unigram
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U03:%x[1,0]
U04:%x[2,0]
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]

U10:%x[-2,1]
U11:%x[-1,1]
U12:%x[0,1]
U13:%x[1,1]
U14:%x[2,1]
U15:%x[-2,1]/%x[-1,1]
U16:%x[-1,1]/%x[0,1]
U17:%x[0,1]/%x[1,1]
U18:%x[1,1]/%x[2,1]

U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U21:%x[-1,1]/%x[0,1]/%x[1,1]
U22:%x[0,1]/%x[1,1]/%x[2,1]

# Bigram
B
"""


@dataclass
class Sentences:
    """The least that features need."""

    columns: dict[str, _core.Texts]
    offsets: np.ndarray
    attributes: CsrRows | None = None
    attribute_names: list[str] | None = field(default=None)


def sentences(
    lists: Sequence[Sequence[Sequence[str]]], names: Sequence[str] = ("word", "pos")
) -> Sentences:
    tokens = [token for sentence in lists for token in sentence]
    columns = {name: as_texts([token[k] for token in tokens]) for k, name in enumerate(names)}
    return Sentences(columns, np.cumsum([0, *map(len, lists)], dtype=np.int64))


def named(rows: CsrRows, names: Sequence[str]) -> list[dict[str, float]]:
    """Each row by the names of its features."""
    return [
        {
            names[j]: x
            for j, x in zip(rows.indices[b:e].tolist(), rows.values[b:e].tolist(), strict=True)
        }
        for b, e in pairwise(rows.indptr.tolist())
    ]


def fitted(
    templates: Sequence[str] | str, data: Sentences, **settings: object
) -> list[dict[str, float]]:
    features = TokenFeatures(templates=templates, **settings)
    return named(features.fit_rows(data), features.names)


BIRDS = sentences(
    [
        [("The", "DT"), ("linnet", "NN"), ("sings", "VBZ")],
        [
            ("U.S.", "NNP"),
            ("linnets", "NNS"),
            ("sang", "VBD"),
            ("well-known", "JJ"),
            ("tunes", "NNS"),
            ("!", "."),
        ],
        [("1984", "CD")],
    ]
)

token = st.text(st.sampled_from("aAbB1.-é漢’"), min_size=1, max_size=5)

corpus = st.lists(st.lists(st.tuples(token, token), min_size=1, max_size=6), min_size=1, max_size=4)


def assert_same(ours: CsrRows, theirs: CsrRows) -> None:
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_array_equal(ours.values, theirs.values)
    assert ours.features == theirs.features


def corpus_of(size: int, seed: int = 1) -> Sentences:
    random = np.random.default_rng(seed)
    words = [f"w{k}" for k in random.zipf(1.3, size) % 500]
    cuts = np.unique([0, size, *random.integers(0, size, size // 15)])
    columns = {"word": as_texts(words), "pos": as_texts([w[-1] for w in words])}
    return Sentences(columns, cuts.astype(np.int64))
