"""Batches: what is there is handed on, and all of it in the end."""

import gzip
import os
import sys
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.errors import DataError
from linnet.formats import _source, detect, read, read_batches

from .made import content, file


class Pipe:
    """Standard input that the test writes to."""

    def __init__(self, writer: int) -> None:
        self.writer: int | None = writer

    def send(self, data: bytes) -> None:
        assert self.writer is not None
        os.write(self.writer, data)

    def close(self) -> None:
        if self.writer is not None:
            os.close(self.writer)
        self.writer = None


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipe]:
    reader, writer = os.pipe()
    with open(reader, encoding="utf-8") as stdin, monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", stdin)
        made = Pipe(writer)
        yield made
        made.close()


def test_a_line_is_answered_before_the_next_is_sent(pipe: Pipe) -> None:
    batches = read_batches("-")
    for number, line in enumerate([b"one", b"", b"three"], 1):
        pipe.send(line + b"\n")
        batch = next(batches)
        assert list(batch.raw_texts()) == [line]
        assert batch.lines.tolist() == [number]
    pipe.send(b"fo")
    pipe.send(b"ur\nfi")
    assert list(next(batches).raw_texts()) == [b"four"]
    pipe.send(b"ve")
    pipe.close()
    assert list(next(batches).raw_texts()) == [b"five"]
    assert list(batches) == []


def test_packed_pipe(pipe: Pipe) -> None:
    pipe.send(gzip.compress(b"a\nb") + gzip.compress(b"c\nd\n"))
    pipe.close()
    assert [t for batch in read_batches("-") for t in batch.raw_texts()] == [b"a", b"bc", b"d"]


def test_whole_standard_input(pipe: Pipe) -> None:
    pipe.send(b"a\tone\n")
    pipe.close()
    assert content(read("-"))["labels"] == ["a"]
    assert list(read_batches("-")) == []  # it is used up


def test_size_and_lines(tmp_path: Path) -> None:
    path = file(tmp_path, "a.tsv", "".join(f"l{i % 3}\ttext {i}\n" for i in range(10)))
    batches = list(read_batches(path, size=4))
    assert [len(batch) for batch in batches] == [4, 4, 2]
    assert [n for batch in batches for n in batch.lines] == list(range(1, 11))
    assert [v for b in batches if b.labels for v in b.labels.values()] == [
        f"l{i % 3}" for i in range(10)
    ]
    with pytest.raises(ValueError, match="size must be at least 1"):
        read_batches(path, size=0)


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.svm", "a.vw"])
def test_other_formats(name: str, tmp_path: Path) -> None:
    data = {
        "a.csv": "label,text\n" + 'x,"a\nb"\n' * 5,
        "a.jsonl": '{"label": "x", "text": "a"}\n' * 5,
        "a.svm": "x 1:1 3:2\n" * 5,
        "a.vw": "x | a b\n" * 5,
    }[name]
    path = file(tmp_path, name, data)
    batches = list(read_batches(path, size=2))
    assert [len(batch) for batch in batches] == [2, 2, 1]
    whole = read(path)
    assert whole.labels is not None
    assert [v for b in batches if b.labels for v in b.labels.values()] == whole.labels.values()


@given(
    data=st.binary(max_size=40).map(lambda b: b.replace(b"\x1f", b"\n")),
    cuts=st.lists(st.integers(0, 40)),
)
def test_lines_do_not_depend_on_how_they_come(data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(data)]
    parts = [data[b:e] for b, e in pairwise(edges) if b < e]
    if data.startswith(b"\xef\xbb\xbf"):
        return  # a mark alone is no line
    assert b"".join(_source.whole_lines(iter(parts), keep_blank=True)) == data
    blocks = list(_source.whole_lines(iter(parts), keep_blank=False))
    assert b"".join(blocks).rstrip(b"\r\n") == data.rstrip(b"\r\n")
    assert all(block.strip(b"\r\n") for block in blocks)


def test_errors_name_the_line(pipe: Pipe) -> None:
    batches = read_batches("-", "tsv")
    pipe.send(b"a\tone\n\n")
    assert len(next(batches)) == 1
    pipe.send(b"b\ttwo\n")
    with pytest.raises(DataError, match="standard input, line 2: the line is empty"):
        next(batches)
    pipe.close()


def test_header_and_comments_that_come_first(pipe: Pipe) -> None:
    batches = read_batches("-", "svmlight")
    pipe.send(b"# a comment\n")
    pipe.send(b"1 2:1\n")
    batch = next(batches)
    assert batch.lines.tolist() == [2]
    assert content(batch)["labels"] == ["1"]
    pipe.close()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_named_pipes_are_read_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(ValueError, match="can be read only once"):
        detect(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"one\ntwo\n",))
    writer.start()
    assert [t for batch in read_batches(path) for t in batch.raw_texts()] == [b"one", b"two"]
    writer.join()


def test_cut_gzip(tmp_path: Path) -> None:
    path = file(tmp_path, "a.txt.gz", gzip.compress(b"a\nb\n" * 50)[:-9])
    with pytest.raises(DataError, match="is damaged"):
        list(read_batches(path, "text"))
