"""Ctrl-C while a text classifier trains: fit returns with the weights so far."""

from __future__ import annotations

import os

import pytest

from ..interrupts import interrupted

SCRIPT = """
import sys, warnings
import numpy as np
import linnet
from linnet import TextClassifier
from linnet.data import samples
from linnet.features import TextFeatures

texts, birds = samples.load("birds-train")
TextClassifier().fit(texts[:50], birds[:50])  # imports what is imported at first use
if sys.argv[1] == "several":
    birds = [[bird, "bird"[: len(text) % 3 + 1]] for text, bird in zip(texts, birds)]
learner, penalty = ("sgd", "l2") if sys.argv[1] == "sgd" else ("gradient", "none")
model = TextClassifier(
    TextFeatures(word=(1, 2)), "logistic", learner, penalty,
    C=1 if penalty == "none" else 1e5, tol=0, max_iter=10**7,
)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("ready", flush=True)
    model.fit(texts, birds)
assert model.record_.stopped == "interrupted", model.record_.stopped
told = [str(w.message) for w in caught if issubclass(w.category, linnet.errors.TrainingWarning)]
assert any("interrupted" in text for text in told), caught
assert np.isfinite(model.model_.weights).all()
assert np.abs(model.model_.weights).sum() > 0
assert len(model.predict(texts[:5])) == 5
if sys.argv[1] == "several":
    assert any("have no weights yet" in text for text in told), told
    assert model.record_.structure == "multiclass"
    never = model.predict(["nothing"])[0]
    assert "wren" not in never, never
print("kept", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("kind", ["sgd", "several"])
def test_weights_so_far_are_kept(kind: str) -> None:
    assert interrupted(SCRIPT, kind, after=0.6).startswith("kept")
