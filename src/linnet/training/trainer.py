"""From a problem and a learner to weights and a record."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from linnet import engines
from linnet.errors import DivergedError, NotSeparableError, RefusedError, warn_of_training
from linnet.learners.base import Learner
from linnet.learners.checks import check_data, check_room, check_tied, fewer
from linnet.learners.passing import solver_of
from linnet.structures import Learnt, Problem, Solver, Weights
from linnet.training import grid
from linnet.training.checkpoint import next_stage
from linnet.training.loop import Stopping, run
from linnet.training.progress import Progress
from linnet.training.progressive import Answer, progressive_solver
from linnet.training.record import TrainingRecord

BLOCKS = 8 + 4  # bytes of a weight, in double and then in single precision
LARGEST = float(np.finfo(np.float32).max)


@dataclass
class Trained:
    """What was learnt, its weights in the layout of the problem, and how it came about."""

    learnt: Learnt
    record: TrainingRecord
    solver: Solver | None  # kept by online learners, to go on from; None after one-against-rest


def train(
    learner: Learner,
    problem: Problem,
    stopping: Stopping,
    show_progress: bool | None = None,
    what: str = "training",
    progressive: Answer | None = None,
) -> Trained:
    """Check the cell, then drive the learner; several labels fall back to one against the rest.

    ``what`` is the name that a warning has for it; ``progressive`` answers for single examples, and
    the first pass is written down with its answers.
    """
    check_tied(learner, problem.structure)
    reduction = problem.reduced()
    if reduction is not None:
        if stopping.dev is not None:
            on_dev = stopping.dev
            stopping = replace(stopping, dev=lambda learnt: on_dev(reduction.back(learnt)))
        trained = train(learner, reduction.problem, stopping, show_progress, what)
        return replace(trained, learnt=reduction.back(trained.learnt), solver=None)
    grid.check(learner, problem.cell, problem.split)
    if learner.needs_dev and stopping.dev is None:
        raise RefusedError(
            f"{learner!r} watches the likelihood of held-out data, and there are none here; use "
            f"another step, such as 'power'"
        )
    check_data(learner, problem)
    problem = replace(on_engine(learner, problem), max_iter=stopping.max_epochs)
    record = new_record(learner, problem)
    with Progress(f"training {learner.name}", show_progress) as progress:
        if progressive is not None:
            trained = _progressively(learner, problem, stopping, record, progress, progressive)
        elif grid.splits(learner, problem.cell, problem.split):
            trained = _one_against_rest(learner, problem, stopping, record, progress)
        else:
            stage = next_stage(learner, problem, stopping)
            solver = solver_of(learner, problem)
            learnt, record.stopped = run(solver, record, stopping, progress, stage)
            record.facts = learner.facts(solver.within())
            solver.close()
            trained = Trained(learnt, record, solver)
    check_learnt(learner, trained.learnt)
    exact = learner.family in ("batch", "dual", "coordinate")
    _tell(trained.record, stopping, exact, what)
    return trained


def on_engine(learner: Learner, problem: Problem) -> Problem:
    """The problem on the engine in use, if there is one."""
    engine = engines.in_use()
    if engine is None:
        return problem
    reason = learner.shards_refusal(problem.cell, engine.in_turn)
    if reason is not None:
        raise RefusedError(reason)
    return replace(problem, engine=engine)


def new_record(learner: Learner, problem: Problem) -> TrainingRecord:
    """The record of a training that begins."""
    return TrainingRecord(
        loss=problem.loss,
        learner=learner.name,
        penalty=problem.penalty,
        structure=problem.structure.name,
        C=problem.C,
        alpha=problem.alpha,
    )


def _progressively(
    learner: Learner,
    problem: Problem,
    stopping: Stopping,
    record: TrainingRecord,
    progress: Progress,
    answer: Answer,
) -> Trained:
    """As usual, but for the first pass."""
    if grid.splits(learner, problem.cell, problem.split):
        raise RefusedError(
            f"{learner.name} trains one label against the rest here, and no single pass predicts "
            f"labels; leave out progressive, or use 'perceptron' or 'sgd'"
        )
    stage = next_stage(learner, problem, stopping)
    solver = progressive_solver(learner, problem, answer)
    learnt, record.stopped = run(solver, record, stopping, progress, stage)
    record.facts = learner.facts(solver.inner) | {"progressive": solver.table}
    return Trained(learnt, record, solver.inner)


def _one_against_rest(
    learner: Learner,
    problem: Problem,
    stopping: Stopping,
    record: TrainingRecord,
    progress: Progress,
) -> Trained:
    """K binary problems side by side. Each label's weights depend on nothing but its own problem."""
    structure = problem.structure
    check_room(BLOCKS * structure.n_weights, learner.name, structure.weights_told, fewer())
    layout = structure.layout
    flat = np.zeros(layout.dim)
    block = layout.blocks[0].of(flat)
    reasons = set()
    try:
        for label in range(problem.width):
            one = problem.against_the_rest(label)
            part = new_record(learner, one)
            stage = next_stage(learner, one, stopping)
            solver = solver_of(learner, one)
            learnt, why = run(solver, part, replace(stopping, dev=None), progress, stage)
            block[:, label] = learnt.weights.ravel()
            reasons.add(why)
            record.facts[str(label)] = facts = learner.facts(solver.within())
            solver.close()
            if facts.get("separable") is False:
                raise NotSeparableError(
                    f"C = inf asks for a hard margin, but no hyperplane separates label {label} from "
                    f"the rest; use a finite C"
                )
            record.mistakes += part.mistakes
            record.epochs.extend(replace(epoch, label=label) for epoch in part.epochs)
            if why == "interrupted":
                break
    except KeyboardInterrupt:  # it came between two labels
        reasons.add("interrupted")
    order = ("interrupted", "limit", "dev score", "converged")
    record.stopped = next(r for r in order if r in reasons)
    return Trained(Learnt(flat), record, None)


def check_learnt(learner: Learner, learnt: Learnt) -> None:
    """Steps that are too long lead to infinity; counting alone means it (log 0)."""
    if learner.family == "counting":
        return
    _check_finite(learner, learnt.weights)
    if learnt.states is not None:
        _check_finite(learner, learnt.states.weights)


def _check_finite(learner: Learner, weights: Weights) -> None:
    """Models keep weights in single precision: beyond its range they are infinite."""
    if not weights.size:
        return
    with np.errstate(invalid="ignore"):
        if weights.min() >= -LARGEST and weights.max() <= LARGEST:  # not of NaN
            return
    raise DivergedError(
        f"{learner.name} diverged: weights have become infinite or NaN; use a smaller step (eta0), a "
        f"stronger penalty, or scale the features and the weights of examples"
    )


def _tell(record: TrainingRecord, stopping: Stopping, exact: bool, what: str) -> None:
    """Say what one would not expect; learners that step through the data end at a limit as a rule."""
    if record.facts.get("separable") is False:
        raise NotSeparableError(
            "C = inf asks for a hard margin, but no hyperplane separates the data; use a finite C"
        )
    if record.stopped == "interrupted":
        warn_of_training(
            f"{what} was interrupted after {record.n_iter} epochs; the weights so far are kept"
        )
    elif record.stopped == "limit" and exact and not stopping.meant:
        gap = "" if record.gap is None else f" with a duality gap of {record.gap:.3g}"
        if record.gap == math.inf:
            gap = ": it has found neither weights that separate the data nor a proof that none do"
        warn_of_training(
            f"{record.learner} has not converged after {stopping.max_epochs} epochs{gap}; raise "
            f"max_iter or tol"
        )
