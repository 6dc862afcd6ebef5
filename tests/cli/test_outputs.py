"""Files that are written and streams that are closed or full: nothing is lost, nothing crashes."""

import errno
import gzip
import mmap
import os
import subprocess
import sys
from pathlib import Path

import pytest

from linnet.cli import COMMANDS, main
from linnet.cli.paths import Reads, Writes
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
        ("explain", "names.linnet", "--data", "test.conll", "--html", "test.conll"),
        ("quantize", "birds.linnet", "-o", "birds.linnet"),
        ("convert", "test.conll", "--to", "tokens", "test.conll"),
        ("train", "birds-test.tsv", "--stop-words", "words.txt", "-o", "words.txt"),
        ("train", "birds-test.tsv", "--lexicon", "words.txt", "-o", "words.txt"),
        ("train", "test.conll", "--features", "words.txt", "-o", "words.txt"),
        ("tune", "test.conll", "--features", "pos,words.txt", "-o", "words.txt"),
        ("train", "test.conll", "--task", "parse", "--joint", "words.txt", "-o", "words.txt"),
        ("train", "birds-test.tsv", "-o", "birds-test.tsv"),
        ("train", "birds-test.tsv", "--dev", "test.conll", "-o", "test.conll"),
        ("tune", "birds-test.tsv", "-C", "1,2", "-o", "birds-test.tsv"),
    ],
)
def test_what_is_read_is_not_written_over(run, folder, monkeypatch, arguments) -> None:
    (folder / "words.txt").write_text("the\n")
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


@pytest.mark.parametrize(
    "arguments",
    [
        ("predict", "birds.linnet", "nowhere.tsv", "-o", "old"),
        ("predict", "birds.linnet", "cut.tsv.gz", "-o", "old"),
        ("tag", "names.linnet", "nowhere.conll", "-o", "old"),
        ("tag", "names.linnet", "cut.conll.gz", "-o", "old"),
        ("explain", "names.linnet", "--data", "nowhere.conll", "--html", "old"),
        ("explain", "names.linnet", "--data", "cut.conll.gz", "--html", "old"),
        ("convert", "cut.tsv.gz", "old", "--to", "jsonl"),
        ("quantize", "birds-test.tsv", "-o", "old"),
        ("train", "cut.tsv.gz", "-o", "old"),
    ],
)
def test_what_was_there_stays_when_input_fails(run, folder, monkeypatch, arguments) -> None:
    monkeypatch.chdir(folder)
    for name, cut in (("birds-test.tsv", "cut.tsv.gz"), ("test.conll", "cut.conll.gz")):
        Path(cut).write_bytes(gzip.compress(Path(name).read_bytes() * 20)[:-400])
    Path("old").write_text("kept")
    before = sorted(os.listdir())
    code, _, said = run(*arguments)
    assert (code, said.count("\n")) == (1, 1), said
    assert Path("old").read_text() == "kept"
    assert sorted(os.listdir()) == before


def test_a_parser_leaves_what_was_there_when_input_fails(run, folder) -> None:
    parser, old = folder / "p.linnet", folder / "old"
    assert run("train", SAMPLES / "rambles-test.conllu", "--task", "parse", "-q", "-o", parser)[0] == 0
    old.write_text("kept")
    assert run("parse", parser, folder / "nowhere.conllu", "-o", old)[0] == 1
    assert old.read_text() == "kept"


def test_results_are_packed_by_their_name(run, folder) -> None:
    plain, packed = folder / "labels", folder / "labels.gz"
    for output in (plain, packed):
        assert run("predict", folder / "birds.linnet", folder / "birds-test.tsv", "-o", output)[0] == 0
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()


def test_a_full_disk_is_not_taken_for_standard_output(folder) -> None:
    """Files may not grow beyond a limit: as on a full disk, the model cannot be saved."""
    command = f"ulimit -f 1; exec '{sys.executable}' -m linnet.cli train birds-test.tsv -q -o m.linnet"
    (folder / "m.linnet").write_text("kept")
    before = sorted(os.listdir(folder))
    found = processes.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (1, "Error: m.linnet: File too large\n")
    assert (folder / "m.linnet").read_text() == "kept"
    assert sorted(os.listdir(folder)) == before


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


@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.ENOMEM, "Cannot allocate memory")])
def test_a_lack_of_memory_is_told_as_that(run, folder, monkeypatch, error) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(mmap, "mmap", exhausted)
    code, _, said = run("inspect", folder / "birds.linnet")
    assert (code, said.startswith("Error: out of memory; ")) == (1, True)


def test_every_option_that_names_a_file_says_what_becomes_of_it() -> None:
    """Else it would not be kept apart from what is written."""
    files = {"DATA", "DATA...", "[DATA]...", "MODEL", "MODEL2", "FILE", "SOURCE", "TARGET", "TSV"}
    seen = set()
    for name in COMMANDS:
        command = main.get_command(None, name)
        for param in command.params:
            if param.metavar in files:
                seen.add(param.metavar)
                kind = getattr(param.type, "one", param.type)
                assert isinstance(kind, (Reads, Writes)), (name, param.name)
    assert seen == files
