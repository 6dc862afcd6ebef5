"""Ctrl-C: training stops, the weights so far are kept, and a warning says so."""

import sys

import pytest

from .. import processes

# In a process of its own: a signal that comes too late must not end the other tests.
SCRIPT = """
import os, signal, sys, threading, warnings
import numpy as np
import linnet

learner, rows = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(0)
X, y = rng.normal(size=(rows, 20)), rng.integers(0, 3, rows)
model = linnet.LinearClassifier("hinge", learner, tol=1e-15, max_iter=1, diagnostics=False)
warnings.simplefilter("ignore")
model.fit(X, y)  # everything is imported now
model.set_params(max_iter=10_000_000)
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model.fit(X, y)
assert any("interrupted after" in str(w.message) for w in caught), caught
assert model.record_.stopped == "interrupted"
assert np.isfinite(model.coef_).all() and np.abs(model.coef_).max() > 0
"""


@pytest.mark.parametrize(
    ("learner", "rows"), [("sgd", 30), ("sgd", 100_000), ("dual", 20_000)], ids=str
)
def test_interrupted_training_keeps_its_weights(learner: str, rows: int) -> None:
    run = processes.run(
        [sys.executable, "-c", SCRIPT, learner, str(rows)],
        capture_output=True,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stderr
