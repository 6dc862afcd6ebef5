"""Every example runs, without a warning."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout
    assert run.stderr == ""


@pytest.mark.skipif("LINNET_DATA" not in os.environ, reason="LINNET_DATA names no folder of corpora")
def test_the_classic_exercise(tmp_path: Path) -> None:
    """Of titles: is it about a person? Everything beats guessing, and less penalty beats too much."""
    command = tmp_path / "linnet"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m linnet.cli "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    run = subprocess.run(
        ["sh", str(EXAMPLES[0].parent / "titles.sh")],
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    rows = (line.removesuffix(" %").rsplit(maxsplit=1) for line in run.stdout.splitlines())
    accuracy = {name.strip(): float(percent) for name, percent in rows}
    assert len(accuracy) == 15
    for name in ("logistic regression, L2 0.001", "SVM, L2 0.001", "perceptron, averaged"):
        assert accuracy[name] > 93
    assert accuracy["perceptron, averaged"] > accuracy["perceptron"] > 92
    for model in ("logistic regression", "SVM (squared hinge)"):
        path = [accuracy[f"{model}, L1 {c}"] for c in ("0.0001", "0.001", "0.01", "0.1", "1.0")]
        assert path == sorted(path, reverse=True)
    assert accuracy["what Linnet does by itself"] == max(accuracy.values()) >= 95
