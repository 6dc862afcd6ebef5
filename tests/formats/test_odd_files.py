"""Files that nobody would write: an error that names the file and says what is wrong, nothing else."""

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from linnet import formats
from linnet.errors import DataError

from .made import file

DEPTH = 500_000  # beyond what any Python bears: the latest go by the stack, not by a count
DEEP = b"[" * DEPTH + b"]" * DEPTH
LONG = b"1" + b"0" * 400  # beyond the range of a double, and a whole number of Python


def refused(call: Callable[[], Any], path: Path, *words: str) -> str:
    with pytest.raises(DataError) as error:
        call()
    assert str(path) in str(error.value)
    for word in words:
        assert word in str(error.value)
    assert len(str(error.value)) < len(str(path)) + 400
    return str(error.value)


@pytest.mark.parametrize("value", [DEEP, b'{"a":' * DEPTH + b"1" + b"}" * DEPTH])
def test_json_beyond_all_depth(tmp_path: Path, value: bytes) -> None:
    line = b'{"text": ' + value + b"}\n"
    for name in ("a.jsonl", "unknown"):
        path = file(tmp_path, name, line)
        refused(lambda p=path: formats.read(p, "jsonl"), path, "line 1", "nested too deeply")
        for form in ("tokens", "spans"):
            refused(lambda p=path, f=form: formats.read_sequences(p, f), path, "line 1", "deeply")
    path = file(tmp_path, "unknown", line * 2)
    assert formats.detect(path) == "text"  # told from other formats, not parsed
    assert formats.detect_sequences(path) in formats.SEQUENCE_FORMATS
    assert formats.detect_task(path) == "classify"


@pytest.mark.parametrize("value", [b"[" * 300 + b"]" * 300, b"[1, [2]]", b'{"a": {}}', b'"x"'])
def test_a_weight_or_column_of_another_kind(tmp_path: Path, value: bytes) -> None:
    record = b'{"text": "t", "label": "l", "weight": %s, "kind": %s}\n' % (value, value)
    path = file(tmp_path, "a.jsonl", record)
    refused(lambda: formats.read(path, weight="weight"), path, "line 1", "weight")
    if value != b'"x"':
        refused(lambda: formats.read(path, columns=["kind"]), path, "line 1", "'kind' must hold")
    tokens = file(tmp_path, "t.jsonl", b'{"tokens": ["a"], "tags": ["X"], "weight": %s}\n' % value)
    refused(lambda: formats.read_sequences(tokens, "tokens"), tokens, "line 1", "weight")


def test_numbers_beyond_all_range(tmp_path: Path) -> None:
    path = file(tmp_path, "a.jsonl", b'{"text": "t", "label": "l", "n": %s}\n' % LONG)
    refused(lambda: formats.read(path, weight="n"), path, "line 1", "must be a number")
    tokens = file(tmp_path, "t.jsonl", b'{"tokens": ["a"], "tags": ["X"], "weight": %s}\n' % LONG)
    refused(lambda: formats.read_sequences(tokens, "tokens"), tokens, "line 1", "must be a number")
    many = file(tmp_path, "m.jsonl", b'{"text": %s, "label": "l"}\n' % (b"9" * 5000))
    refused(lambda: formats.read(many), many, "line 1")


def parquet(path: Path, table: pa.Table) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out)
    path.write_bytes(out.getvalue())
    return out.getvalue()


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    columns = [pa.array(["x"]), pa.array(["y"]), pa.array(["z"])]
    parquet(path, pa.Table.from_arrays(columns, names=["text", "label", "text"]))
    refused(lambda: formats.read(path), path, "two columns are called 'text'")


def test_columns_that_hold_no_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet(path, pa.table({"text": ["x"], "label": ["y"], "odd": [{"a": 1}], "raw": [b"\xff"]}))
    for name in ("odd", "raw"):
        refused(lambda n=name: formats.read(path, columns=[n]), path, "row 1", f"{name!r} must hold")


def test_parquet_with_damaged_pages(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    rng = np.random.default_rng(0)
    raw = parquet(path, pa.table({"text": [f"text {k}" * 9 for k in range(99)], "label": ["a"] * 99}))
    said = set()
    for _ in range(150):
        bad = bytearray(raw)
        for at in rng.integers(4, len(raw), 4):
            bad[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(bad))
        try:
            formats.read(path)
        except DataError as error:
            assert str(path) in str(error)  # noqa: PT017
            said.add(str(error))
    assert len(said) > 5


def test_a_header_of_many_columns(tmp_path: Path) -> None:
    names = [f"c{k}" for k in range(50_000)]  # a look at all before each would take minutes
    path = file(tmp_path, "a.csv", ",".join([*names, "text", "label", "c7"]) + "\n")
    refused(lambda: formats.read(path), path, "line 1", "two columns are called 'c7'")


READERS: list[Callable[[Path], list[Any]]] = [
    lambda path: formats.read(path, "text").raw_texts(),
    lambda path: [t for batch in formats.read_batches(path, "text") for t in batch.raw_texts()],
]


@pytest.mark.parametrize("read", READERS, ids=["whole", "in batches"])
def test_what_stands_behind_gzip(tmp_path: Path, read: Callable[[Path], Any]) -> None:
    one, two = gzip.compress(b"a\nb\n", mtime=0), gzip.compress(b"c\n", mtime=0)
    for data in (one + two, one + bytes(700) + two + bytes(3 << 20), one + two + b"\0"):
        path = file(tmp_path, "a.gz", data)
        assert list(read(path)) == [b"a", b"b", b"c"]
    for rest in (b"x", b"\0\0x", b"\x1f\x8b", one[:12], b"\n"):
        path = file(tmp_path, "a.gz", one + rest)
        refused(lambda p=path: list(read(p)), path, "damaged")


@pytest.mark.parametrize("read", READERS, ids=["whole", "in batches"])
def test_devices(read: Callable[[Path], Any]) -> None:
    for name in ("/dev/zero", "/dev/full"):
        if Path(name).exists():
            refused(lambda n=name: list(read(Path(n))), Path(name), "is a device")
