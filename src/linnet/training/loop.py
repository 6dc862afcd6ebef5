"""The one loop every learner is driven by: a pass, a look at the dev data, stop or go on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import linnet._core as _core
from linnet.structures import Learnt, Solver
from linnet.training.course import Course
from linnet.training.progress import Progress
from linnet.training.record import Epoch, TrainingRecord
from linnet.training.stages import Stage

# Scores what was learnt on held-out data; higher is better.
DevScore = Callable[[Learnt], float]


@dataclass(frozen=True)
class Stopping:
    """When to stop before the learner says it has converged."""

    max_epochs: int
    dev: DevScore | None = None
    patience: int = 3  # epochs without a better dev score; the best weights are kept
    meant: bool = False  # ending at the limit is no surprise


def run(
    solver: Solver,
    record: TrainingRecord,
    stopping: Stopping,
    progress: Progress,
    stage: Stage | None = None,
) -> tuple[Learnt, str]:
    """Drive ``solver`` to its end; returns what it learnt and why it stopped.

    A solver is told whenever the dev score falls; one that shortens its steps is not stopped for it.
    Under a checkpoint the run is a ``stage`` of it, which is told of every pass, and may have been
    there before: then it goes on where it was.
    """
    course = Course() if stage is None else stage.begin(solver, record, stopping.dev)
    why = course.stopped
    try:
        why = why or _passes(solver, record, stopping, progress, course, stage)
        if stage is not None and why != "interrupted":
            stage.end(solver, record, course, why)
    except KeyboardInterrupt:  # it came while the core was not looking
        why = "interrupted"
    if why == "interrupted" and stage is not None:
        stage.interrupt()
    best = None if why == "interrupted" and not course.certified else course.best
    return solver.learnt() if best is None else best[1], why


def _passes(
    solver: Solver,
    record: TrainingRecord,
    stopping: Stopping,
    progress: Progress,
    course: Course,
    stage: Stage | None,
) -> str:
    """Why it stopped."""
    while course.number < stopping.max_epochs:
        number = course.number + 1
        stats = _whole_pass(solver, record, course, stage)
        row = to_row(number, stats, course.seconds, solver.counts_mistakes)
        course.seconds = 0.0
        record.epochs.append(row)
        record.mistakes += stats.mistakes
        if stopping.dev is not None:
            learnt = solver.learnt()
            learnt = replace(learnt, weights=learnt.weights.copy())
            row.dev_score = stopping.dev(learnt)
            if row.dev_score < course.previous:
                solver.reduce_step()
            if course.scored(row.dev_score, learnt) and stage is not None and not stats.interrupted:
                stage.improved(solver)
        progress.update(row)
        if stats.interrupted:
            return "interrupted"
        course.number = number
        if stats.converged:
            return "converged"
        if course.best is not None and not solver.reduces_steps and course.waited >= stopping.patience:
            return "dev score"
        if stage is not None and number < stopping.max_epochs:  # else it is at its end
            stage.passed(solver, record, course)
    final = solver.certify()
    course.certified = final is not None
    if final is not None and final.interrupted:
        return "interrupted"
    if final is not None:
        last = record.epochs[-1]
        last.objective, last.dual, last.gap = final.objective, final.dual, final.gap
        if final.converged:
            return "converged"
    return "limit"


def _whole_pass(
    solver: Solver, record: TrainingRecord, course: Course, stage: Stage | None
) -> _core.EpochStats:
    """A pass, or what is left of it; paused whenever a checkpoint is due."""
    while True:
        if stage is not None:
            stage.watch(solver)
        started = time.perf_counter()
        stats = solver.epoch()
        course.seconds += time.perf_counter() - started
        if not stats.paused:
            return stats
        if stage is not None:
            stage.paused(solver, record, course)


def to_row(number: int, stats: _core.EpochStats, seconds: float, counts_mistakes: bool = True) -> Epoch:
    """The record of one epoch; NaN becomes None."""

    def known(x: float) -> float | None:
        return None if math.isnan(x) else x

    return Epoch(
        epoch=number,
        objective=known(stats.objective),
        dual=known(stats.dual),
        gap=known(stats.gap),
        gradient_norm=known(stats.gradient_norm),
        mistakes=stats.mistakes if counts_mistakes else None,
        updates=stats.updates,
        seconds=seconds,
    )
