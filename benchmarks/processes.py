"""Sides as processes of their own: what each took, in turn, as medians."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import one_thread  # noqa: F401

HERE = Path(__file__).parent


@dataclass
class Run:
    """One process: what it took, and what it printed."""

    cpu: float
    wall: float
    memory: float  # MB at the peak
    said: dict[str, Any] = field(default_factory=dict)
    timed_out: bool = False  # it was stopped: wall is how long it was let to run


@dataclass
class Side:
    """A script, the files it reads and its settings."""

    name: str
    script: str
    train: Path
    test: Path
    model: Path
    options: dict[str, Any]

    def run(self, span: str) -> Run:
        """Start the process and wait for it."""
        files = [str(self.train), str(self.test), str(self.model)]
        return process([str(HERE / "sides" / self.script), span, *files, json.dumps(self.options)])

    def labels(self) -> list[str]:
        """What it predicted on the test file."""
        return Path(f"{self.model}.labels").read_text(encoding="utf-8").splitlines()


LIMIT = 900.0  # seconds that a side may take


def process(arguments: list[str], stdin: bytes = b"", limit: float = LIMIT) -> Run:
    """A Python process, its CPU time and peak memory; one that takes too long is stopped."""
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": python_path()}
    started = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | one,
    )
    stop = threading.Timer(limit, child.kill)
    stop.start()
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(stdin)
    child.stdin.close()
    said = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    stop.cancel()
    if child.returncode == -signal.SIGKILL and wall >= limit:
        return Run(usage.ru_utime + usage.ru_stime, wall, 0.0, timed_out=True)
    if child.returncode:
        sys.exit(f"{' '.join(arguments)} ended with {child.returncode}")
    lines = [line for line in said.decode().splitlines() if line.startswith("{")]
    cpu = usage.ru_utime + usage.ru_stime
    found = json.loads(lines[-1]) if lines else {}
    return Run(cpu, wall, found.pop("memory", 0.0), found)


def python_path() -> str:
    """Where the sides find this folder, and what was there."""
    return os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH", "")]))


def in_turn(sides: list[Side], span: str, repeats: int) -> dict[str, Run]:
    """Medians of interleaved runs."""
    runs: dict[str, list[Run]] = {side.name: [] for side in sides}
    for _ in range(repeats):
        for side in sides:
            if not any(run.timed_out for run in runs[side.name]):  # once is enough
                runs[side.name].append(side.run(span))
    return {name: middle(found) for name, found in runs.items()}


def middle(runs: list[Run]) -> Run:
    """The median of each figure."""
    if runs[-1].timed_out:
        return runs[-1]
    said = {key: median(r.said[key] for r in runs) for key in runs[0].said}
    return Run(
        median(r.cpu for r in runs), median(r.wall for r in runs), max(r.memory for r in runs), said
    )
