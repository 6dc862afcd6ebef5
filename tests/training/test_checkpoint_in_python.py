"""``with Checkpoint(path):`` — what is trained within goes on after an error, with the same bits."""

import contextlib
import json
import math
import os
import threading
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linnet
import linnet.training.checkpoint as checkpoints
from linnet.data import samples
from linnet.errors import CheckpointError, TrainingWarning
from linnet.training import Checkpoint

X = np.random.default_rng(0).normal(size=(60, 5))
Y = np.random.default_rng(1).integers(0, 3, 60)


class CrashError(Exception):
    """Something goes wrong."""


class Crashing(Checkpoint):
    """An error after so many checkpoints, and nothing after it, as if the process had been killed."""

    def __init__(self, *given: Any, after: int, **named: Any) -> None:
        super().__init__(*given, **named)
        self.writes = after

    def left(self) -> float:
        """No pass is paused: how many are written is counted here."""
        return math.inf

    def write(self) -> None:
        super().write()
        self.writes -= 1
        if self.writes == 0:
            self.closed = True
            raise CrashError


def sgd(**settings: Any) -> linnet.LinearClassifier:
    return linnet.LinearClassifier("logistic", "sgd", "l2", max_iter=6, diagnostics=False, **settings)


def crashed(path: Path, train: Callable[[], Any], after: int = 3) -> None:
    with pytest.raises(CrashError), Crashing(path, every=0, after=after):
        train()
    assert path.exists()


def stages_of(path: Path) -> list[dict[str, Any]]:
    """What a file has to say of its stages."""
    data = path.read_bytes()
    start = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    found: list[dict[str, Any]] = json.loads(start["__metadata__"]["linnet"])["spec"]["stages"]
    return found


def passes_of(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many passes are made from here on."""
    counted = [0]
    really = linnet.learners.online.OnlineSolver.epoch

    def epoch(self: Any) -> Any:
        counted[0] += 1
        return really(self)

    monkeypatch.setattr(linnet.learners.online.OnlineSolver, "epoch", epoch)
    return counted


def test_it_goes_on_with_the_passes_that_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, expected = tmp_path / "state", sgd().fit(X, Y)
    crashed(path, lambda: sgd().fit(X, Y), after=4)
    counted = passes_of(monkeypatch)
    with Checkpoint(path, resume=True) as checkpoint:
        model = sgd().fit(X, Y)
    assert checkpoint.resumed
    assert counted == [2]
    assert model.coef_.tobytes() == expected.coef_.tobytes()
    assert model.record_ == expected.record_
    assert not path.exists()


def rows_of(model: Any) -> list[dict[str, Any]]:
    """The record, but for the time that it took."""
    return [asdict(replace(epoch, seconds=0.0)) for epoch in model.record_.epochs]


def test_checkpoints_are_made_in_the_midst_of_a_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pass of 300 instances, of which 64 are visited between two looks at the clock."""
    features, labels = np.tile(X, (5, 1)), np.tile(Y, 5)
    path, expected = tmp_path / "state", sgd().fit(features, labels)
    monkeypatch.setattr(Crashing, "left", lambda _: 0.0)  # it is always time
    for after in (1, 3, 7):
        with pytest.raises(CrashError), Crashing(path, every=0, after=after, resume=True):
            sgd().fit(features, labels)
    assert stages_of(path)[0]["number"] == 2  # passes, of five pieces each; 11 were kept
    with Checkpoint(path, resume=True):
        model = sgd().fit(features, labels)
    assert model.coef_.tobytes() == expected.coef_.tobytes()
    assert rows_of(model) == rows_of(expected)
    assert all(epoch.seconds > 0 for epoch in model.record_.epochs)


def test_when_a_pass_is_paused(tmp_path: Path) -> None:
    with Checkpoint(tmp_path / "state", every=5) as checkpoint:
        assert 4 < checkpoint.left() <= 5
        checkpoint._took = 7.0  # as long as to write one is learnt, however long that is
        assert 6 < checkpoint.left() <= 7


def test_what_makes_no_checkpoint_is_not_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = passes_of(monkeypatch)
    sgd().fit(np.tile(X, (5, 1)), np.tile(Y, 5))
    assert counted == [6]


def test_trainings_one_after_the_other_are_stages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def both() -> list[Any]:
        return [sgd(C=C).fit(X, Y).coef_.tobytes() for C in (1.0, 10.0)]

    path, expected = tmp_path / "state", both()
    crashed(path, both, after=9)  # six passes of the first, three of the second
    counted = passes_of(monkeypatch)
    with Checkpoint(path, resume=True):
        assert both() == expected
    assert counted == [3]


def test_streams_go_on_from_a_model_that_was_resumed(tmp_path: Path) -> None:
    """All of the state of the solver is there, not the weights alone."""
    path = tmp_path / "state"
    expected = sgd(average=True).fit(X, Y).partial_fit(X, Y)
    crashed(path, lambda: sgd(average=True).fit(X, Y), after=2)
    with Checkpoint(path, resume=True):
        model = sgd(average=True).fit(X, Y)
    assert model.partial_fit(X, Y).coef_.tobytes() == expected.coef_.tobytes()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"C": 2.0}, "C was 1, is 2"),
        ({"tol": 0.5}, "tol was 0.001, is 0.5"),
        ({"random_state": 5}, "seed was 0, is 5"),
        ({"learner": linnet.learners.SGD(eta0=0.1)}, "eta0 of sgd was 0.5, is 0.1"),
        ({"average": True}, "average was False, is True"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_other_settings_are_refused(settings: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "state"
    crashed(path, lambda: sgd(C=1.0, tol=1e-3).fit(X, Y))
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match=said), Checkpoint(path, resume=True):
        sgd(**{"C": 1.0, "tol": 1e-3}).set_params(**settings).fit(X, Y)
    assert path.read_bytes() == before


@pytest.mark.parametrize("which", ["features", "labels", "weights", "order"])
def test_other_data_are_refused(which: str, tmp_path: Path) -> None:
    path = tmp_path / "state"
    crashed(path, lambda: sgd().fit(X, Y))
    features, labels, weights = X.copy(), Y.copy(), None
    if which == "features":
        features[7, 3] += 1e-6
    elif which == "labels":
        labels[0] = (labels[0] + 1) % 3
    elif which == "weights":
        weights = np.full(len(Y), 2.0)
    else:
        features, labels = features[::-1].copy(), labels[::-1].copy()
    with pytest.raises(CheckpointError, match="the data were others"), Checkpoint(path, resume=True):
        sgd().fit(features, labels, sample_weight=weights)


def test_another_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state"
    crashed(path, lambda: sgd().fit(X, Y))
    now = linnet.__version__
    monkeypatch.setattr(linnet, "__version__", "99.0")
    with pytest.raises(CheckpointError, match=f"Linnet was {now}, is 99.0"):
        Checkpoint(path, resume=True).__enter__()


def test_it_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "state"
    path.write_bytes(b"what was there")
    with pytest.raises(CheckpointError, match=r"is there already, .* \(resume=True\), or remove it"):
        Checkpoint(path).__enter__()
    assert path.read_bytes() == b"what was there"


def test_a_checkpoint_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "state"
    crashed(path, lambda: sgd().fit(X, Y))
    with pytest.raises(ValueError, match="checkpoint"):
        linnet.load(path)


def test_an_error_leaves_all_that_was_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "state"

    def train_and_fail() -> None:
        sgd().fit(X, Y)
        raise OSError("no room for the model")

    with pytest.raises(OSError, match="no room"), Checkpoint(path, every=3600):
        train_and_fail()
    counted = passes_of(monkeypatch)
    with Checkpoint(path, resume=True):
        sgd().fit(X, Y)
    assert counted == [0]


def test_a_checkpoint_is_kept_when_a_later_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, tried = tmp_path / "state", [0]
    really = checkpoints.write

    def full_after_two(*given: Any) -> None:
        tried[0] += 1
        if tried[0] > 2:
            raise OSError(28, "No space left on device")
        really(*given)

    monkeypatch.setattr(checkpoints, "write", full_after_two)

    def trained() -> tuple[Any, bytes]:
        with Checkpoint(path, every=0):
            return sgd().fit(X, Y), path.read_bytes()

    with pytest.warns(TrainingWarning, match="no checkpoint could be written") as told:
        model, kept = trained()
    assert len(told) == 1
    assert tried == [6]
    assert model.coef_.tobytes() == sgd().fit(X, Y).coef_.tobytes()
    path.write_bytes(kept)
    assert stages_of(path)[0]["number"] == 2


def test_what_cannot_be_written_at_the_end_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    def train_and_fail() -> None:
        with Checkpoint(tmp_path / "state", every=3600):
            sgd().fit(X, Y)
            raise CrashError

    monkeypatch.setattr(checkpoints, "write", full)
    expected = r"written \(No space left on device\); the last one that could stays"
    with pytest.warns(TrainingWarning, match=expected), pytest.raises(CrashError):
        train_and_fail()


def test_threads_and_processes_beside_it_have_none(tmp_path: Path) -> None:
    path = tmp_path / "state"
    with Checkpoint(path, every=0):
        thread = threading.Thread(target=lambda: sgd().fit(X, Y))
        thread.start()
        thread.join()
        assert not path.exists()
        child = os.fork()
        if child == 0:  # pragma: no cover
            with contextlib.suppress(BaseException):
                sgd().fit(X, Y)
            os._exit(0)
        os.waitpid(child, 0)
        assert not path.exists()
        sgd().fit(X, Y)
        assert path.exists()


def test_one_at_a_time(tmp_path: Path) -> None:
    with Checkpoint(tmp_path / "one"), pytest.raises(ValueError, match="one checkpoint at a time"):
        Checkpoint(tmp_path / "other").__enter__()


@pytest.mark.parametrize("every", [-1, float("nan"), "30s", None])
def test_every_is_a_number(every: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="every must be a number of seconds"):
        Checkpoint(tmp_path / "state", every=every)


def test_what_is_written_does_not_grow_with_time(tmp_path: Path) -> None:
    """Without being due nothing is written at all."""
    path = tmp_path / "state"
    texts, labels = samples.load("birds-train")
    with Checkpoint(path, every=3600):
        linnet.TextClassifier(learner="sgd").fit(texts[:100], labels[:100])
        assert not path.exists()
