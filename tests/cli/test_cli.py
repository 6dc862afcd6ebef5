"""The command line: what it prints, how it exits, what it costs to start."""

import os
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import linnet
from linnet.cli import COMMANDS, main

from .. import processes


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
    run = processes.run(
        [sys.executable, "-W", "error", "-c", code, "demo"],
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "100"},
        check=True,
    )
    assert run.stderr == ""
    assert "\x1b" not in run.stdout
    names = (
        "naive Bayes",
        "averaged perceptron",
        "Winnow",
        "MIRA",
        "AROW",
        "linear SVM",
        "what Linnet",
    )
    for name in names:
        (line,) = (line for line in run.stdout.splitlines() if line.startswith(name))
        accuracy = next(float(word[:-1]) for word in line.split() if word.endswith("%"))
        assert accuracy > 85
    for words in ("gorse", "of which bias", "linnet train", "linnet predict", "linnet explain"):
        assert words in run.stdout


def test_a_terminal_without_the_signs_is_served_too() -> None:
    run = processes.run(
        [sys.executable, "-m", "linnet.cli", "grid", "--loss", "hinge"],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert run.stderr == b""
    assert b"dual" in run.stdout


def imported(*arguments: str) -> list[str]:
    """Which of the heavy modules a command imports."""
    script = (
        "import sys\n"
        "from linnet.cli import main\n"
        f"main({list(arguments)!r}, standalone_mode=False)\n"
        "heavy = ('numpy', 'scipy', 'sklearn', 'rich', 'pandas', 'pyarrow')\n"
        "print(*(m for m in heavy if m in sys.modules), file=sys.stderr)\n"
    )
    run = processes.run(
        [sys.executable, "-c", script], input="one line\n", capture_output=True, text=True, check=True
    )
    return run.stderr.splitlines()[-1].split()


def test_help_imports_nothing_heavy() -> None:
    assert imported("--help") == []
    for command in ("train", "compare"):
        assert imported(command, "--help") == []


def test_predict_and_train_import_numpy_alone(models: Path) -> None:
    assert imported("predict", f"{models / 'birds.linnet'}", "--proba") == ["numpy"]
    data = str(models / "verse-train.tsv")
    assert imported("train", data, "-q", "-o", str(models / "again.linnet")) == ["numpy"]


def test_start_is_cheap() -> None:
    code = (
        "import time\n"
        "from linnet.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "print(time.process_time())\n"
    )
    output = processes.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(output.stdout.splitlines()[-1]) < 0.5  # 0.1 on an idle machine


def test_commands_are_told_in_a_line_each() -> None:
    output = CliRunner().invoke(main, ["--help"], terminal_width=80).output
    listed = output[output.index("Commands:") :].splitlines()[1:]
    assert [line.split()[0] for line in listed] == list(COMMANDS)
    for line in listed:
        assert line.endswith(".")
        assert not line.endswith("...")
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        assert len((command.help or "").split("\n")[0]) <= 60


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_explained_and_goes_by_one_name(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    meanings = {
        "format_": "--format",
        "text": "--text",
        "label": "--label",
        "labels": "--label",
        "threads": "--threads",
        "as_json": "--json",
        "output": "--output",
        "seed": "--seed",
    }
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            assert meanings.get(option.name or "", option.opts[-1]) == option.opts[-1]


def test_ctrl_c_while_a_command_ends_has_its_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(linnet.cli, "listen", lambda: True)
    monkeypatch.setattr(linnet.cli, "hush", interrupt)
    with pytest.raises(SystemExit) as end:
        linnet.cli.main(["grid", "binary"])
    assert end.value.code == 130
