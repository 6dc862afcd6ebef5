"""Taggers as processes: sentences through pipes, interrupted trainings."""

import json
import os
import select
import signal
import subprocess
import sys
import time

import linnet
from linnet.data import samples

from .. import processes

LINNET = [sys.executable, "-m", "linnet.cli"]
PIPES = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def start(*arguments: object) -> subprocess.Popen[bytes]:
    return processes.Process([*LINNET, *map(str, arguments)], **PIPES)


def answer(process: subprocess.Popen[bytes], given: bytes) -> bytes:
    """What comes back before more is sent."""
    process.stdin.write(given)
    process.stdin.flush()
    ready, _, _ = select.select([process.stdout], [], [], 30)
    assert ready, "no answer in 30 s"
    return os.read(process.stdout.fileno(), 1 << 16)


def test_a_sentence_is_answered_before_the_next(tagged) -> None:
    X, _ = samples.load_tagged("sightings-test")
    expected = linnet.load(tagged / "names.linnet").predict(X[:5])
    with start("tag", tagged / "names.linnet") as process:  # it needs columns: so they are
        for sentence, tags in zip(X[:5], expected, strict=True):
            given = "".join(f"{word} {pos}\n" for word, pos in sentence) + "\n"
            got = answer(process, given.encode()).decode()
            assert [line.split()[-1] for line in got.strip().splitlines()] == tags
        process.stdin.close()
        assert process.wait(20) == 0
        assert process.stderr.read() == b""


def test_a_line_of_text_is_answered_before_the_next(tagged) -> None:
    with start("predict", tagged / "words.linnet") as process:
        for line in (b"A barn owl sang.", b"", b"Robin saw it."):
            got = json.loads(answer(process, line + b"\n"))
            assert got["text"].encode() == line
            for span in got["spans"]:
                assert line.decode()[span["start"] : span["end"]] == span["text"]
            assert bool(got["spans"]) == bool(line)
        process.stdin.close()
        assert process.wait(20) == 0
        assert process.stdout.read() == process.stderr.read() == b""


def test_an_interrupted_training_saves_what_it_has(tagged, tmp_path) -> None:
    train, model = tagged / "train.conll", tmp_path / "m.linnet"
    endless = ("--learner", "sgd", "--tol", "0", "--max-iter", 10**6)
    for seconds in (2, 5, 12):  # there are weights by then, unless the machine is busy
        with start("train", train, "-o", model, *endless) as process:
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            said = process.stderr.read()
            code = process.wait(60)
        if code == 0:
            break
    assert code == 0, said
    assert b"note: training was interrupted" in said
    assert b"Traceback" not in said
    loaded = linnet.load(model)
    assert loaded.record_.stopped == "interrupted"
    assert loaded.score(*samples.load_tagged("sightings-test")) > 0.9


def test_taggers_import_numpy_alone(tagged, tmp_path) -> None:
    script = (
        "import sys\n"
        "from linnet.cli import main\n"
        "main([*sys.argv[1:]], standalone_mode=False)\n"
        "heavy = ('numpy', 'scipy', 'sklearn', 'rich', 'pandas', 'pyarrow')\n"
        "print(*(m for m in heavy if m in sys.modules), file=sys.stderr)\n"
    )
    train = ("train", tagged / "train.conll", "-q", "-o", tmp_path / "m.linnet")
    for arguments in (train, ("tag", tagged / "names.linnet", tagged / "test.conll", "--proba")):
        run = processes.run(
            [sys.executable, "-c", script, *map(str, arguments)], capture_output=True, check=True
        )
        assert run.stderr.decode().splitlines()[-1] == "numpy"
