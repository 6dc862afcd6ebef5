"""Files that are written and streams that are closed or full: nothing is lost, nothing crashes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from linnet.data import samples

from .. import processes

SAMPLES = Path(samples.__file__).parent


@pytest.fixture
def folder(tmp_path, models, tagged) -> Path:
    """Models and data that may be spoilt."""
    for path in (models / "birds.linnet", models / "birds-test.tsv", tagged / "names.linnet"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "test.conll").write_bytes((tagged / "test.conll").read_bytes())
    return tmp_path


def linnet(*arguments: object, **streams: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "linnet.cli", *map(str, arguments)]
    return processes.run(command, text=True, stderr=subprocess.PIPE, **streams)


@pytest.mark.parametrize(
    "arguments",
    [
        ("predict", "birds.linnet", "birds-test.tsv", "-o", "birds-test.tsv"),
        ("predict", "birds.linnet", "birds-test.tsv", "-o", "birds.linnet"),
        ("predict", "birds.linnet", "birds-test.tsv", "-o", "link.tsv"),
        ("tag", "names.linnet", "test.conll", "-o", "test.conll"),
        ("tag", "names.linnet", "test.conll", "-o", "names.linnet"),
        ("explain", "birds.linnet", "A wren.", "--html", "birds.linnet"),
        ("train", "birds-test.tsv", "-o", "birds-test.tsv"),
        ("train", "birds-test.tsv", "--dev", "test.conll", "-o", "test.conll"),
        ("tune", "birds-test.tsv", "-C", "1,2", "-o", "birds-test.tsv"),
    ],
)
def test_what_is_read_is_not_written_over(run, folder, monkeypatch, arguments) -> None:
    (folder / "link.tsv").symlink_to(folder / "birds-test.tsv")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    monkeypatch.chdir(folder)
    code, output, said = run(*arguments)
    assert (code, output) == (2, "")
    assert said.endswith(
        f"{arguments[-1]}: the same file is read, and would be lost; give another name\n"
    )
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_a_parser_and_what_comes_through_a_pipe_are_not_written_over(run, folder) -> None:
    source = SAMPLES / "rambles-test.conllu"
    parser, data = folder / "p.linnet", folder / "data.conllu"
    data.write_bytes(source.read_bytes())
    assert run("train", data, "--task", "parse", "-q", "-o", parser)[0] == 0
    size = parser.stat().st_size
    for output in (parser, data):
        code, _, said = run("parse", parser, data, "-o", output)
        assert (code, "the same file is read" in said) == (2, True)
    with data.open("rb") as stream:
        found = linnet("parse", parser, "-o", data, stdin=stream)
    assert (found.returncode, "the same file is read" in found.stderr) == (2, True)
    assert (parser.stat().st_size, data.read_bytes()) == (size, source.read_bytes())


def test_a_model_may_take_the_place_of_the_one_it_goes_on_from(run, folder) -> None:
    model = folder / "birds.linnet"
    assert run("train", folder / "birds-test.tsv", "--from", model, "-o", model, "-q")[0] == 0
    assert run("inspect", model)[0] == 0


@pytest.mark.parametrize("output", ["-", os.devnull])
def test_a_model_is_a_file(run, folder, monkeypatch, output) -> None:
    monkeypatch.chdir(folder)
    code, _, said = run("train", folder / "birds-test.tsv", "-o", output)
    assert (code, said) == (2, f"Error: -o {output}: a model is a file; give the name of one\n")
    assert not (folder / "-").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_full_disks_are_named(models) -> None:
    model, data = models / "birds.linnet", models / "birds-test.tsv"
    with open("/dev/full", "w") as full:
        for arguments in (("predict", model, data), ("inspect", model), ("--help",)):
            found = linnet(*arguments, stdout=full)
            assert (found.returncode, found.stderr) == (
                1,
                "Error: standard output: No space left on device\n",
            )
    found = linnet("predict", model, data, "-o", "/dev/full", stdout=subprocess.PIPE)
    assert (found.returncode, found.stderr) == (1, "Error: /dev/full: No space left on device\n")


@pytest.mark.skipif(os.name != "posix", reason="a shell closes the streams")
@pytest.mark.parametrize(
    ("closed", "command", "code", "said"),
    [
        ("<&-", "predict @birds.linnet", 0, ""),
        ("<&-", "train - -o @m.linnet", 1, "Error: standard input is empty\n"),
        (">&-", "predict @birds.linnet @birds-test.tsv", 0, ""),
        (">&-", "inspect @birds.linnet", 0, ""),
        ("2>&-", "train @birds-test.tsv -o @m.linnet", 0, ""),
        ("<&- >&- 2>&-", "predict @birds.linnet @birds-test.tsv -o @out", 0, ""),
    ],
)
def test_closed_streams(folder, closed, command, code, said) -> None:
    shell = f'"{sys.executable}" -m linnet.cli {command.replace("@", f"{folder}/")} {closed}'
    found = processes.run(["sh", "-c", shell], capture_output=True, text=True)
    assert (found.returncode, found.stdout, found.stderr) == (code, "", said)
