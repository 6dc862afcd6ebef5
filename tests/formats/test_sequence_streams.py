"""Sentences from pipes, and from files that hold anything at all."""

import json
import os
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.errors import DataError
from linnet.formats import (
    SEQUENCE_FORMATS,
    detect_sequences,
    detect_task,
    read_sequence_batches,
    read_sequences,
    write_sequences,
)

from . import exported

PIECES = [
    b"a", b"B-X", b"1", b"2", b"1-2", b"1.1", b"\t", b" ", b"\n", b"\n\n", b"\r\n", b"\0", b"\xff",
    b"\xef\xbb\xbf", b"#", b":", b"\\", b"@weight:2", b"-DOCSTART-", b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n",
    b"a O\n", b"a\tO\n", b'{"tokens": ["a"], "tags": ["b"]}\n',
    b'{"text": "a b", "spans": [[0, 1, "X"]]}\n',
    b'"\\ud800"', b"word\ttag\n", b"x:1", b"\x1f\x8b",
]  # fmt: skip
FILES = st.lists(st.sampled_from(PIECES) | st.binary(max_size=3), max_size=14).map(b"".join)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


@pytest.mark.parametrize("name", [*SEQUENCE_FORMATS, "detected"])
@settings(max_examples=60, deadline=None)
@given(data=FILES)
def test_any_bytes(folder: Path, name: str, data: bytes) -> None:
    path = folder / "data"
    path.write_bytes(data)
    try:
        chosen = detect_sequences(path) if name == "detected" else name
        assert detect_task(path) in ("tag", "classify")
        read = read_sequences(path, chosen)
    except DataError as error:
        if str(path) not in str(error):
            pytest.fail(f"the message does not name the file: {error}")
        return
    assert len(read) > 0
    assert (read.lengths > 0).all()
    assert len(read.lines) == read.tokens
    try:
        write_sequences(read, folder / "out", chosen)
    except DataError:
        return  # what only lenient readers take
    if chosen == "text":
        return
    if (folder / "out").read_bytes().startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        return  # such bytes in front were a token; now they are the mark of an encoding
    options = {"labelled": False} if read.labels is None else {}
    options |= {"header": False} if chosen == "tsv" else {}
    again = read_sequences(folder / "out", chosen, **options)
    if chosen != "spans":  # a weight or a widened span changes nothing here, a cut sentence may
        assert again.lengths.tolist() == read.lengths.tolist()
    assert again.tokens == read.tokens


@pytest.mark.parametrize("name", [name for name in SEQUENCE_FORMATS if name != "text"])
@pytest.mark.parametrize("cut", [1, 5, 1000])
def test_batches_are_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, cut: int
) -> None:
    text = {
        "conll": "a X\nb Y\n\n\n-DOCSTART- O\n\nc Z\n \nd X\n",
        "tsv": "word\ttag\na b\tX\nb\tY\n\nc\tZ\n",
        "conllu": "# x\n1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n\n# y\n1\tb\t_\tY\t_\t_\t_\t_\t_\t_\n\n",
        "crfsuite": "A\tx\nB\ty:2\n\n@weight:2\nA\tx\n",
        "tokens": '{"tokens": ["a", "b"], "tags": ["X", "Y"]}\n{"tokens": ["c"], "tags": ["X"]}\n',
        "spans": '{"text": "a b", "spans": [[0, 1, "X"]]}\n{"text": "c", "spans": []}\n',
    } | {name: data.decode() for name, data in exported.SENTENCES.items()}
    path = tmp_path / "data"
    path.write_text(text[name])
    monkeypatch.setattr("linnet.formats._arriving.PIECE", cut)
    whole = read_sequences(path, name)
    for size in (1, 100):
        batches = list(read_sequence_batches(path, name, size=size))
        longest = 2 if whole.texts is not None else 1  # sentences of a text stay together
        assert all(len(batch) <= max(size, longest) for batch in batches)
        assert [tags for batch in batches for tags in batch.tags() or ()] == whole.tags()
        assert [line for batch in batches for line in batch.lines.tolist()] == whole.lines.tolist()
        assert all(batch.layout == whole.layout for batch in batches)


def test_a_pipe_is_answered_sentence_by_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    with open(reader, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        batches = read_sequence_batches("-", "conll")
        os.write(writer, b"a X\nb Y\n\nc")
        assert next(batches).column("word") == [["a", "b"]]
        os.write(writer, b" Z\n\n")
        last = next(batches)
        assert (last.column("word"), last.lines.tolist()) == ([["c"]], [4])
        os.write(writer, b"d\n\n")
        with pytest.raises(
            DataError, match="standard input, line 6: 1 column where the lines before have 2"
        ):
            next(batches)
        os.close(writer)


def test_lines_of_text_from_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    with open(reader, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        batches = read_sequence_batches("-")
        os.write(writer, b"One. Two.\n")
        first = next(batches)
        assert first.column("word") == [["One", "."], ["Two", "."]]
        os.write(writer, b"Three\n")
        second = next(batches)
        assert second.spans is not None
        assert (second.spans.tolist(), second.lines.tolist()) == ([[0, 5]], [2])
        os.write(writer, b"\n")
        third = next(batches)
        assert (len(third), third.texts and len(third.texts)) == (0, 1)
        os.close(writer)
        assert list(batches) == []


def test_sentences_of_a_text_stay_together(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("One. Two. Three.\nFour.\n\nFive. Six.\n")
    batches = list(read_sequence_batches(path, "text", size=2))
    assert [[" ".join(s) for s in batch.column("word")] for batch in batches] == [
        ["One .", "Two .", "Three ."], ["Four ."], ["Five .", "Six ."],
    ]  # fmt: skip
    whole = list(read_sequence_batches(path, "text", size=2, by_line=False))
    assert [len(batch) for batch in whole] == [6]


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    path = tmp_path / "x.conll"
    path.write_text("a X\n")
    write_sequences(read_sequences(path), "-", "tokens")
    assert json.loads(capfdbinary.readouterr().out) == {"tokens": ["a"], "tags": ["X"]}


def test_streams_need_a_format() -> None:
    for detecting in (detect_sequences, detect_task):
        with pytest.raises(ValueError, match="can be read only once"):
            detecting("-")
    with pytest.raises(ValueError, match="at least 1"):
        read_sequence_batches("-", size=0)


words = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=5)


@pytest.mark.parametrize("name", ["conll", "tsv", "conllu", "tokens"])
@settings(max_examples=50, deadline=None)
@given(data=st.lists(st.lists(st.tuples(words, words), min_size=1, max_size=4), min_size=1, max_size=4))
def test_round_trips(folder: Path, name: str, data: list[list[tuple[str, str]]]) -> None:
    from linnet.data import Sequences

    X, y = [[w for w, _ in part] for part in data], [[t for _, t in part] for part in data]
    made = Sequences.from_lists(X, y)
    try:
        write_sequences(made, folder / "out", name)
    except DataError:
        return
    options = {"header": False} if name == "tsv" else {}
    read = read_sequences(folder / "out", name, **options)
    assert read.column("word") == X
    missing = [[None if name == "conllu" and t == "_" else t for t in part] for part in y]
    assert read.tags() == missing or (read.labels is None and not any(map(any, missing)))
    assert [b - a for a, b in pairwise(read.offsets.tolist())] == [len(part) for part in X]
