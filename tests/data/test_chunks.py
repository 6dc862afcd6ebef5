"""Spans as tags: the schemes, how they turn into each other, and what may follow what."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.data.chunks import (
    LETTERS,
    SCHEMES,
    as_column,
    convert_column,
    convert_tags,
    find_chunks,
    is_chunked,
    legal_transitions,
    scheme_of,
)
from linnet.data.examples import LabelColumn


def all_tags(scheme: str, types: str = "XY") -> list[str]:
    return ["O", *(f"{p}-{t}" for p in LETTERS[scheme][1:] if p != "." for t in types)]


ANY = st.lists(
    st.lists(
        st.sampled_from(["O", *(f"{p}-{t}" for p in "BIESLU" for t in "XY")]), min_size=1, max_size=8
    ),
    min_size=1,
    max_size=4,
)


def chunks(tags: list[list[str]], strict: str | None = None) -> list[tuple[int, int, str]]:
    column, offsets = as_column(tags)
    found = find_chunks(column, offsets, strict)
    kinds = [found.names[k] for k in found.types.tolist()]
    return list(zip(found.begins.tolist(), found.ends.tolist(), kinds, strict=True))


@pytest.mark.parametrize("scheme", SCHEMES)
@settings(max_examples=60, deadline=None)
@given(tags=ANY)
def test_every_scheme_holds_every_span(scheme: str, tags: list[list[str]]) -> None:
    made = convert_tags(tags, scheme)
    assert [len(part) for part in made] == [len(part) for part in tags]
    assert chunks(made) == chunks(tags)
    assert chunks(made, strict=scheme) == chunks(tags)
    assert {tag for part in made for tag in part} <= set(all_tags(scheme))
    assert convert_tags(made, scheme) == made


@pytest.mark.parametrize("scheme", SCHEMES)
def test_legal_sequences_are_those_that_nothing_repairs(scheme: str) -> None:
    """All sequences of up to four tags: legal by the masks if and only if written as the scheme is."""
    tags = all_tags(scheme)
    masks = legal_transitions(tags, scheme)
    for length in range(1, 5 if len(tags) < 6 else 4):
        sentences = [list(codes) for codes in product(range(len(tags)), repeat=length)]
        names = [[tags[k] for k in codes] for codes in sentences]
        repaired = convert_tags(names, scheme)
        for codes, given_, fixed in zip(sentences, names, repaired, strict=True):
            legal = (
                masks.start[codes[0]]
                and masks.stop[codes[-1]]
                and all(masks.allowed[a, b] for a, b in pairwise(codes))
            )
            assert legal == (fixed == given_), given_


def test_foreign_tags_are_never_legal() -> None:
    masks = legal_transitions(["B-X", "I-X", "O", "S-X"], "bio")
    assert not masks.allowed[3].any()
    assert not masks.allowed[:, 3].any()
    assert masks.start.tolist() == [True, False, True, False]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_scheme_is_found(scheme: str) -> None:
    plain = [["B-X", "I-X", "B-X", "O", "B-Y"], ["O", "B-Y", "I-Y", "I-Y"]]
    assert scheme_of(*as_column(convert_tags(plain, scheme))) == scheme


def test_tags_that_are_no_spans() -> None:
    assert scheme_of(*as_column([["NN", "DT"]])) is None
    assert is_chunked(["O", "B", "I"])
    assert not is_chunked(["O", "S"])  # a part of speech may be called S
    assert not is_chunked(["O"])
    assert chunks([["NN", "B-X", "NN"]]) == [(1, 2, "X")]


def test_missing_tags_stay_missing() -> None:
    column, offsets = as_column([["I-X", None, "I-X"]])
    made = convert_column(column, offsets, "bilou")
    assert made.codes.tolist() == [made.names.index("U-X"), -1, made.names.index("U-X")]


def test_empty() -> None:
    column = LabelColumn([], np.zeros(0, np.int32))
    assert len(find_chunks(column, np.zeros(1, np.int64))) == 0
    assert convert_tags([], "bio") == []
    assert convert_tags([[], ["O"]], "bio") == [[], ["O"]]


def test_io_is_written_and_tells_no_spans_apart() -> None:
    assert convert_tags([["B-X", "I-X", "B-X", "B-Y", "O"]], "IO") == [
        ["I-X", "I-X", "I-X", "I-Y", "O"]
    ]
    with pytest.raises(ValueError, match="there is no scheme 'io'"):
        legal_transitions(["I-X", "O"], "io")
