"""Wheels are made for what they say, and the package claims the Pythons that they are tried on."""

import re
import runpy
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOW = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
TOOL = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "wheels.py")))


def pythons(job: str) -> list[str]:
    """Those of a job of the workflow."""
    text = WORKFLOW.partition(f"\n  {job}:")[2]
    return re.findall(r'"([\d.]+)"', re.search(r"python: \[(.*)\]", text)[1])


def test_claimed_pythons_are_tried() -> None:
    python = "Programming Language :: Python :: "
    claimed = [
        c.removeprefix(python) for c in PROJECT["project"]["classifiers"] if c.startswith(python)
    ]
    versions = [version for version in claimed if "." in version]
    assert versions
    assert set(versions) <= set(pythons("try"))
    assert PROJECT["project"]["requires-python"] == f">={versions[0]}"


def test_a_wheel_is_made_for_each_interface() -> None:
    own, stable = pythons("linux")
    assert f">={own}" == PROJECT["project"]["requires-python"]
    assert f"cp{stable.replace('.', '')}" == PROJECT["tool"]["scikit-build"]["wheel"]["py-api"]


def test_targets_are_old_machines() -> None:
    assert {(t.triple, t.platform, t.baseline) for t in TOOL.TARGETS.values()} == {
        ("x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64", "x86_64"),
        ("aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64", "generic"),
    }


def test_other_machines_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["wheels.py", "riscv64"])
    with pytest.raises(SystemExit):
        TOOL.main()
    assert "riscv64: wheels are made for x86_64, aarch64" in capsys.readouterr().err


def test_a_large_wheel_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "linnet.whl"
    wheel.write_bytes(bytes(TOOL.LARGEST))
    assert TOOL.small(wheel) == wheel
    wheel.write_bytes(bytes(TOOL.LARGEST + 1))
    with pytest.raises(SystemExit, match=r"linnet.whl has 4,000,001 bytes, more than 4,000,000"):
        TOOL.small(wheel)
