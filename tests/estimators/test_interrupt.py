"""Ctrl-C during a long fit: fit returns, with the weights so far and a warning."""

import os
from pathlib import Path

import pytest

from .interrupts import interrupted

SCRIPT = """
import sys, time, warnings
import numpy as np
import scipy.sparse as sp
import linnet

loss, learner, penalty, n = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
rng = np.random.default_rng(0)
X = sp.random(n, 300, density=0.05, random_state=rng, format="csr")
y = rng.integers(int(sys.argv[5]), size=n)
linnet.LogisticRegression().fit(X[:50], y[:50])  # imports what is imported at first use
model = linnet.LinearClassifier(
    loss, learner, penalty, C=1 if penalty == "none" else 1e5, tol=0, max_iter=10**7
)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("ready", flush=True)
    started = time.monotonic()
    model.fit(X, y)
    seconds = time.monotonic() - started
assert model.record_.stopped == "interrupted", model.record_.stopped
told = [w for w in caught if issubclass(w.category, linnet.errors.TrainingWarning)]
assert any("interrupted" in str(w.message) for w in told), caught
assert np.isfinite(model.model_.weights).all()
assert np.abs(model.model_.weights).sum() > 0
assert model.predict(X[:5]).shape == (5,)
print("kept", round(seconds, 2), flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize(
    ("loss", "learner", "penalty", "n", "labels"),
    [
        ("logistic", "sgd", "l2", 20_000, 2),
        ("hinge", "pa", "none", 30, 3),  # passes so short that Python sees the signal first
        ("hinge", "dual", "l2", 20_000, 2),
        ("hinge", "dual", "l2", 5_000, 5),
        ("logistic", "gradient", "none", 20_000, 3),
        ("logistic", "coordinate", "l1", 20_000, 3),
    ],
)
def test_weights_so_far_are_kept(loss: str, learner: str, penalty: str, n: int, labels: int) -> None:
    assert interrupted(SCRIPT, loss, learner, penalty, n, labels, after=0.3).startswith("kept")


CALIBRATED = """
import sys, time, warnings
import numpy as np
import scipy.sparse as sp
import linnet

rng = np.random.default_rng(0)
X = sp.random(5_000, 300, density=0.05, random_state=rng, format="csr")
y = rng.integers(3, size=5_000)
settings = dict(calibration="sigmoid", diagnostics=False)
linnet.LinearSVM(max_iter=1, **settings).fit(X[:50], y[:50])  # imports what is imported at first use
model = linnet.LinearSVM(C=1e5, tol=0, max_iter=10**7, **settings)
print("ready", flush=True)
started = time.monotonic()
model.fit(X, y)
seconds = time.monotonic() - started
assert model.predict(X[:5]).shape == (5,)
try:
    model.predict_proba(X)
except AttributeError as reason:
    print(reason, flush=True)
model.save(sys.argv[1])
assert not hasattr(linnet.load(sys.argv[1]), "predict_proba")
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_who_interrupts_does_not_wait_for_calibration(tmp_path: Path) -> None:
    told = interrupted(CALIBRATED, tmp_path / "half.linnet", after=0.3)
    assert told.startswith("training was interrupted before its probabilities were calibrated")
