"""Progress on a terminal, silence everywhere else."""

import os
import subprocess
import sys

import pytest

from linnet.training.progress import describe
from linnet.training.record import Epoch

from .. import processes

SCRIPT = """
import numpy as np
import linnet

rng = np.random.default_rng(0)
X, y = rng.normal(size=(6000, 60)), rng.integers(2, size=6000)
linnet.LinearClassifier("perceptron", "perceptron", "none", max_iter=1200, verbose=VERBOSE).fit(X, y)
"""


def test_silent_when_nobody_watches() -> None:
    done = processes.run(
        [sys.executable, "-c", SCRIPT.replace("VERBOSE", "None").replace("1200", "300")],
        capture_output=True,
        check=True,
    )
    assert done.stdout == b""
    assert done.stderr == b""


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("verbose", ["None", "False"])
def test_a_line_on_a_terminal(verbose: str) -> None:
    import pty

    ours, theirs = pty.openpty()
    with processes.Process(
        [sys.executable, "-c", SCRIPT.replace("VERBOSE", verbose)],
        stderr=theirs,
        stdout=subprocess.PIPE,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "120"},
    ) as child:
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece
        os.close(ours)
        assert child.wait(timeout=30) == 0
    if verbose == "False":
        assert shown == b""
    else:
        assert b"training perceptron" in shown
        assert b"epoch" in shown
        assert b"mistakes" in shown


def test_what_the_line_says() -> None:
    row = Epoch(3, objective=12.5, gap=0.01, mistakes=7, dev_score=0.91)
    assert describe(row) == "epoch 3  objective 12.5  gap 0.01  dev 0.91  mistakes 7"
    assert describe(Epoch(1)) == "epoch 1"
