"""Columns of cells: what the core writes is what joining strings gives, and what is refused is told."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linnet._core as _core
from linnet.data import Sequences
from linnet.data.examples import LabelColumn
from linnet.data.sequences import Aside, tag_column
from linnet.errors import DataError
from linnet.formats import read_sequences, write_sequences
from linnet.formats.sequences._cells import BOUNDARY, CellError, write_cells

TEXTS = st.one_of(
    st.sampled_from(
        ["", " ", "New York", "\t", "a\nb", "\r", "\x0b", BOUNDARY, "-", "_", "é", "x" * 40]
    ),
    st.text("abc", min_size=1),
)
CLEAN = st.text("abcé_-", min_size=1)
CODES = st.integers(-1, 2)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[list[str]], list[int], list[int], list[list[str]]]:
    """Rows of cells, codes of a last column, lengths of sentences, and lines aside, by sentence."""
    width = draw(st.integers(1, 4))
    lengths = draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
    cell = draw(st.sampled_from([TEXTS, CLEAN]))
    row = st.lists(cell, min_size=width, max_size=width)
    tokens = sum(lengths)
    rows = draw(st.lists(row, min_size=tokens, max_size=tokens))
    codes = draw(st.lists(CODES, min_size=tokens, max_size=tokens))
    lines = st.lists(st.sampled_from(["# one", f"{BOUNDARY} X", ""]), max_size=2)
    return rows, codes, lengths, draw(st.lists(lines, min_size=len(lengths), max_size=len(lengths)))


def fault_of(cells: list[str], line: str, rules: dict[str, bool]) -> str | None:
    if not rules["empty_cells"] and len(cells) > 1 and "" in cells:
        return "empty"
    if any(c in cell for cell in cells for c in "\t\r\n"):
        return "broken"
    if rules["plain"] and (line.startswith(BOUNDARY) or not line.strip(" \t\v\f")):
        return "unreadable"
    return None


@given(tables(), st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_cells_are_joined(table, coded: bool, tabs: bool, empty_cells: bool, plain: bool) -> None:  # type: ignore[no-untyped-def]
    rows, codes, lengths, asides = table
    rules = {"tabs": tabs, "empty_cells": empty_cells, "plain": plain}
    offsets = np.cumsum([0, *lengths], dtype=np.int64)
    columns = [
        _core.Texts.from_list([row[c] for row in rows]) for c in range(len(rows[0]) if rows else 1)
    ]
    full = [
        [*row, ["A", "B-x", "c", "_"][code]] if coded else row
        for row, code in zip(rows, codes, strict=True)
    ]
    last = [LabelColumn(["A", "B-x", "c"], np.array(codes, np.int32))] if coded else []
    flat = [line for lines in asides for line in lines]
    places = np.zeros(len(flat), np.int64)
    aside = Aside(
        _core.Texts.from_list(flat), places, np.cumsum([0, *map(len, asides)], dtype=np.int64)
    )
    sequences = Sequences({"word": columns[0]}, offsets, aside=aside)
    blank = any(" " in cell for row in full for cell in row)
    lines = [("\t" if tabs or blank else " ").join(row) for row in full]
    faults = [fault_of(row, line, rules) for row, line in zip(full, lines, strict=True)]
    first = next((t for t, fault in enumerate(faults) if fault), None)
    if first is not None:
        with pytest.raises(CellError) as caught:
            write_cells(sequences, [*columns, *last], **rules)
        assert (caught.value.token, caught.value.fault) == (first, faults[first])
        return
    wanted = [
        "".join(line + ("\n\n" if line.startswith(BOUNDARY) else "\n") for line in before)
        + "".join(f"{line}\n" for line in lines[begin:end])
        + "\n"
        for before, (begin, end) in zip(asides, pairwise(offsets.tolist()), strict=True)
    ]
    assert [part.decode() for part in write_cells(sequences, [*columns, *last], **rules)] == wanted


def test_lines_aside_stand_where_they_stood() -> None:
    aside = Aside(_core.Texts.from_list(["0", "2", "9"]), np.array([0, 2, 9]), np.array([0, 3, 3]))
    words = _core.Texts.from_list(["a", "b", "c", "d"])
    sequences = Sequences({"word": words}, np.array([0, 3, 4]), aside=aside)
    assert write_cells(sequences, [words]) == [b"0\na\nb\n2\nc\n9\n\n", b"d\n\n"]


@pytest.mark.parametrize(
    ("form", "word", "message"),
    [
        ("conll", "", "sentence 2, word 1: columns cannot hold an empty cell"),
        ("conll", "a\tb", "sentence 2, word 1: columns cannot hold a tab or line break"),
        (
            "conll",
            BOUNDARY,
            "sentence 2, word 1: columns cannot hold what would not be read as a token",
        ),
        ("conllu", "", "sentence 2, word 1: CoNLL-U cannot hold an empty cell, a tab or a line break"),
        (
            "conllu",
            "a\rb",
            "sentence 2, word 1: CoNLL-U cannot hold an empty cell, a tab or a line break",
        ),
        ("tsv", "a\nb", "sentence 2, word 1: TSV cannot hold a tab or line break in a cell"),
    ],
)
def test_the_first_bad_token_is_named(tmp_path: Path, form: str, word: str, message: str) -> None:
    made = Sequences.from_lists([["fine"], [word, "\t"]], [["X"], ["Y", "Z"]])
    with pytest.raises(DataError) as caught:
        write_sequences(made, tmp_path / "out", form, predicted=tag_column(["P", "Q", None]))
    assert str(caught.value) == message
    assert not (tmp_path / "out").exists()


def test_a_single_column_keeps_its_lines(tmp_path: Path) -> None:
    for word, message in (("a\nb", "a tab or line break"), ("", "would not be read as a token")):
        with pytest.raises(DataError, match=message):
            write_sequences(Sequences.from_lists([[word]]), tmp_path / "out", "conll")


def test_predictions_are_written_by_their_codes(tmp_path: Path) -> None:
    made = Sequences.from_lists([["a", "b"], ["c d"]], [["X", None], ["Y"]])
    predicted = LabelColumn(["never", "P", "Q"], np.array([1, -1, 2], np.int32))
    write_sequences(made, tmp_path / "out.conll", predicted=predicted)
    assert (tmp_path / "out.conll").read_bytes() == b"a\tX\tP\nb\t_\t_\n\nc d\tY\tQ\n\n"
    write_sequences(made, tmp_path / "out.conllu", predicted=predicted)
    read = read_sequences(tmp_path / "out.conllu")
    assert (read.tags(), read.column("id")) == ([["P", None], ["Q"]], [["1", "2"], ["1"]])
    with pytest.raises(DataError, match="the sentences have 3 tokens, but labels are 2"):
        write_sequences(made, tmp_path / "out.conll", predicted=predicted.take(np.arange(2)))


def test_what_stands_after_the_last_sentence_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "in.conll").write_text("a X\n\n-DOCSTART- O\n")
    write_sequences(read_sequences(tmp_path / "in.conll"), tmp_path / "out.conll")
    assert (tmp_path / "out.conll").read_text() == "a X\n\n"


def test_a_file_that_begins_as_gzip_does(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"\n\x1f\x8b X\n")
    read = read_sequences(tmp_path / "in", "conll")
    write_sequences(read, tmp_path / "out", "conll")
    assert read_sequences(tmp_path / "out", "conll").tags() == [["X"]]


@pytest.mark.parametrize(
    ("codes", "offsets", "aside_offsets"),
    [([0, 2], [0, 2], []), ([0], [0, 2], []), ([0, 0], [0, 1], []), ([0, 0], [0, 2], [0, 1])],
)
def test_parts_must_fit_together(
    codes: list[int], offsets: list[int], aside_offsets: list[int]
) -> None:
    names, nothing = _core.Texts.from_list(["A", "B"]), _core.Texts.from_list([])
    with pytest.raises(ValueError, match="do not fit together"):
        _core.write_tokens(
            [(names, np.array(codes, np.int32))],
            np.array(offsets, np.int64),
            nothing,
            np.zeros(0, np.int64),
            np.array(aside_offsets, np.int64),
        )
