"""The first moments of the command, and the last: Ctrl-C and pipes that nobody reads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .. import processes

STARTS = {
    "linnet": [str(Path(sys.executable).parent / "linnet")],
    "python -m linnet": [sys.executable, "-m", "linnet"],
    "python -m linnet.cli": [sys.executable, "-m", "linnet.cli"],
}
INTERRUPTING = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n"


@pytest.mark.parametrize("command", STARTS.values(), ids=STARTS)
@pytest.mark.parametrize("module", ["click", "difflib", "rich"])
def test_interrupted_while_it_imports(tmp_path: Path, command: list[str], module: str) -> None:
    (tmp_path / f"{module}.py").write_text(INTERRUPTING)
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}

    arguments = ["demo"] if module == "rich" else ["grid", "--loss", "hinge"]
    found = processes.run([*command, *arguments], env=environment, capture_output=True, limit=50)
    assert found.returncode == 130
    assert found.stdout == b""
    assert found.stderr in (b"", b"interrupted\n")


def test_ignored_where_it_is_to_be(tmp_path: Path) -> None:
    """In the background, a shell ignores Ctrl-C for its children."""
    code = f"import signal; signal.signal({signal.SIGINT:d}, signal.SIG_IGN); import os, sys; "
    code += "os.execv(sys.executable, [sys.executable, '-m', 'linnet', 'grid', '--loss', 'x'])"
    (tmp_path / "click.py").write_text(INTERRUPTING.replace("time.sleep(60)", "raise SystemExit(7)"))
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    found = processes.run([sys.executable, "-c", code], env=environment, capture_output=True, limit=50)
    assert found.returncode == 7


@pytest.mark.parametrize("arguments", [["--help"], ["train", "--help"], ["--version"], ["grid"]])
def test_nobody_reads(arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    found = processes.run(
        [sys.executable, "-m", "linnet", *arguments], stdout=writing, stderr=subprocess.PIPE, limit=50
    )
    os.close(writing)
    assert found.stderr == b""
    assert found.returncode == 0
