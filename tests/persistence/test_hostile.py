"""Damaged and hostile files: an error that names the file, or a valid reading; never anything else."""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linnet.persistence import ModelFileError, read, write
from linnet.persistence.layout import ALIGNMENT, HEADER_LIMIT

ABOUT = {"format": 1, "library": "0.1.0", "spec": {"kind": "test"}}


def file_of(header: object, data: bytes = b"", *, pad: bool = True) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    if pad:
        text += b" " * (-(8 + len(text)) % ALIGNMENT)
    return len(text).to_bytes(8, "little") + text + data


def entry(dtype: object, shape: object, offsets: object, **more: object) -> dict:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets, **more}


def with_tensors(data: bytes, **tensors: object) -> bytes:
    return file_of({"__metadata__": {"linnet": json.dumps(ABOUT)}, **tensors}, data)


def about(**changes: object) -> bytes:
    return file_of({"__metadata__": {"linnet": json.dumps(ABOUT | changes)}})


def damage(path: Path, raw: bytes) -> str:
    """What the error says of a file of these bytes."""
    path.write_bytes(raw)
    with pytest.raises(ModelFileError) as error:
        read(path)
    assert str(path) in str(error.value)
    return str(error.value)


@pytest.fixture
def valid(path: Path) -> bytes:
    tensors = {"weights": np.arange(20.0), "ends": np.array([3, 5]), "empty": np.zeros((0, 2))}
    write(path, {"kind": "test", "C": 1.5, "labels": ["a", "b"]}, tensors)
    return path.read_bytes()


def test_cut_off_anywhere(path: Path, valid: bytes) -> None:
    for length in range(len(valid)):
        damage(path, valid[:length])
    damage(path, valid + b"\0")
    damage(path, valid + valid)


def test_every_byte_of_the_header_flipped(path: Path, valid: bytes) -> None:
    end = 8 + int.from_bytes(valid[:8], "little")
    errors = 0
    for i in range(end):
        for flip in (0x01, 0x20, 0x80):
            path.write_bytes(valid[:i] + bytes([valid[i] ^ flip]) + valid[i + 1 :])
            try:
                file = read(path)
            except ModelFileError:
                errors += 1
            else:
                assert sum(t.nbytes for t in file.tensors.values()) <= len(valid)
                assert [t.sum() for t in file.tensors.values()]
    assert errors > end


@settings(max_examples=80, deadline=None)
@given(raw=st.binary(max_size=300))
def test_garbage(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "garbage"
    damage(path, raw)
    damage(path, file_of(raw))
    damage(path, file_of(b"{" + raw))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=80, deadline=None)
@given(
    dtype=st.sampled_from(["F32", "U8", "BOOL"]) | json_values,
    shape=st.lists(st.integers(-1, 9), max_size=3) | json_values,
    offsets=st.lists(st.integers(0, 64), min_size=2, max_size=2) | json_values,
    size=st.integers(0, 64),
)
def test_headers_of_garbage(
    tmp_path_factory: pytest.TempPathFactory, dtype: object, shape: object, offsets: object, size: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "headers"
    path.write_bytes(with_tensors(bytes(size), w=entry(dtype, shape, offsets)))
    try:
        tensor = read(path).tensors["w"]
    except ModelFileError:
        damage(path, path.read_bytes())
    else:
        assert tensor.nbytes == size
        assert not tensor.any()


WRONG_TENSORS = {
    "negative size": entry("F32", [-1], [0, 64]),
    "negative sizes": entry("F32", [-4, -4], [0, 64]),
    "huge": entry("F32", [2**60], [0, 2**62]),
    "beyond 64 bits": entry("F32", [2**70], [0, 2**72]),
    "product overflows": entry("F32", [2**32, 2**32], [0, 0]),
    "zero times huge": entry("F32", [0, 2**62, 2**62], [0, 0]),
    "float size": entry("F32", [16.0], [0, 64]),
    "boolean size": entry("F32", [True, 16], [0, 64]),
    "string size": entry("F32", ["16"], [0, 64]),
    "no list": entry("F32", 16, [0, 64]),
    "many dimensions": entry("F32", [1] * 40 + [16], [0, 64]),
    "wrong length": entry("F32", [15], [0, 64]),
    "unknown type": entry("F128", [4], [0, 64]),
    "boolean type": entry("BOOL", [64], [0, 64]),
    "type of wrong type": entry(["F32"], [16], [0, 64]),
    "null type": entry(None, [16], [0, 64]),
    "reversed offsets": entry("F32", [16], [64, 0]),
    "negative offsets": entry("F32", [16], [-64, 0]),
    "three offsets": entry("F32", [16], [0, 64, 64]),
    "offsets beyond": entry("F32", [16], [64, 128]),
    "too short": entry("F32", [32], [0, 128]),
    "gap": entry("F32", [15], [4, 64]),
    "bytes left over": entry("F32", [15], [0, 60]),
    "another key": entry("F32", [16], [0, 64], note="hello"),
    "missing key": {"dtype": "F32", "shape": [16]},
    "null": None,
    "list": [1, 2],
}


@pytest.mark.parametrize("wrong", WRONG_TENSORS.values(), ids=WRONG_TENSORS.keys())
def test_wrong_tensors(path: Path, wrong: object) -> None:
    what = damage(path, with_tensors(bytes(64), w=wrong))
    assert "tensor" in what


def test_tensors_that_overlap(path: Path) -> None:
    a, b = entry("U8", [64], [0, 64]), entry("U8", [64], [0, 64])
    assert "overlaps" in damage(path, with_tensors(bytes(64), a=a, b=b))
    b = entry("U8", [65], [63, 128])
    assert "overlaps" in damage(path, with_tensors(bytes(128), a=a, b=b))
    inside = entry("U8", [4], [4, 8])
    assert "overlaps" in damage(path, with_tensors(bytes(64), a=a, b=inside))


def test_tensors_that_are_not_aligned(path: Path) -> None:
    a, b = entry("U8", [3], [0, 3]), entry("F32", [1], [3, 7])
    assert "multiple of 64" in damage(path, with_tensors(bytes(7), a=a, b=b))
    header = json.dumps({"__metadata__": {"linnet": json.dumps(ABOUT)}}).encode()
    header += b" " * ((1 - (8 + len(header))) % ALIGNMENT)
    assert "multiple of 64" in damage(path, file_of(header, pad=False))


WRONG_HEADERS = {
    "array": b"[1]",
    "two values": b"{}{}",
    "nested arrays": b'{"a":' + b"[" * 100_000,
    "nested objects": b'{"a":' * 100_000,
    "nested and closed": b'{"a":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "NaN": b'{"a":NaN}',
    "Infinity": b'{"a":-Infinity}',
    "a long number": b'{"a":' + b"9" * 10_000 + b"}",
    "the same key twice": b'{"a":1,"a":1}',
    "not UTF-8": b'{"\xff":1}',
    "UTF-16": '{"a":1}'.encode("utf-16-le"),
    "byte order mark": b"\xef\xbb\xbf{}",
    "empty": b"{}",
}


@pytest.mark.parametrize("header", WRONG_HEADERS.values(), ids=WRONG_HEADERS.keys())
def test_wrong_headers(path: Path, header: bytes) -> None:
    damage(path, file_of(header))


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        [],
        "linnet",
        {},
        {"linnet": 1},
        {"linnet": ABOUT},
        {"format": "pt"},
        {"linnet": "{}", "b": 1},
    ],
    ids=str,
)
def test_wrong_metadata(path: Path, metadata: object) -> None:
    damage(path, file_of({"__metadata__": metadata}))


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "1", "{", '{"format":1,"format":1}', '{"format":NaN}', "[" * 100_000],
    ids=lambda text: text[:12],
)
def test_wrong_descriptions(path: Path, text: str) -> None:
    damage(path, file_of({"__metadata__": {"linnet": text}}))


@pytest.mark.parametrize(
    "changes",
    [
        {"format": 0},
        {"format": "1"},
        {"format": True},
        {"format": 1.0},
        {"format": None},
        {"library": 1},
        {"spec": None},
        {"spec": {}},
        {"spec": {"kind": 1}},
    ],
    ids=str,
)
def test_wrong_facts(path: Path, changes: dict) -> None:
    damage(path, about(**changes))


def test_a_deep_specification(path: Path) -> None:
    deep: object = 1
    for _ in range(300):
        deep = [deep]
    assert "nested too deeply" in damage(path, about(spec={"kind": "x", "a": deep}))


def test_a_later_format_says_so(path: Path) -> None:
    what = damage(path, about(format=3, library="9.1.0", spec=["not", "known", "yet"]))
    assert "later version of Linnet ('9.1.0'" in what
    assert "upgrade" in what
    assert "damaged" not in what


def test_lengths_of_headers(path: Path) -> None:
    for length in (0, 1, 2, 56, HEADER_LIMIT + 1, 2**31, 2**63, 2**64 - 1):
        damage(path, length.to_bytes(8, "little") + b"{}" + b" " * 54)
    with path.open("wb") as file:  # as long as it says, and far too long
        file.write((1 << 32).to_bytes(8, "little") + b"{")
        file.truncate(1 << 33)
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_another_safetensors_file(path: Path) -> None:
    from safetensors.numpy import save_file

    save_file({"a": np.ones(16)}, path, {"format": "np"})
    assert "safetensors file of something else" in damage(path, path.read_bytes())


@pytest.mark.parametrize(
    "value",
    [
        {"$float": "1"},
        {"$tensor": "no"},
        {"$tuple": 1},
        {"$pairs": [[1]]},
        {"$pairs": [[[], 1]]},
        {"$x": 1},
    ],
    ids=str,
)
def test_wrong_values(path: Path, value: object) -> None:
    path.write_bytes(about(spec={"kind": "x", "v": value}))
    with pytest.raises(ModelFileError, match="value"):
        read(path).value("v")
    with pytest.raises(ModelFileError, match="missing"):
        read(path).value("w")


def test_a_lack_of_memory_is_not_taken_for_damage(tmp_path: Path, monkeypatch) -> None:
    write(tmp_path / "m", {"kind": "x"}, {"w": np.ones(3)})

    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(json, "loads", exhausted)
    with pytest.raises(MemoryError):
        read(tmp_path / "m")
