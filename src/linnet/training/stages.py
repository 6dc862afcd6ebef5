"""One run of the loop, as a checkpoint keeps it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from linnet.errors import CheckpointError
from linnet.structures import Learnt, Solver, State
from linnet.training.course import Course
from linnet.training.record import Epoch, TrainingRecord

if TYPE_CHECKING:
    from linnet.training.checkpoint import Checkpoint

SELDOM = 20  # times as long as it takes, between two looks at a state that is not written


class Stage:
    """A run: its last state that was kept, how far the loop was, and whether that was the end.

    ``about`` are the settings and a fingerprint of the data; ``kept`` is what is known of the run, in
    plain values and arrays, as it was read or is to be written.
    """

    def __init__(
        self, checkpoint: Checkpoint, about: dict[str, Any], kept: dict[str, Any] | None
    ) -> None:
        self.checkpoint = checkpoint
        self.about = about
        self.kept = kept
        self._best: State | None = None
        self._looked, self._took = time.monotonic(), 0.0

    def begin(
        self, solver: Solver, record: TrainingRecord, dev: Callable[[Learnt], float] | None
    ) -> Course:
        """How far it was; the solver and the record are brought there."""
        if self.kept is None:
            return Course()
        try:
            return self._restored(self.kept, solver, record, dev)
        except CheckpointError:
            raise
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
            raise self.checkpoint.unusable(f"it holds another state ({error})") from None

    def _restored(
        self,
        kept: dict[str, Any],
        solver: Solver,
        record: TrainingRecord,
        dev: Callable[[Learnt], float] | None,
    ) -> Course:
        course = Course(int(kept["number"]), float(kept["previous"]), int(kept["waited"]))
        course.stopped, course.seconds = str(kept["stopped"]), float(kept["seconds"])
        if kept["best"] is not None:
            self._best = kept["best"]
            solver.restore(kept["best"])
            learnt = solver.learnt()
            learnt = replace(learnt, weights=learnt.weights.copy())
            if dev is None or dev(learnt) != kept["score"]:
                raise self.checkpoint.of_another("the held-out data were others")
            course.best = (kept["score"], learnt)
        solver.restore(kept["state"])
        columns = kept["epochs"]
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        record.epochs[:] = [Epoch(**row) for row in rows]
        record.mistakes = int(kept["mistakes"])
        return course

    def improved(self, solver: Solver) -> None:
        """The pass just made has the best dev score so far."""
        if not self.checkpoint.closed:
            self._best = solver.state()

    def watch(self, solver: Solver) -> None:
        """A pass begins, or goes on: it is to pause when the next checkpoint is due."""
        if not self.checkpoint.closed:
            solver.pause_after(self.checkpoint.left())

    def paused(self, solver: Solver, record: TrainingRecord, course: Course) -> None:
        """In the midst of a pass: it is time to write."""
        if not self.checkpoint.closed:
            self._keep(solver, record, course, "")
            self.checkpoint.write()

    def passed(self, solver: Solver, record: TrainingRecord, course: Course) -> None:
        """A pass was made: keep it if it is time to write, or if that takes little time."""
        if self.checkpoint.closed:
            return
        due = self.checkpoint.due()
        if due or time.monotonic() - self._looked >= SELDOM * self._took:
            self._keep(solver, record, course, "")
        if due:
            self.checkpoint.write()

    def end(self, solver: Solver, record: TrainingRecord, course: Course, why: str) -> None:
        """It has come to its end."""
        if self.checkpoint.closed or course.stopped:
            return
        self._keep(solver, record, course, why)
        if self.checkpoint.due():
            self.checkpoint.write()

    def interrupt(self) -> None:
        """What has been kept is written; whatever is learnt from here on is learnt in a hurry."""
        self.checkpoint.close()

    def _keep(self, solver: Solver, record: TrainingRecord, course: Course, why: str) -> None:
        began = time.monotonic()
        rows = [asdict(epoch) for epoch in record.epochs]
        self.kept = {
            "number": course.number,
            "seconds": course.seconds,
            "previous": course.previous,
            "waited": course.waited,
            "stopped": why,
            "score": None if course.best is None else course.best[0],
            "best": self._best,
            "state": solver.state(),
            "epochs": {name: [row[name] for row in rows] for name in asdict(Epoch(0))},
            "mistakes": record.mistakes,
        }
        self.checkpoint.news = True
        self._looked = time.monotonic()
        self._took = self._looked - began
