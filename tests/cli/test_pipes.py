"""The command as a process: pipes, signals, terminals."""

import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import linnet
from linnet.data import samples

from .. import processes
from .signals import interrupted

LINNET = [sys.executable, "-W", "error", "-m", "linnet.cli"]
PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def start(*arguments: object, **settings: object) -> subprocess.Popen[bytes]:
    return processes.Process([*LINNET, *map(str, arguments)], **{**PIPES, **settings})


def call(*arguments: object, given: bytes = b"") -> tuple[int, bytes, bytes]:
    process = start(*arguments)
    output, said = process.communicate(given, timeout=60)
    return process.returncode, output, said


def answer(process: subprocess.Popen[bytes], line: bytes) -> bytes:
    """What comes back for a line before the next is sent."""
    process.stdin.write(line)
    process.stdin.flush()
    ready, _, _ = select.select([process.stdout], [], [], 20)
    assert ready, "no answer in 20 s"
    return os.read(process.stdout.fileno(), 1 << 16)


def test_a_line_is_answered_before_the_next(models) -> None:
    texts, _ = samples.load("birds-test")
    expected = linnet.load(models / "birds.linnet").predict(texts[:20]).tolist()
    with start("predict", models / "birds.linnet", "--threads", 2) as process:
        got = [answer(process, f"{text}\n".encode()) for text in texts[:20]]
        assert got == [f"{bird}\n".encode() for bird in expected]
        assert answer(process, b"\n").count(b"\n") == 1
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(20) == 0
        assert process.stderr.read() == b""


def test_rows_of_numbers_and_explanations_keep_up_too(run, models, tmp_path) -> None:
    (tmp_path / "d.svm").write_text("a 1:1\nb 2:1\n" * 9, encoding="utf-8")
    assert run("train", tmp_path / "d.svm", "-o", tmp_path / "m.linnet")[0] == 0
    with start("predict", tmp_path / "m.linnet") as process:
        assert [answer(process, row) for row in (b"0 2:1\n", b"1:1 99:1\n")] == [b"b\n", b"a\n"]
        process.stdin.close()
        assert process.wait(20) == 0
    with start("explain", models / "birds.linnet", "--json") as process:
        assert b'"label": "linnet"' in answer(process, b"a finch on the gorse\n")
        process.stdin.close()
        assert process.wait(20) == 0


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        (b"", 0),
        (b"\n", 1),
        (b"\n\n\n", 3),
        (b"gorse\r\nivy\r\n", 2),
        (b"gorse", 1),
        (b"gorse\n\nivy", 3),
        (b"gorse \xff\xc3 \xed\xa0\x80\n\x00\n", 2),
        (b"a\ttab\tor two\n", 1),
        ("gorse\u2028ivy\x0b\x85\n".encode(), 1),
        (b"x" * 300_000 + b"\n", 1),
        (b"gorse\n" * 50_000, 50_000),
    ],
)
def test_a_line_out_for_each_line_in(models, given, lines) -> None:
    code, output, said = call("predict", models / "birds.linnet", "--proba", given=given)
    assert (code, said) == (0, b"")
    assert output.count(b"\n") == lines
    assert all(len(line.split(b"\t")) == 2 for line in output.splitlines())


def test_line_ends_do_not_matter(models) -> None:
    plain = call("predict", models / "birds.linnet", "--scores", given=b"gorse\nivy\n")
    for given in (b"gorse\r\nivy\r\n", b"gorse\nivy", b"\xef\xbb\xbfgorse\nivy\n"):
        assert call("predict", models / "birds.linnet", "-", "--scores", given=given) == plain


def test_training_from_a_pipe(models, tmp_path) -> None:
    data = (models / "verse-train.tsv").read_bytes()
    code, output, said = call("train", "-", "-o", tmp_path / "m.linnet", given=data)
    assert (code, output) == (0, b"")
    assert b"600 examples" in said
    assert b"\x1b" not in said
    assert b"\r" not in said


def test_named_pipes(models, tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for arguments in (
        ("train", tmp_path / "pipe", "-q", "-o", tmp_path / "m.linnet"),
        ("predict", models / "verse.linnet", tmp_path / "pipe", "--format", "tsv"),
    ):
        with start(*arguments) as process:
            (tmp_path / "pipe").write_bytes((models / "verse-train.tsv").read_bytes())
            output, said = process.communicate(timeout=30)
            assert (process.returncode, said) == (0, b"")
    assert output.count(b"\n") == 600


@pytest.mark.parametrize("arguments", [("predict",), ("explain",), ("explain", "--html", "-")])
def test_the_reader_has_seen_enough(models, arguments) -> None:
    command, *options = arguments
    with start(command, models / "birds.linnet", *options) as process:
        process.stdin.write(b"a finch on the gorse\n" * 200)
        process.stdin.flush()
        assert os.read(process.stdout.fileno(), 10)
        process.stdout.close()
        try:
            process.stdin.write(b"a finch on the gorse\n" * 20_000)
            process.stdin.close()
        except BrokenPipeError:
            pass
        assert process.wait(30) == 0
        assert process.stderr.read() == b""


@pytest.mark.parametrize("command", ["evaluate", "inspect"])
def test_tables_whose_reader_has_gone(models, command) -> None:
    data = [models / "birds-test.tsv"] if command == "evaluate" else []
    read, write = os.pipe()
    os.close(read)
    with start(command, models / "birds.linnet", *data, stdout=write) as process:
        os.close(write)
        assert process.wait(30) == 0
        assert process.stderr.read() == b""


# ---------------------------------------------------------------------- signals


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[str, ...]]:
    """Data and settings that training does not come to an end with."""
    texts, birds = samples.load("birds-train")
    file = tmp_path_factory.mktemp("endless") / "d.tsv"
    lines = [f"{bird}\t{text}\n" for text, bird in zip(texts, birds, strict=True)]
    file.write_text("".join(lines) * 5, encoding="utf-8")
    slow = ("--learner", "sgd", "--loss", "logistic", "--max-iter", "1000000", "--tol", "0")
    return file, slow


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_training_saves_what_it_has(endless, tmp_path, number) -> None:
    data, slow = endless
    said = interrupted(number, 0, "train", data, "-o", tmp_path / "m.linnet", *slow)
    assert b"note: training was interrupted" in said
    assert b"Traceback" not in said
    model = linnet.load(tmp_path / "m.linnet")
    assert model.record_.stopped == "interrupted"
    assert model.score(*samples.load("birds-test")) > 0.8


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_before_there_is_a_model_nothing_is_saved(tmp_path, number, code) -> None:
    said = interrupted(number, code, "train", "-", "-o", tmp_path / "m.linnet")  # it waits for data
    assert said == b"interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_one_interrupt_ends_many_trainings(endless) -> None:
    data, _ = endless
    slow = ("--penalty", "l1", "--tol", "1e-12", "-C", "100,200,300,400,500,600", "--chars", "2-5")
    assert b"interrupted\n" in interrupted(signal.SIGINT, 130, "tune", data, *slow)


def test_an_interrupted_prediction_ends_without_a_traceback(models) -> None:
    with start("predict", models / "birds.linnet") as process:
        assert answer(process, b"gorse\n")
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        assert process.stderr.read() == b"interrupted\n"


# ---------------------------------------------------------------------- terminals


def in_a_terminal(*arguments: object, columns: int = 100) -> bytes:
    """All that a command shows on a terminal."""
    ours, theirs = pty.openpty()
    settings = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": str(columns)}
    shown = b""
    with start(*arguments, **settings, env=environment) as process:
        os.close(theirs)
        while True:
            try:
                piece = os.read(ours, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece
        assert process.wait(30) == 0, shown
    os.close(ours)
    return shown


def test_colour_is_for_terminals(models, tmp_path) -> None:
    shown = in_a_terminal("explain", models / "birds.linnet", "a finch on the gorse")
    assert b"\x1b[" in shown
    assert b"\x1b" not in call("explain", models / "birds.linnet", "a finch on the gorse")[1]
    told = in_a_terminal("train", models / "verse-train.tsv", "-o", tmp_path / "m.linnet")
    assert b"loss: squared_hinge" in told
    assert in_a_terminal("train", models / "verse-train.tsv", "-q", "-o", tmp_path / "m.linnet") == b""


def test_numbers_are_not_cut_on_a_narrow_terminal(models) -> None:
    shown = in_a_terminal("compare", models / "verse-train.tsv", columns=80).decode()
    assert "…" not in shown
    assert "logistic regression, L1" in shown
    shown = in_a_terminal(
        "evaluate", models / "birds.linnet", models / "birds-test.tsv", "--worst", 0, columns=80
    ).decode()
    assert "…" not in shown
    assert "specificity" in shown
