"""What was told to be saved is there, whenever the process is killed."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.serving.look.decisions import Decisions

from ..processes import Process

KILLS = 100
CODE = """
import sys
from linnet.serving.look.decisions import Decisions
decisions = Decisions(sys.argv[1])
while True:
    made = decisions.add(text="a text " * 50, label="owl")
    print(made.number, flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_nothing_is_lost_by_kills(tmp_path: Path) -> None:
    """A hundred processes one after the other, each killed after a random number of decisions."""
    path, chance = tmp_path / "decisions.jsonl", random.Random(0)
    told = 0
    for _ in range(KILLS):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            decisions = Decisions(str(path))
            while True:
                made = decisions.add(text="a text " * 50, label="owl")
                os.write(writing, f"{made.number}\n".encode())
        os.close(writing)
        seen = b""
        wanted = chance.randrange(1, 6)
        while seen.count(b"\n") < wanted:
            seen += os.read(reading, 100)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while more := os.read(reading, 65536):
            seen += more
        os.close(reading)
        told = max(told, *(int(line) for line in seen.split(b"\n")[:-1] if line))
        kept = {one.number for one in Decisions(str(path)).all}
        assert kept >= set(range(1, told + 1))


def test_half_a_line_spoils_nothing(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    first = Decisions(str(path))
    first.add(text="one", label="a")
    first.close()
    with path.open("ab") as file:
        file.write(b'{"number": 2, "text": "tw')
    again = Decisions(str(path))
    assert [one.text for one in again.all] == ["one"]
    again.add(text="three", label="b")
    again.close()
    assert [one.text for one in Decisions(str(path)).all] == ["one", "three"]


def test_other_files_are_not_added_to(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    for content in (b"owl\tIt hooted.\n", b"[1]\n", b'{"number": "x"}\n'):
        path.write_bytes(content)
        with pytest.raises(DataError, match="no file of decisions"):
            Decisions(str(path))


def test_the_file_only_grows(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    decisions, before = Decisions(str(path)), b""
    for step in range(6):
        if step % 3 == 2:
            assert decisions.undo() is not None
        else:
            decisions.add(text=f"text {step}", label="a")
        now = path.read_bytes()
        assert now.startswith(before)
        assert now.endswith(b"\n")
        before = now
    assert [one.text for one in decisions.standing()] == ["text 0", "text 3"]
    assert all(json.loads(line) for line in before.splitlines())


def test_it_survives_a_process_that_is_killed_outright(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    process = Process([sys.executable, "-c", CODE, str(path)], stdout=subprocess.PIPE)
    for _ in range(20):
        told = int(process.stdout.readline())
    process.kill()
    process.communicate()
    assert len(Decisions(str(path)).all) >= told
