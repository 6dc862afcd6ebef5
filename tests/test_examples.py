"""Every example runs, without a warning."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from . import processes
from .shell import shell

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path: Path) -> None:
    run = processes.run(
        [sys.executable, "-W", "error", str(path)],
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout
    assert run.stderr == ""


def script(name: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return shell(str(EXAMPLES[0].parent / name), tools=folder)


def test_tagging_from_the_shell(tmp_path: Path) -> None:
    run = script("tagging.sh", tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    for words in ("F1 of spans", "structural SVM", "MEMM"):
        assert words in run.stdout
    assert '"label": "BIRD", "text": "barn owl"' in run.stdout


def test_parsing_from_the_shell(tmp_path: Path) -> None:
    run = script("parsing.sh", tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    for words in ("LAS", "without punctuation", "▼", "head: saw", "bootstrap"):
        assert words in run.stdout


@pytest.mark.skipif("LINNET_DATA" not in os.environ, reason="LINNET_DATA names no folder of corpora")
def test_the_classic_exercise(tmp_path: Path) -> None:
    """Of titles: is it about a person? Everything beats guessing, and less penalty beats too much."""
    run = script("titles.sh", tmp_path)
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
