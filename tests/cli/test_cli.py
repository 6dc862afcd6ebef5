"""The command line: what it prints, how it exits, what it costs to start."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

import linnet
from linnet.cli import main


def call(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


def test_version() -> None:
    assert call("--version") == (0, f"linnet, version {linnet.__version__}\n")


def test_grid_prints_what_compatible_says() -> None:
    code, output = call("grid", "--structure", "multiclass", "--loss", "hinge")
    assert code == 0
    assert output == f"{linnet.compatible('multiclass', 'hinge')}\n"


@pytest.mark.parametrize(
    ("cell", "code", "answer"),
    [
        (("binary", "hinge", "dual", "l2"), 0, "yes\n"),
        (("multiclass", "squared_hinge", "dual", "l2"), 0, "yes, one label against the rest\n"),
        (("binary", "hinge", "pa", "l2"), 1, "Error: pa does not take penalty 'l2'"),
        (("binary", "hinge", "simplex", "l2"), 2, "unknown learner 'simplex'; known are counting"),
        (("binary", "l0", "dual", "l2"), 2, "unknown loss 'l0'"),
    ],
)
def test_one_cell_is_answered_or_explained(cell: tuple[str, ...], code: int, answer: str) -> None:
    options = zip(("--structure", "--loss", "--learner", "--penalty"), cell, strict=True)
    got, output = call("grid", *(part for option in options for part in option))
    assert got == code
    assert answer in output


def test_mistakes_of_the_user_exit_with_2() -> None:
    assert call("gird")[0] == 2
    assert call("grid", "--los", "hinge")[0] == 2


def test_demo_in_a_pipe_is_plain_text() -> None:
    code = "from linnet.cli import main; main(prog_name='linnet')"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, "demo"],
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "100"},
        check=True,
    )
    assert run.stderr == ""
    assert "\x1b" not in run.stdout
    for name in ("naive Bayes", "averaged perceptron", "Winnow", "MIRA", "AROW", "linear SVM"):
        (line,) = (line for line in run.stdout.splitlines() if line.startswith(name))
        accuracy = next(float(word[:-1]) for word in line.split() if word.endswith("%"))
        assert accuracy > 85
    assert "(intercept)" in run.stdout or "others" in run.stdout


def test_a_terminal_without_the_signs_is_served_too() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "linnet.cli", "grid", "--loss", "hinge"],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert run.stderr == b""
    assert b"dual" in run.stdout


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys, time\n"
        "from linnet.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "print([m for m in ('numpy', 'scipy', 'sklearn', 'rich') if m in sys.modules])\n"
        "print(time.process_time())\n"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *_, heavy, seconds = output.stdout.splitlines()
    assert heavy == "[]"
    assert float(seconds) < 0.5  # 0.1 on an idle machine
