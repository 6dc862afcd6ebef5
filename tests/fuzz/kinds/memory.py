"""Commands that get little memory: they do their work or say what is wrong, and lose nothing."""

from __future__ import annotations

import os
import resource
from pathlib import Path
from random import Random

from ..cases import Case, from_json, to_json
from ..commands import WRITING, Running, lay_out, target
from .signals import OLD, check_whole, prepare, undisturbed

MEGABYTE = 1 << 20


def unavailable() -> str | None:
    """The sanitizers reserve more addresses than any limit leaves."""
    return "not under the sanitizers" if "libasan" in os.environ.get("LD_PRELOAD", "") else None


__all__ = ["case", "judge", "prepare", "unavailable"]


def case(random: Random) -> Case:
    """A command, and the megabytes that it may ask for."""
    name = random.choice(sorted(WRITING))
    return Case(name, to_json({"megabytes": round(random.choice((1, 4, 16, 64)) * random.random(), 3)}))


def judge(case: Case, folder: Path) -> None:
    """Done, or out of memory, told as that."""
    whole = undisturbed(case.name, folder)[1]
    lay_out(folder)
    room = int(from_json(case.data)["megabytes"] * MEGABYTE)
    path = folder / target(WRITING[case.name])
    path.write_bytes(OLD)
    before = {*os.listdir(folder)}
    ended = Running(WRITING[case.name], folder, lambda: _limit(room)).wait()
    assert {*os.listdir(folder)} == before, f"left: {ended.said}"
    if ended.code == 0:
        check_whole(path, case.name, whole)
        return
    assert ended.code == 1, f"exit code {ended.code}: {ended.said}"
    assert "memory" in ended.said, f"told as something else: {ended.said}"
    assert path.read_bytes() == OLD


def _limit(room: int) -> None:
    with open("/proc/self/statm", encoding="ascii") as file:
        there = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (there + room, there + room))
