"""What was told to be saved is there, whenever the process is killed."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import urllib.request
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path

import pytest

from linnet.errors import DataError
from linnet.serving.look.decisions import Decisions

from ..processes import Process

KILLS, PAGE_KILLS = 100, 3
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


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are killed")
def test_the_page_loses_nothing_by_kills(birds: Path, tmp_path: Path) -> None:
    """Of texts taught over HTTP, each that was answered is there when the next page is opened."""
    pytest.importorskip("uvicorn")
    path, pool, chance = tmp_path / "decisions.jsonl", tmp_path / "pool.txt", random.Random(0)
    pool.write_text("".join(f"a bird of kind {k} on the gorse\n" for k in range(20_000)))
    command = [sys.executable, "-m", "linnet", "look", str(birds), "--pool", str(pool)]
    command += ["--decisions", str(path), "--no-browser"]
    told: list[str] = []
    for _ in range(PAGE_KILLS):
        with Process(command, stdout=subprocess.PIPE, text=True) as process:
            address = process.stdout.readline().split()[-1]
            killer = threading.Timer(chance.uniform(0.2, 1.0), process.kill)
            with suppress(OSError, HTTPException):  # it is killed while it is asked
                text = first_of(address, {})
                killer.start()
                while True:
                    after = first_of(address, {"place": int(text.split()[4]), "label": "owl"})
                    told.append(text)
                    text = after
            process.wait()
        kept = {one.text for one in Decisions(str(path)).standing("teach")}
        assert kept >= set(told)
    assert len(told) >= PAGE_KILLS


def first_of(address: str, asked: dict[str, object]) -> str:
    """The text that comes next."""
    body = json.dumps(asked).encode()
    with urllib.request.urlopen(f"{address}api/teach", body, timeout=60) as answer:
        return str(json.load(answer)["texts"][0]["text"])


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
