"""Formats are told apart by ending, then by content."""

import gzip
from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.formats import FORMATS, detect

from .made import file


@pytest.mark.parametrize("name", FORMATS)
def test_by_ending(name: str, tmp_path: Path) -> None:
    for ending in FORMATS[name].endings:
        assert detect(tmp_path / f"a.b{ending}") == name
        assert detect(tmp_path / f"A.B{ending.upper()}.gz") == name


CONTENT = {
    b'{"text": "a"}\n{"text": "b"}\n': "jsonl",
    b"__label__a b c\n__label__b d\n": "fasttext",
    b"1 1:0.5 3:1\n-1 2:1 # x\n": "svmlight",
    b"1 | a b c\n-1 2 'tag |n a:2 b\n": "vw",
    b"| a b c\n| d\n": "vw",
    b"text,label\nwell, \nx,y\n": "csv",
    b'id,"sentence"\n1,x\n': "csv",
    b"a\tb c\nd\te\tf\n": "tsv",
    b"a\tb\nc\td\nlacks one\n": "tsv",
    b"just words, and commas\nand more\n\n": "text",
    b"PAR1....": "parquet",
    b"\xef\xbb\xbf__label__a b": "fasttext",
}


@pytest.mark.parametrize("data", CONTENT)
def test_by_content(data: bytes, tmp_path: Path) -> None:
    assert detect(file(tmp_path, "data.txt", data)) == CONTENT[data]
    assert detect(file(tmp_path, "data", gzip.compress(data))) == CONTENT[data]


def test_long_files_are_told_by_their_first_lines(tmp_path: Path) -> None:
    line = b"__label__a " + b"word " * 50 + b"\n"
    assert detect(file(tmp_path, "data", line * 5000)) == "fasttext"
    assert detect(file(tmp_path, "data", gzip.compress(line * 5000))) == "fasttext"


def test_doubt_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="formats vw or tsv: say which, by format='vw'"):
        detect(file(tmp_path, "data", b"1 |\ta\n"))
    with pytest.raises(DataError, match="tsv or text"):
        detect(file(tmp_path, "data", b"a\tb\nc\nd\n"))
    with pytest.raises(DataError, match="is empty"):
        detect(file(tmp_path, "data", b""))
    with pytest.raises(ValueError, match="give its format"):
        detect("-")
