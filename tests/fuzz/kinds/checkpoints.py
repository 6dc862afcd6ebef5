"""Checkpoints that are damaged, or written by someone who means harm."""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import linnet
from linnet.data import samples
from linnet.errors import CheckpointError
from linnet.persistence import read, write
from linnet.training import Checkpoint, checkpoint

from ..cases import Case
from ..mutations import mutate

SETTINGS: dict[str, dict[str, Any]] = {
    "hinge": {},
    "rest": {"multiclass": "rest"},
    "lbfgs": {"learner": "lbfgs", "loss": "logistic", "max_iter": 6},
    "sgd": {"learner": "sgd", "average": True},
    "arow": {"learner": "arow", "loss": "hinge", "penalty": "none"},
    "voted": {"learner": "voted", "loss": "perceptron", "penalty": "none"},
    "tagger": {"learner": "perceptron"},
    "chain": {"learner": "dual", "loss": "logistic"},
}


LIMIT = {"max_iter": 12}  # of states that never settle


def fit(name: str) -> Any:
    """A small training."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in ("tagger", "chain"):
            words, tags = (part[:20] for part in samples.load_tagged("sightings-train"))
            return linnet.Tagger(**LIMIT | SETTINGS[name]).fit([[w for w, _ in s] for s in words], tags)
        texts, labels = (part[:60] for part in samples.load("birds-train"))
        return linnet.TextClassifier(linnet.TextFeatures(), **LIMIT | SETTINGS[name]).fit(texts, labels)


class _CrashError(Exception):
    pass


class _Crashing(Checkpoint):
    def write(self) -> None:
        super().write()
        if len(self._stages) > 1 or (self._stages[0].kept or {}).get("number", 0) >= 3:
            self.closed = True
            raise _CrashError


@cache
def prepare() -> dict[str, bytes]:
    """Checkpoints of all kinds."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="linnet-fuzz-") as folder:
        for name in SETTINGS:
            path = Path(folder, name)
            with contextlib.suppress(_CrashError), _Crashing(path, every=0):
                fit(name)
            found[name] = path.read_bytes()
    return found


def case(random: Random) -> Case:
    """A checkpoint with bytes changed, or one that was made so."""
    name = random.choice(sorted(prepare()))
    raw = prepare()[name]
    return Case(name, random.choice((mutate, _made, _made, _made))(raw, random))


def _made(raw: bytes, random: Random) -> bytes:
    """Its checksum is right, and one of its arrays is not."""
    with tempfile.TemporaryDirectory(prefix="linnet-fuzz-") as folder:
        path = Path(folder, "state")
        path.write_bytes(raw)
        file = read(path)
        tensors = {name: np.array(values) for name, values in file.tensors.items()}
        bad = tensors[random.choice(sorted(tensors))].reshape(-1).view(np.uint8)
        for _ in range(random.choice((1, 3, 20))):
            bad[random.randrange(len(bad))] = random.choice((0, 1, 127, 128, 255))
        spec = {name: file.spec[name] for name in ("settings", "stages")}
        write(path, spec | {"kind": "checkpoint", "sum": checkpoint._sum(spec, tensors)}, tensors)
        return path.read_bytes()


def judge(case: Case, folder: Path) -> None:
    """It is refused by its name, or gone on from without harm."""
    path = folder / "state"
    path.write_bytes(case.data)
    try:
        with Checkpoint(path, every=3600, resume=True):
            fit(case.name)
    except CheckpointError as error:
        assert str(path) in str(error), f"the file is not named: {error}"  # noqa: PT017
        assert path.read_bytes() == case.data
    except ValueError as error:  # weights that are no numbers, say
        assert "Traceback" not in str(error)  # noqa: PT017
