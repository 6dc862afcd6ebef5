"""Long lines and sentences as pipes give them, in small pieces: the work grows as they do."""

import gzip
import sys
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linnet.formats import _arriving, _read, _source, read, read_sequence_batches
from linnet.formats.sequences import _read as sequences

PIECES = 2000
SIZE = 100


class Counted(bytes):
    """Bytes that know how many were copied to join them to others."""

    copied = 0

    def __add__(self, other: bytes) -> "Counted":
        Counted.copied += len(self) + len(other)
        return Counted(bytes(self) + bytes(other))

    def __radd__(self, other: bytes) -> "Counted":
        Counted.copied += len(self) + len(other)
        return Counted(bytes(other) + bytes(self))


def work_of(cut: Any, pieces: Iterator[bytes]) -> tuple[int, int]:
    """The bytes given out, and those that were copied or that a method went through."""
    seen = given_out = 0

    def profile(_frame: Any, event: str, what: Any) -> None:
        nonlocal seen
        if event == "c_call" and isinstance(getattr(what, "__self__", None), bytes):
            seen += len(what.__self__)

    Counted.copied = 0
    sys.setprofile(profile)
    try:
        for block in cut(Counted(piece) for piece in pieces):
            given_out += len(block)
    finally:
        sys.setprofile(None)
    return given_out, seen + Counted.copied


def whole_lines(incoming: Iterator[bytes]) -> Iterator[bytes]:
    return _source.whole_lines(incoming, keep_blank=False)


CUTS = {
    "line": (whole_lines, b"a" * SIZE),
    "first line": (lambda incoming: [_read._first_line(incoming)], b"a" * SIZE),
    "blank lines": (whole_lines, b"\n" * SIZE),
    "sentence": (sequences._whole_sentences, b"a\tb\n" * (SIZE // 4)),
    "blank sentences": (sequences._whole_sentences, b" \n" * (SIZE // 2)),
    "blanks": (sequences._whole_sentences, b" " * SIZE),
}


@pytest.mark.parametrize("name", CUTS)
def test_work_goes_by_the_bytes(name: str) -> None:
    cut, piece = CUTS[name]
    _, work = work_of(cut, repeat(piece, PIECES))
    assert work < 20 * PIECES * SIZE  # bytes; all of them for each piece would be 1,000 times


PARTS = st.sampled_from([b"a", b"b\tc", b"\n", b"\n\n", b"\r\n", b" ", b"\t", b"\xef\xbb\xbf", b"#"])


@given(st.lists(st.lists(PARTS, max_size=4).map(b"".join), max_size=12))
def test_nothing_is_lost_and_blocks_end_in_empty_lines(pieces: list[bytes]) -> None:
    incoming = [piece for piece in pieces if piece]
    blocks = list(sequences._whole_sentences(iter(incoming)))
    assert all(block.strip() for block in blocks)
    for block in blocks[:-1]:
        assert sequences.END.search(block[-block[::-1].find(b"\n", 1) - 2 :])
    whole = b"".join(incoming)
    joined = b"".join(blocks)
    assert whole.startswith(joined)
    assert not whole[len(joined) :].removeprefix(b"\xef\xbb\xbf").strip()


def test_comments_are_not_read_again_for_each_that_comes(tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "a.conll"
    token = b"a X\n\n"
    parts = [b"# note\n\n"] * 300 + [token]
    file.write_bytes(b"".join(parts))
    monkeypatch.setattr(sequences, "pieces", lambda _: iter(parts))
    seen = 0
    chosen = sequences.named("conll", sequences.SequenceFormat)

    def reading(source: Any, options: Any) -> Any:
        nonlocal seen
        seen += len(source.data)
        return chosen.read(source, options)

    counted = sequences.replace(chosen, read=reading)
    monkeypatch.setattr(sequences, "named", lambda *_: counted)
    [read_in] = read_sequence_batches(file, "conll", comment="#")
    assert read_in.lines.tolist() == [601]
    assert seen < 10 * len(file.read_bytes())


def test_gzip_of_many_members_is_read_to_its_end(tmp_path: Path) -> None:
    file = tmp_path / "a.tsv.gz"
    lines = [f"x\tword{i}\n".encode() for i in range(400)]
    file.write_bytes(b"".join(gzip.compress(line) for line in lines))
    assert len(read(file)) == 400
    unpack = _arriving._Unpacker()
    unpacked = unpack(file.read_bytes())
    assert unpacked == b"".join(lines)
    assert not unpack.open
