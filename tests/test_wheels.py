"""Wheels are made for what they say, and the package claims the Pythons that they are tried on."""

import re
import runpy
import struct
import sys
import tomllib
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from .processes import run

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOW = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(ROOT / "tools")
    TOOL = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "wheels.py")))
    TRY = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "try_wheel.py")))


def pythons(job: str) -> list[str]:
    """Those of a job of the workflow."""
    text = WORKFLOW.partition(f"\n  {job}:")[2]
    return re.findall(r'"([\d.]+)"', re.search(r"python: \[(.*)\]", text)[1])


def claimed(beginning: str) -> list[str]:
    """What classifiers of the package begin so."""
    found = PROJECT["project"]["classifiers"]
    return [line.removeprefix(beginning) for line in found if line.startswith(beginning)]


def test_claimed_pythons_are_tried() -> None:
    versions = [version for version in claimed("Programming Language :: Python :: ") if "." in version]
    assert versions == pythons("try")
    assert PROJECT["project"]["requires-python"] == f">={versions[0]}"


def test_claimed_systems_are_tried() -> None:
    assert claimed("Operating System :: ") == ["POSIX :: Linux"]
    assert "os: [ubuntu-latest, ubuntu-24.04-arm," in WORKFLOW.partition("\n  try:")[2]


def test_a_wheel_is_made_for_each_interface() -> None:
    own, stable = pythons("crossed")
    assert f">={own}" == PROJECT["project"]["requires-python"]
    assert f"cp{stable.replace('.', '')}" == PROJECT["tool"]["scikit-build"]["wheel"]["py-api"]


def test_targets_are_old_machines() -> None:
    python = sys.implementation.cache_tag
    assert {
        t.name: (t.triple, t.platform, t.python, t.baseline, t.suffix) for t in TOOL.TARGETS.values()
    } == {
        "x86_64": (
            "x86_64-linux-gnu.2.17",
            "manylinux_2_17_x86_64",
            "linux-x86_64",
            "x86_64",
            f".{python}-x86_64-linux-gnu.so",
        ),
        "aarch64": (
            "aarch64-linux-gnu.2.17",
            "manylinux_2_17_aarch64",
            "linux-aarch64",
            "generic",
            f".{python}-aarch64-linux-gnu.so",
        ),
        "macos-x86_64": (
            "x86_64-macos.11.0",
            "macosx_11_0_x86_64",
            "macosx-11.0-x86_64",
            "x86_64",
            f".{python}-darwin.so",
        ),
        "macos-arm64": (
            "aarch64-macos.11.0",
            "macosx_11_0_arm64",
            "macosx-11.0-arm64",
            "apple_m1",
            f".{python}-darwin.so",
        ),
    }


def test_other_machines_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["wheels.py", "riscv64"])
    with pytest.raises(SystemExit):
        TOOL.main()
    made = "x86_64, aarch64, macos-x86_64, macos-arm64"
    assert f"riscv64: wheels are made for {made}" in capsys.readouterr().err


def test_a_large_wheel_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "linnet.whl"
    wheel.write_bytes(bytes(TOOL.LARGEST))
    assert TOOL.small(wheel) == wheel
    wheel.write_bytes(bytes(TOOL.LARGEST + 1))
    with pytest.raises(SystemExit, match=r"linnet.whl has 4,000,001 bytes, more than 4,000,000"):
        TOOL.small(wheel)


def test_words_that_zig_does_not_know(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TOOL.script.__globals__, "BUILD", tmp_path)
    given = ["-bundle", "-Wl,@/lists of/darwin-ld-cpython.sym", "a b.o", "-Wl,-x"]
    words = [str(TOOL.script("c++", "printf", "'%s|'")), *given]
    said = run(words, check=True, capture_output=True, text=True).stdout
    assert said == "-dynamiclib|-Wl,-undefined,dynamic_lookup|a b.o|-Wl,-x|"


def mac_library(
    processor: int = 0x0100000C,
    system: int = 0x000B0000,
    library: bytes = b"/usr/lib/libSystem.B.dylib",
    signed: bool = True,
    symbol: bytes = b"_PyList_New",
) -> bytes:
    """The smallest file with all that is read; one symbol is from anywhere, one is our own."""
    name = library.ljust(40, b"\0")
    commands = [
        struct.pack("<6I", 0xC, 24 + len(name), 24, 0, 0, 0) + name,
        struct.pack("<6I", 0x32, 24, 1, system, system, 0),
        *([struct.pack("<4I", 0x1D, 16, 0, 0)] if signed else []),
    ]
    names = b"\0" + symbol + b"\0_PyInit__core\0"
    begin = 32 + sum(map(len, commands)) + 24
    commands.append(struct.pack("<6I", 0x2, 24, begin, 3, begin + 48, len(names)))
    header = struct.pack("<8I", 0xFEEDFACF, processor, 0, 6, len(commands), 0, 0, 0)
    symbols = [
        struct.pack("<IBBHQ", 1, 0x01, 0, 0xFE00, 0),  # from anywhere
        struct.pack("<IBBHQ", 1, 0x01, 0, 0x0100, 0),  # of the first library
        struct.pack("<IBBHQ", 2 + len(symbol), 0x0F, 1, 0, 0),  # here
    ]
    return header + b"".join(commands) + b"".join(symbols) + names


def mac_wheel(folder: Path, library: bytes, platform: str = "macosx_11_0_arm64") -> Path:
    """A wheel with nothing but a library."""
    wheel = folder / f"linnet-0.1.0-cp312-abi3-{platform}.whl"
    with zipfile.ZipFile(wheel, "w") as files:
        files.writestr("linnet/__init__.py", "")
        files.writestr("linnet/_core.abi3.so", library)
    return wheel


def test_a_library_of_macos_is_read() -> None:
    found = TOOL.mach_o.read(mac_library())
    assert (found.processor, found.system, found.signed) == ("arm64", (11, 0), True)
    assert found.libraries == ["/usr/lib/libSystem.B.dylib"]
    assert found.from_anywhere == ["_PyList_New"]
    with pytest.raises(ValueError, match="no library of macOS"):
        TOOL.mach_o.read(b"\x7fELF" + bytes(100))


def test_a_wheel_for_macos_asks_for_nothing_else(tmp_path: Path) -> None:
    target = TOOL.TARGETS["macos-arm64"]
    good = mac_wheel(tmp_path, mac_library())
    assert target.checked(good) == good


@pytest.mark.parametrize(
    "wrong",
    [
        {"processor": 0x01000007},
        {"system": 0x000C0000},
        {"library": b"/usr/local/lib/libomp.dylib"},
        {"signed": False},
        {"symbol": b"_somebody_s"},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_wheel_that_would_not_load_is_refused(tmp_path: Path, wrong: dict[str, object]) -> None:
    with pytest.raises(SystemExit, match="is not for macosx_11_0_arm64"):
        TOOL.TARGETS["macos-arm64"].checked(mac_wheel(tmp_path, mac_library(**wrong)))


def test_a_wheel_of_another_name_is_refused(tmp_path: Path) -> None:
    wheel = mac_wheel(tmp_path, mac_library(), "linux_x86_64")
    with pytest.raises(SystemExit, match="is not for macosx_11_0_arm64"):
        TOOL.TARGETS["macos-arm64"].checked(wheel)


def test_tests_are_tried_without_the_sources(tmp_path: Path) -> None:
    tree = TRY.copied(tmp_path / "tree")
    assert not (tree / "src").exists()
    assert (tree / "tests" / "test_wheels.py").is_file()
    assert (tree / "pyproject.toml").is_file()
