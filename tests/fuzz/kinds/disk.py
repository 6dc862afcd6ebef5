"""Disks that are full, at once or after some bytes, under every command that writes a file."""

from __future__ import annotations

import os
import resource
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random

from ... import processes
from ..cases import Case, from_json, to_json
from ..commands import WRITING, Running, lay_out, target
from .signals import OLD, check_whole, prepare, undisturbed

PAGE = 4096


__all__ = ["case", "judge", "prepare"]


def case(random: Random) -> Case:
    """A command, and how many bytes there is room for: as a share of what it writes."""
    name = random.choice(sorted(WRITING))
    disk = random.choice(("limit", "limit", "tmpfs", "device"))
    room = random.choice((0.0, round(random.random(), 4), 1.0, 1.5))
    return Case(name, to_json({"disk": disk, "room": room}))


def judge(case: Case, folder: Path) -> None:
    """What was there stays, unless the new file had room; the error names the file."""
    given = from_json(case.data)
    room = int(given["room"] * len(undisturbed(case.name, folder)[1]))
    lay_out(folder)
    if given["disk"] == "device" and Path("/dev/full").exists():
        _judge_device(case.name, folder)
    elif given["disk"] == "tmpfs" and _may_mount():
        with _mounted(folder / "small", room) as place:
            (folder / target(WRITING[case.name])).symlink_to(place / "file")
            _judge_written(case.name, folder)
            assert os.listdir(place) == ["file"], "left on the full disk"
    else:
        _judge_written(case.name, folder, lambda: _limit(room))


def _judge_device(name: str, folder: Path) -> None:
    """A device that is always full; models are refused there, since they are files."""
    command = ["/dev/full" if word.startswith("new") else word for word in WRITING[name]]
    ended = Running(command, folder).wait()
    assert ended.code in (1, 2), f"exit code {ended.code}: {ended.said}"
    assert "/dev/full" in ended.said, ended.said


def _judge_written(name: str, folder: Path, prepare: Callable[[], None] | None = None) -> None:
    path = folder / target(WRITING[name])
    path.write_bytes(OLD)
    before = {*os.listdir(folder)}
    ended = Running(WRITING[name], folder, prepare).wait()
    assert {*os.listdir(folder)} == before, f"left: {ended.said}"
    if ended.code == 0:
        check_whole(path, name, undisturbed(name, folder)[1])
        return
    assert ended.code == 1, f"exit code {ended.code}: {ended.said}"
    assert target(WRITING[name]) in ended.said, f"the file is not named: {ended.said}"
    assert path.read_bytes() == OLD


def _limit(size: int) -> None:
    """No file of this process may grow larger; the two streams of errors are files as well."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max(size, PAGE), max(size, PAGE)))


@contextmanager
def _mounted(place: Path, room: int) -> Iterator[Path]:
    """A file system with a page for the old file, and that much room for the new one."""
    place.mkdir()
    size = PAGE * (room // PAGE + 2)
    processes.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], check=True)
    try:
        yield place
    finally:
        processes.run(["umount", "-l", place], check=True)


@cache
def _may_mount() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        command = ["mount", "-t", "tmpfs", "-o", "size=4096", "tmpfs", folder]
        try:
            if processes.run(command, capture_output=True, check=False).returncode:
                return False
        except OSError:
            return False
        processes.run(["umount", "-l", folder], check=True)
        return True
