"""A training on Ray whose process is killed goes on, on a Ray of its own, to the same bytes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .. import processes
from ..training.test_checkpoint import inputs, undisturbed

pytest.importorskip("ray")

COMMAND = (
    *("train", "texts.tsv", "--learner", "lbfgs", "--loss", "logistic", "--shards", "3"),
    *("--max-iter", "12", "-q", "-o", "new", "--engine", "ray"),
    *("--checkpoint", "state", "--every", "0s", "--resume"),
)


def begun(folder: Path) -> processes.Process:
    return processes.Process(
        [sys.executable, "-m", "linnet", *COMMAND],
        cwd=folder,
        env=os.environ | {"RAY_ADDRESS": "local"},  # and no cluster that some other test has
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def test_killed_on_ray_it_goes_on_with_the_same_bits(tmp_path: Path) -> None:
    for name, data in inputs().items():
        (tmp_path / name).write_text(data, encoding="utf-8")
    first = begun(tmp_path)
    while first.poll() is None and not (tmp_path / "state").exists():
        time.sleep(0.005)
    first.kill()
    assert first.wait() == -signal.SIGKILL
    assert (tmp_path / "state").exists()
    assert not (tmp_path / "new").exists()
    assert begun(tmp_path).wait() == 0
    assert (tmp_path / "new").read_bytes() == undisturbed("summed")  # in this process
    assert {*os.listdir(tmp_path)} == {*inputs(), "new"}
