"""Whatever a file holds, a reader returns examples or says in a DataError what is wrong."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.errors import DataError
from linnet.formats import FORMATS, detect, read, read_batches

PIECES = [
    b"a", b"1", b"\t", b" ", b"\n", b"\r\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"|", b":", b",",
    b'"', b"'", b"#", b"__label__",
    b"1:2", b"0:1", b"qid:1", b"-1 ", b"nan", b"1e999", b'{"text": "a"}',
    b'{"text": "a", "label": ["b", 1]}', b'"\\ud800"', b"text,label\n", b"text\tlabel\n", b"PAR1",
    b"\x1f\x8b", b"\xe2\x80\xa8",
]  # fmt: skip
FILES = st.lists(st.sampled_from(PIECES) | st.binary(max_size=3), max_size=14).map(b"".join)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("any")


@pytest.mark.parametrize("name", [*FORMATS, "detected"])
@settings(max_examples=60, deadline=None)
@given(data=FILES)
def test_any_bytes(folder: Path, name: str, data: bytes) -> None:
    path = folder / "data"
    path.write_bytes(data)
    try:
        examples = read(path, detect(path) if name == "detected" else name)
    except DataError as error:
        if not (str(path) in str(error) or "pyarrow" in str(error)):
            pytest.fail(f"the message does not name the file: {error}")
        return
    assert len(examples) == len(examples.lines) > 0
    assert len(list(examples.raw_texts())) == (0 if examples.texts is None else len(examples))
    if examples.matrix is not None and examples.matrix.indices.size:
        assert (
            0
            <= examples.matrix.indices.min()
            <= examples.matrix.indices.max()
            < examples.matrix.features
        )


@pytest.mark.parametrize("name", [name for name, row in FORMATS.items() if row.by_line])
@settings(max_examples=40, deadline=None)
@given(data=FILES)
def test_batches_are_the_whole(folder: Path, name: str, data: bytes) -> None:
    path = folder / "data"
    path.write_bytes(data)
    try:
        whole = read(path, name)
    except DataError:
        return
    try:
        parts = list(read_batches(path, name, size=2))
    except DataError:  # what a stream decides by its first line, a file decides by all
        assert name in ("tsv", "svmlight")
        return
    assert [n for part in parts for n in part.lines.tolist()] == whole.lines.tolist()
    if whole.texts is not None:  # VW: several namespaces anywhere in a file make it a matrix
        assert [t for part in parts for t in part.raw_texts()] == list(whole.raw_texts())
