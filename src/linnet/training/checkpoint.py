"""Checkpoints: the state of a training on the disk, to go on from after a crash, with the same bits.

A checkpoint is a journal of stages. The k-th run of the loop within it is stage k: labels one against
the rest, taggers of folds, a smaller model for calibration, the model itself. A stage that has ended
keeps its last state, one that has not the state after its last pass, or in the midst of one. What comes
before a stage (features, vocabularies, predictions of stages before it) follows from the data and is
made anew.
"""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Mapping
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import number
from linnet._writing import check_writable
from linnet.errors import CheckpointError, setting, warn_of_training
from linnet.learners.base import Learner
from linnet.persistence import ModelFileError, pack, read, write
from linnet.structures import Problem
from linnet.training.about import described, difference
from linnet.training.stages import Stage

KIND = "checkpoint"
EVERY = 30.0  # seconds

_CURRENT: ContextVar[Checkpoint | None] = ContextVar("checkpoint", default=None)


class Checkpoint:
    """All trainings within it are saved to a file now and then, and after a crash go on from there.

    ``every`` is how many seconds may be lost. Passes that go instance by instance are paused for it; an
    iteration of other learners (L-BFGS, say) is never cut, so that it may be one iteration more. With
    ``resume`` the file is read if it is there: what is trained must be the same, in the same order,
    with the same data and settings, and ends with the same bits as without the crash. When the block
    has ended well the file is removed; after Ctrl-C, or an error, it stays. ``settings`` are further
    values that must be the same.

    >>> import linnet, tempfile
    >>> from linnet.data import samples
    >>> path = os.path.join(tempfile.mkdtemp(), "birds.checkpoint")
    >>> with Checkpoint(path, every=60):
    ...     model = linnet.TextClassifier().fit(*samples.load("birds-train"))
    >>> os.path.exists(path)
    False
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        every: float = EVERY,
        resume: bool = False,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        if not number(every) >= 0:
            raise ValueError(f"every must be a number of seconds, 0 or more, not {every!r}")
        self.path = os.fspath(path)
        self.every = float(every)
        self.resume = resume
        self.settings = {} if settings is None else {name: _told(v) for name, v in settings.items()}
        self.resumed = False  # was there something to go on from?
        self.closed = False  # a training was interrupted: nothing after it is written, the file stays
        self._found: list[dict[str, Any]] = []  # stages of the file
        self._stages: list[Stage] = []

    def __enter__(self) -> Self:
        """From here on trainings are saved."""
        if _CURRENT.get() is not None:
            raise ValueError("one checkpoint at a time: a training is saved to one file")
        check_writable(self.path)
        if os.path.exists(self.path):
            if not self.resume:
                raise CheckpointError(
                    f"{self.path} is there already, of a training that has not ended; go on with it "
                    f"({setting('resume', True)}), or remove it"
                )
            self._found = self._read()
            self.resumed = True
        self._stages, self.closed = [], False
        self._owner, self._written, self._warned = os.getpid(), time.monotonic(), False
        self._took = 0.0  # to write the last one
        self.news = False  # has a stage more to keep than is written?
        self._token: Token[Checkpoint | None] = _CURRENT.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the file if all went well; else write what is not written yet."""
        _CURRENT.reset(self._token)
        if os.getpid() != self._owner:
            return
        if self.closed or isinstance(error, CheckpointError):
            return
        if error is not None:
            self.close()
        elif os.path.exists(self.path):
            os.remove(self.path)

    def stage(self, about: dict[str, Any]) -> Stage:
        """The next one; what the file has of it is of the same training, or it is an error."""
        at = len(self._stages)
        kept = None
        if at < len(self._found):
            kept = dict(self._found[at])
            changed = difference(kept.pop("about"), about)
            if changed is not None:
                raise self.of_another(changed)
        stage = Stage(self, about, kept)
        self._stages.append(stage)
        return stage

    def due(self) -> bool:
        """Is it time to write?"""
        return time.monotonic() - self._written >= self.every

    def left(self) -> float:
        """Seconds until a pass is to be paused: writing takes no more time than learning."""
        return max(self.every, self._took) - (time.monotonic() - self._written)

    def close(self) -> None:
        """Write what is known and not written yet, and nothing after it."""
        if not self.closed:
            self.closed = True
            if self.news:
                self.write()

    def write(self) -> None:
        """Put the file in place of the one before; if that cannot be done, say so and go on."""
        stages = [{"about": s.about} | s.kept for s in self._stages if s.kept is not None]
        stages += self._found[len(self._stages) :]
        if not stages or os.getpid() != self._owner:
            return
        began = time.monotonic()
        tensors: dict[str, NDArray[Any]] = {}
        spec = {"settings": self.settings, "stages": pack(stages, "stages", tensors)}
        try:
            write(self.path, spec | {"kind": KIND, "sum": _sum(spec, tensors)}, tensors)
        except OSError as error:
            if not self._warned:
                goes_on = "" if self.closed else "training goes on, and "
                warn_of_training(
                    f"{self.path}: no checkpoint could be written ({error.strerror}); {goes_on}the "
                    f"last one that could stays"
                )
            self._warned = True
        else:
            self.news = False
        self._written = time.monotonic()
        self._took = self._written - began

    def of_another(self, what: str) -> CheckpointError:
        """To raise where it is of another training."""
        return CheckpointError(
            f"{self.path} is the checkpoint of another training: {what}; go on with what it was begun "
            f"with, or remove it to begin anew"
        )

    def unusable(self, why: str) -> CheckpointError:
        """To raise where it is damaged."""
        return CheckpointError(f"{self.path} cannot be gone on from: {why}; remove it to begin anew")

    def _read(self) -> list[dict[str, Any]]:
        from linnet import __version__

        try:
            file = read(self.path)
            if file.kind != KIND:
                raise self.unusable(f"it is no checkpoint, but a model ({file.kind})")
            if file.library != __version__:
                raise self.of_another(f"Linnet was {file.library}, is {__version__}")
            spec = {name: file.spec.get(name) for name in ("settings", "stages")}
            if file.spec.get("sum") != _sum(spec, file.tensors):
                raise self.unusable("it is damaged: its checksum is another")
            found: list[dict[str, Any]] = file.unpack(spec["stages"])
            if not isinstance(found, list) or not all(_is_stage(one) for one in found):
                raise self.unusable("it has no stages")
            changed = difference(spec["settings"], self.settings)
        except ModelFileError as error:
            raise self.unusable(str(error)) from None
        if changed is not None:
            raise self.of_another(changed)
        return found


def next_stage(learner: Learner, problem: Problem, stopping: Any) -> Stage | None:
    """A stage of the checkpoint that a training is under, if it is under one."""
    checkpoint = _CURRENT.get()
    if checkpoint is None or checkpoint.closed or os.getpid() != checkpoint._owner:
        return None
    return checkpoint.stage(described(learner, problem, stopping))


def _is_stage(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("about"), dict)


def _told(value: Any) -> Any:
    """As a checkpoint keeps a setting: plain values as they are, others as they are shown."""
    return value if value is None or type(value) in (bool, int, float, str) else repr(value)


def _sum(spec: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> int:
    """A checksum, so that damage is told from a state."""
    found = zlib.crc32(json.dumps(spec, sort_keys=True).encode())
    for name, values in sorted(tensors.items()):
        found = zlib.crc32(np.ascontiguousarray(values).reshape(-1).view(np.uint8).data, found)
        found = zlib.crc32(name.encode(), found)
    return found
