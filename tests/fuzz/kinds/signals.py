"""Signals at random moments of every command that writes a file."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from functools import cache
from pathlib import Path
from random import Random

import linnet

from ..cases import Case, from_json, to_json
from ..commands import WRITING, Running, lay_out, target, warm

SIGNALS = ("SIGKILL", "SIGTERM", "SIGINT")
ENDS = {"SIGKILL": (0, -9), "SIGTERM": (0, -15, 143), "SIGINT": (0, 130)}
MODEL = ("train", "tune", "quantize")
OLD = b"what was there before"
_undisturbed: dict[str, tuple[float, bytes]] = {}


@cache
def prepare() -> None:
    """What all cases need is made once."""
    warm()
    with tempfile.TemporaryDirectory(prefix="linnet-fuzz-") as folder:
        for name in WRITING:
            undisturbed(name, Path(folder))


def case(random: Random) -> Case:
    """A command, a signal, and when it comes: as a share of the time that the command takes."""
    name, number = random.choice(sorted(WRITING)), random.choice(SIGNALS)
    return Case(name, to_json({"signal": number, "moment": round(random.uniform(0, 1.1), 4)}))


def label(case: Case) -> str:
    """What is counted."""
    return f"{from_json(case.data)['signal']}, {case.name}"


def judge(case: Case, folder: Path) -> None:
    """The file is whole, the old or the new one; nothing is left, at the latest by the next run."""
    given, command = from_json(case.data), WRITING[case.name]
    seconds, whole = undisturbed(case.name, folder)
    lay_out(folder)
    path = folder / target(command)
    path.write_bytes(OLD)
    before = {*os.listdir(folder)}
    running = Running(command, folder)
    time.sleep(given["moment"] * seconds)
    running.send(getattr(signal, given["signal"]))
    ended = running.wait()
    assert ended.code in ENDS[given["signal"]], f"exit code {ended.code}: {ended.said}"
    assert "Traceback" not in ended.said, ended.said
    check_whole(path, case.name, whole)
    if {*os.listdir(folder)} == before:
        return
    assert given["signal"] == "SIGKILL", f"left: {ended.said}"
    assert Running(command, folder).wait().code == 0
    assert {*os.listdir(folder)} == before, "left after the next run"
    check_whole(path, case.name, whole)


def undisturbed(name: str, folder: Path) -> tuple[float, bytes]:
    """How long a command takes, and what it writes."""
    if name not in _undisturbed:
        lay_out(folder)
        ended = Running(WRITING[name], folder).wait()
        assert ended.code == 0, ended.said
        path = folder / target(WRITING[name])
        _undisturbed[name] = (ended.seconds, path.read_bytes())
        path.unlink()
    return _undisturbed[name]


def check_whole(path: Path, name: str, whole: bytes) -> None:
    """The old file, or the new one."""
    found = path.read_bytes()
    if found in (OLD, whole):
        return
    # A training that was ended early, or that took another time, makes another model.
    assert name.startswith(MODEL), f"{len(found)} bytes are neither the old file nor the new one"
    linnet.load(path)
