"""Ctrl-C while a parser trains: what is learnt so far is kept, and nothing else is begun at length."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import linnet
from linnet import DependencyParser, Tagger
from linnet.errors import TrainingWarning
from linnet.estimators.parsing import names as _parser_names
from linnet.training import parser

from ..interrupts import interrupted
from ..parsers import TEST, TRAIN

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")

HEADS = """
import json, sys, time, warnings
import numpy as np
import linnet
from linnet.data import samples
from linnet.data.trees import Trees
from linnet.training import parser as room

train, test = samples.load_trees("rambles-train"), samples.load_trees("rambles-test")
heads = train.heads.copy()
for b, e in zip(train.offsets[:20], train.offsets[1:]):
    heads[b:e] = np.arange(e - b)  # what cannot be learnt: training does not end by itself
train = Trees(train.sequences, heads, train.relations)
linnet.DependencyParser(max_iter=1).fit(train)  # imports what is imported at first use
stages, learn = [], room.train
def told(learner, problem, stopping, *rest):
    trained = learn(learner, problem, stopping, *rest)
    stages.append((rest[-1], stopping.max_epochs, trained.record.stopped))
    return trained
room.train = told
model = linnet.DependencyParser(**json.loads(sys.argv[1]), tol=0, max_iter=10**7)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print("ready", flush=True)
    model.fit(train)
assert stages[0][0] == "training of heads" and stages[0][2] == "interrupted", stages
assert stages[1:] == [("training of relations", 1, "limit")], stages
assert model.record_.stopped == "interrupted"
said = [str(w.message) for w in caught if issubclass(w.category, linnet.errors.TrainingWarning)]
assert said[0].startswith("training of heads was interrupted after"), said
assert said[1].startswith("relations are learnt in one pass"), said
assert len(said) == 2, said
assert np.abs(model.model_.weights).sum() > 0
assert model.score(test, metric="uas") > 0.8
assert model.score(test) > 0.7
model.save(sys.argv[2])
loaded = linnet.load(sys.argv[2])
assert loaded.predict(test) == model.predict(test)
assert loaded.record_.stopped == "interrupted"
assert str(loaded.inspect(3)) == str(model.inspect(3))
print("kept", flush=True)
"""


@pytest.mark.parametrize(
    "settings",
    [
        "{}",  # arcs with relations
        '{"joint": null}',
        '{"projective": false, "learner": "perceptron"}',
        '{"loss": "logistic", "order": 1}',  # whole rows, by the learners of all structures
        '{"loss": "logistic", "learner": "lbfgs", "order": 1}',
    ],
)
def test_heads_are_kept_and_relations_are_learnt_in_one_pass(settings: str, tmp_path: Path) -> None:
    assert interrupted(HEADS, settings, tmp_path / "m.linnet", after=1.0).startswith("kept")


@pytest.mark.parametrize("settings", [{"max_iter": 1}, {"loss": "joint_likelihood"}])
def test_relations_are_kept_as_they_are(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    learn = parser.train

    def signalled(learner: Any, problem: Any, stopping: Any, *rest: Any) -> Any:
        if rest[-1] == "training of heads":
            return learn(learner, problem, stopping, *rest)
        dev = lambda _: signal.raise_signal(signal.SIGINT) or 0.0  # noqa: E731
        return learn(learner, problem, replace(stopping, dev=dev), *rest)

    monkeypatch.setattr(parser, "train", signalled)
    with pytest.warns(TrainingWarning, match="training of relations was interrupted after 1 epochs"):
        model = DependencyParser(**settings).fit(TRAIN)
    assert model.record_.stopped == "interrupted"
    assert model.score(TEST) > 0.5


def test_names_are_left_out_rather_than_the_parser(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        _parser_names, "find_names", lambda *_, **__: signal.raise_signal(signal.SIGINT)
    )
    with pytest.warns(TrainingWarning, match="inspect"):
        model = DependencyParser(max_iter=1).fit(TRAIN)
    assert model.record_.stopped == "interrupted"
    assert any(line.startswith("candidates") for line in model.why_)
    assert model.inspect().arcs == {"top": [], "bottom": []}
    model.save(tmp_path / "m.linnet")
    assert linnet.load(tmp_path / "m.linnet").predict(TEST) == model.predict(TEST)


TAGGERS = """
import sys, warnings
from linnet import DependencyParser, Tagger
from linnet.data import samples

begun, fit = [], Tagger._fit
def counted(self, *data, **how):
    begun.append(self)
    if len(begun) == int(sys.argv[1]):
        print("ready", flush=True)
        self.max_iter = 10**7
    return fit(self, *data, **how)
Tagger._fit = counted
tagger = Tagger("pos", learner="sgd", penalty="l2", tol=0, max_iter=2)
warnings.simplefilter("error")  # nothing is kept, and nothing says so
try:
    DependencyParser(tagger=tagger, jackknife=3).fit(samples.load_trees("rambles-train"))
except KeyboardInterrupt:
    print("ended after", len(begun), flush=True)
"""


@pytest.mark.parametrize("which", [1, 2, 3])  # the tagger of all, and those of folds
def test_taggers_end_the_training(which: int) -> None:
    assert interrupted(TAGGERS, which, after=0.5) == f"ended after {which}\n"


def test_a_note_of_a_tagger_that_was_not_interrupted_is_told() -> None:
    tagger = Tagger("pos", learner="lbfgs", max_iter=2)
    with pytest.warns(TrainingWarning, match="has not converged"):
        DependencyParser(tagger=tagger, jackknife=2, max_iter=1).fit(TRAIN.take(range(20)))
