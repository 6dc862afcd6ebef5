"""The model file as a container: what is written comes back, whole, mapped and to the byte."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from linnet.persistence import ModelFileError, StoredStrings, pack, pack_strings, read, write
from linnet.persistence.layout import ALIGNMENT, DTYPES

from .. import processes

KEPT = Path(__file__).parent / "data" / "container-1.linnet"


def small() -> tuple[dict, dict]:
    spec = {"kind": "test", "labels": ["Hänfling", "鳥"], "numbers": [1, 2.5, None, True]}
    tensors = {
        "weights": np.arange(6, dtype=np.float32).reshape(2, 3),
        "ends": np.array([3, 7], dtype=np.int64),
        "nothing": np.zeros((0, 4), dtype=np.uint16),
        "スズメ": np.array([[1, -1]], dtype=np.int8),
        "scalar": np.array(2.5),
    }
    return spec, tensors


def assert_same(found: dict, expected: dict) -> None:
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape


def test_what_is_written_is_read(tmp_path: Path) -> None:
    spec, tensors = small()
    write(tmp_path / "m.linnet", spec, tensors)
    file = read(tmp_path / "m.linnet")
    assert file.spec == spec
    assert file.kind == "test"
    assert_same(file.tensors, tensors)
    assert os.listdir(tmp_path) == ["m.linnet"]


def test_the_kept_file_of_format_1_is_read() -> None:
    spec, tensors = small()
    file = read(KEPT)
    assert file.spec == spec
    assert file.library == "0.1.0"
    assert_same(file.tensors, tensors)


@settings(max_examples=30, deadline=None)
@given(
    names=st.lists(st.text(st.characters(codec="utf-8"), max_size=8), unique=True, max_size=6),
    data=st.data(),
)
def test_any_tensors(
    tmp_path_factory: pytest.TempPathFactory, names: list, data: st.DataObject
) -> None:
    shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=9)
    some = st.sampled_from(list(DTYPES.values())).flatmap(lambda d: hnp.arrays(d, shapes))
    tensors = {name: data.draw(some) for name in names}
    path = tmp_path_factory.mktemp("any") / "m"
    write(path, {"kind": "any"}, tensors)
    assert_same(read(path).tensors, tensors)
    assert path.stat().st_size % ALIGNMENT == 0


def test_safetensors_reads_it(tmp_path: Path) -> None:
    from safetensors import safe_open
    from safetensors.numpy import load_file

    spec, tensors = small()
    write(tmp_path / "m", spec, tensors)
    found = {k: v for k, v in load_file(tmp_path / "m").items() if not k.startswith("_padding.")}
    assert_same(found, tensors)
    with safe_open(tmp_path / "m", "numpy") as file:
        assert json.loads(file.metadata()["linnet"])["spec"] == spec


def test_equal_models_have_equal_bytes(tmp_path: Path) -> None:
    spec, tensors = small()
    write(tmp_path / "a", spec, tensors)
    write(tmp_path / "b", dict(reversed(spec.items())), dict(reversed(tensors.items())))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_layouts_of_memory_do_not_matter(tmp_path: Path) -> None:
    plain = np.arange(12.0).reshape(3, 4)
    write(tmp_path / "a", {"kind": "x"}, {"w": plain})
    for i, other in enumerate(
        [np.asfortranarray(plain), plain.astype(">f8"), plain.repeat(2, 1)[:, ::2]]
    ):
        write(tmp_path / str(i), {"kind": "x"}, {"w": other})
        assert (tmp_path / str(i)).read_bytes() == (tmp_path / "a").read_bytes()


def test_views_are_mapped_aligned_and_read_only(tmp_path: Path) -> None:
    spec, tensors = small()
    write(tmp_path / "m", spec, tensors)
    for view in read(tmp_path / "m").tensors.values():
        assert not view.flags.writeable
        if view.size == 0:
            continue
        assert not view.flags.owndata
        assert view.ctypes.data % ALIGNMENT == 0
        with pytest.raises(ValueError, match="WRITEABLE"):
            view.flags.writeable = True


def test_loading_touches_no_data(tmp_path: Path) -> None:
    path = tmp_path / "large"
    size = 1 << 30
    write(path, {"kind": "x"}, {"w": np.zeros(16, dtype=np.float32)})
    raw = path.read_bytes()
    # The same header with as many digits, for a gigabyte that is a hole in the file.
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    header["w"] = {"dtype": "F32", "shape": [size // 4], "data_offsets": [0, size]}
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + size)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        view = read(path).tensors["w"]
        seconds.append(time.perf_counter() - start)
    assert view.nbytes == size
    assert min(seconds) < 0.01
    with open("/proc/self/smaps") as maps:
        lines = maps.read().split(str(path), 1)[1].splitlines()
    assert next(line for line in lines if line.startswith("Rss:")).split()[1] == "0"
    assert view[-1] == 0


def test_a_mapping_outlives_its_file(tmp_path: Path) -> None:
    write(tmp_path / "m", {"kind": "x"}, {"w": np.full(5000, 1.0)})
    old = read(tmp_path / "m").tensors["w"]
    write(tmp_path / "m", {"kind": "x"}, {"w": np.zeros(3)})
    assert old.sum() == 5000
    assert read(tmp_path / "m").tensors["w"].shape == (3,)
    write(tmp_path / "m", {"kind": "x"}, {"w": old})  # onto itself
    (tmp_path / "m").unlink()
    assert old.sum() == 5000


class _Failing:
    """Looks like data, and fails in the middle of the file."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __call__(self, *_: object) -> None:
        raise self.error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
@pytest.mark.parametrize("when", ["fsync", "replace", "chmod"])
def test_a_failure_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, when: str
) -> None:
    write(tmp_path / "m", {"kind": "x"}, {"w": np.ones(4)})
    before = (tmp_path / "m").read_bytes()
    monkeypatch.setattr(os, when, _Failing(error))
    with pytest.raises(type(error)):
        write(tmp_path / "m", {"kind": "x"}, {"w": np.zeros(4)})
    assert os.listdir(tmp_path) == ["m"]
    assert (tmp_path / "m").read_bytes() == before


def test_an_interrupt_leaves_the_old_file(tmp_path: Path) -> None:
    write(tmp_path / "m", {"kind": "x"}, {"w": np.ones(4)})
    before = (tmp_path / "m").read_bytes()
    code = (
        "import sys, numpy as np; from linnet.persistence import write\n"
        "w = np.zeros(1 << 22)\n"
        "while True:\n"
        "    print('.', flush=True); write(sys.argv[1], {'kind': 'y'}, {'w': w})"
    )
    with processes.Process(
        [sys.executable, "-c", code, str(tmp_path / "n")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        process.stdout.read(3)
        time.sleep(0.02)
        process.send_signal(signal.SIGINT)
    assert process.returncode != 0
    assert set(os.listdir(tmp_path)) <= {"m", "n"}
    assert (tmp_path / "m").read_bytes() == before
    if (tmp_path / "n").exists():
        assert read(tmp_path / "n").tensors["w"].shape == (1 << 22,)


def test_permissions(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        write(tmp_path / "m", {"kind": "x"}, {})
        assert stat.S_IMODE((tmp_path / "m").stat().st_mode) == 0o640
        (tmp_path / "m").chmod(0o600)
        write(tmp_path / "m", {"kind": "x"}, {})
        assert stat.S_IMODE((tmp_path / "m").stat().st_mode) == 0o600
    finally:
        os.umask(old)


def test_links_stay_links(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "m").symlink_to(tmp_path / "models" / "m")
    write(tmp_path / "m", {"kind": "x"}, {})
    assert (tmp_path / "m").is_symlink()
    assert read(tmp_path / "models" / "m").kind == "x"


def test_places_that_are_no_file(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="is not a file"):
        write(tmp_path, {"kind": "x"}, {})
    with pytest.raises(ModelFileError, match="is not a file"):
        write("/dev/null", {"kind": "x"}, {})
    with pytest.raises(ModelFileError, match="is not a file"):
        read(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="is not a file"):
        read(tmp_path / "pipe")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        read(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        write(tmp_path / "nowhere" / "m", {"kind": "x"}, {})


@pytest.mark.parametrize(
    "tensor", [np.array([True]), np.array(["a"]), np.array([1j]), np.array([None]), "text"]
)
def test_types_that_do_not_go_in(tmp_path: Path, tensor: object) -> None:
    with pytest.raises(TypeError, match="'w' is of type"):
        write(tmp_path / "m", {"kind": "x"}, {"w": tensor})
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["__metadata__", "_padding.x", "\ud800"])
def test_names_that_do_not_go_in(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        write(tmp_path / "m", {"kind": "x"}, {name: np.ones(1)})


def test_specifications_that_do_not_go_in(tmp_path: Path) -> None:
    for spec in (
        {},
        {"kind": 1},
        {"kind": "x", "a": float("nan")},
        {"kind": "x", "a": "a" * (17 << 20)},
    ):
        with pytest.raises(ValueError, match=r"kind|JSON|header"):
            write(tmp_path / "m", spec, {})


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(
            st.text(max_size=3) | st.integers() | st.floats(allow_nan=False), inner, max_size=3
        )
    ),
    max_leaves=12,
)


def same(a: object, b: object) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return len(a) == len(b) and all(
            same(x, y)
            for x, y in zip(sorted(a.items(), key=repr), sorted(b.items(), key=repr), strict=True)
        )
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


@settings(max_examples=80, deadline=None)
@given(value=plain)
def test_values_keep_their_types(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    path, tensors = tmp_path_factory.mktemp("values") / "m", {}
    write(path, {"kind": "x", "value": pack(value, "value", tensors)}, tensors)
    assert same(read(path).value("value"), value)


def test_values_of_numpy(tmp_path: Path) -> None:
    tensors: dict = {}
    value = {
        "a": np.arange(3),
        "b": np.float32(0.5),
        "c": np.str_("x"),
        "d": np.array([True]),
        "e": np.nan,
    }
    write(tmp_path / "m", {"kind": "x", "v": pack(value, "v", tensors)}, tensors)
    found = read(tmp_path / "m").value("v")
    np.testing.assert_array_equal(found["a"], [0, 1, 2])
    assert (found["b"], found["c"], found["d"]) == (0.5, "x", [True])
    assert np.isnan(found["e"])
    with pytest.raises(TypeError, match=r"v.f is .* cannot hold"):
        pack({"f": print}, "v", tensors)


@settings(max_examples=30, deadline=None)
@given(strings=st.lists(st.text(st.characters()), max_size=8))
def test_strings(tmp_path_factory: pytest.TempPathFactory, strings: list[str]) -> None:
    path = tmp_path_factory.mktemp("strings") / "m"
    write(path, {"kind": "x"}, pack_strings("names", strings))
    stored = StoredStrings(read(path), "names")
    assert len(stored) == len(strings)
    assert stored.decode() == strings


@pytest.mark.parametrize(
    ("raw", "offsets"),
    [
        (b"abc", [0, 2, 1, 3]),
        (b"abc", [0, 4]),
        (b"abc", [-1, 3]),
        (b"abc", [0, 1]),
        (b"abc", [1, 3]),
        (b"abc", []),
        (b"abc", [0, -(2**63), 3]),
        (b"\xff", [0, 1]),
    ],
)
def test_damaged_strings(tmp_path: Path, raw: bytes, offsets: list[int]) -> None:
    tensors = {"n.bytes": np.frombuffer(raw, np.uint8), "n.offsets": np.array(offsets, np.int64)}
    write(tmp_path / "m", {"kind": "x"}, tensors)
    with pytest.raises(ModelFileError, match="strings 'n'"):
        StoredStrings(read(tmp_path / "m"), "n").decode()
    with pytest.raises(ModelFileError, match="missing"):
        StoredStrings(read(tmp_path / "m"), "other")
