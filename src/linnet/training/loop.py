"""The one loop every learner is driven by: a pass, a look at the dev data, stop or go on."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import linnet._core as _core
from linnet.structures import Learnt, Solver
from linnet.training.progress import Progress
from linnet.training.record import Epoch, TrainingRecord

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
    solver: Solver, record: TrainingRecord, stopping: Stopping, progress: Progress
) -> tuple[Learnt, str]:
    """Drive ``solver`` to its end; returns what it learnt and why it stopped.

    A solver is told whenever the dev score falls; one that shortens its steps is not stopped for it.
    """
    try:
        return _passes(solver, record, stopping, progress)
    except KeyboardInterrupt:  # it came while the core was not looking
        return _best_or(None, solver), "interrupted"


def _passes(
    solver: Solver, record: TrainingRecord, stopping: Stopping, progress: Progress
) -> tuple[Learnt, str]:
    best: tuple[float, Learnt] | None = None
    previous, waited = -math.inf, 0
    for number in range(1, stopping.max_epochs + 1):
        started = time.perf_counter()
        stats = solver.epoch()
        row = to_row(number, stats, time.perf_counter() - started, solver.counts_mistakes)
        record.epochs.append(row)
        record.mistakes += stats.mistakes
        if stopping.dev is not None:
            learnt = solver.learnt()
            learnt = replace(learnt, weights=learnt.weights.copy())
            row.dev_score = stopping.dev(learnt)
            if row.dev_score < previous:
                solver.reduce_step()
            previous = row.dev_score
            if best is None or row.dev_score > best[0]:
                best, waited = (row.dev_score, learnt), 0
            else:
                waited += 1
        progress.update(row)
        if stats.interrupted:
            return _best_or(None, solver), "interrupted"
        if stats.converged:
            return _best_or(best, solver), "converged"
        if best is not None and not solver.reduces_steps and waited >= stopping.patience:
            return best[1], "dev score"
    final = solver.certify()
    if final is not None and final.interrupted:
        return _best_or(best, solver), "interrupted"
    if final is not None:
        last = record.epochs[-1]
        last.objective, last.dual, last.gap = final.objective, final.dual, final.gap
        if final.converged:
            return _best_or(best, solver), "converged"
    return _best_or(best, solver), "limit"


def _best_or(best: tuple[float, Learnt] | None, solver: Solver) -> Learnt:
    return solver.learnt() if best is None else best[1]


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
