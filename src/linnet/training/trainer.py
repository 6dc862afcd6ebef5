"""From a problem and a learner to weights and a record."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

import linnet._core as _core
from linnet.errors import DataError, DivergedError, NotSeparableError, RefusedError, TrainingWarning
from linnet.learners import chains, trees
from linnet.learners.base import Learner, Learnt, Problem, Solver, Weights
from linnet.training import grid
from linnet.training.loop import Stopping, run
from linnet.training.progress import Progress
from linnet.training.record import TrainingRecord


@dataclass
class Trained:
    """What was learnt, its weights in the layout of ``width`` labels, and how it came about."""

    learnt: Learnt
    width: int
    record: TrainingRecord
    solver: Solver | None  # kept by online learners, to go on from; None after one-against-rest


def train(
    learner: Learner,
    problem: Problem,
    stopping: Stopping,
    show_progress: bool | None = None,
    what: str = "training",
) -> Trained:
    """Check the cell, then drive the learner; multiclass falls back to one label against the rest.

    ``what`` is the name that a warning has for it.
    """
    if problem.chain is not None and problem.chain.order == 0:
        problem = chains.tokens_apart(problem)
    grid.check(learner, problem.cell)
    if learner.needs_dev and stopping.dev is None:
        raise RefusedError(
            f"{learner!r} watches the likelihood of held-out data, and there are none here; use "
            f"another step, such as 'power'"
        )
    check_size(problem)
    chains.check(learner, problem)
    trees.check(learner, problem)
    record = TrainingRecord(
        loss=problem.cell.loss,
        learner=learner.name,
        penalty=problem.cell.penalty,
        structure=problem.cell.structure,
        C=problem.C,
        alpha=problem.alpha,
    )
    with Progress(f"training {learner.name}", show_progress) as progress:
        if grid.one_against_rest(learner, problem.cell):
            trained = _one_against_rest(learner, problem, stopping, record, progress)
        else:
            solver = learner.solver(problem)
            learnt, record.stopped = run(solver, record, stopping, progress)
            record.facts = learner.facts(solver)
            trained = Trained(learnt, problem.width, record, solver)
    check_weights(learner, trained.learnt.weights)
    if trained.learnt.states is not None:
        check_weights(learner, trained.learnt.states.weights)
    exact = learner.family in ("batch", "dual", "coordinate")
    _tell(trained.record, stopping, exact, what)
    return trained


def _one_against_rest(
    learner: Learner,
    problem: Problem,
    stopping: Stopping,
    record: TrainingRecord,
    progress: Progress,
) -> Trained:
    """K binary problems side by side. Each label's weights depend on nothing but its own problem."""
    width = problem.n_labels
    block = np.zeros((problem.rows.features + 1, _core.padded(width)))
    reasons = set()
    for label in range(width):
        part = TrainingRecord(record.loss, record.learner, record.penalty, "binary", record.C, 0.0)
        solver = learner.solver(problem.against_the_rest(label))
        learnt, why = run(solver, part, replace(stopping, dev=None), progress)
        block[:, label] = learnt.weights.ravel()
        reasons.add(why)
        record.facts[str(label)] = facts = learner.facts(solver)
        if facts.get("separable") is False:
            raise NotSeparableError(
                f"C = inf asks for a hard margin, but no hyperplane separates label {label} from the "
                f"rest; use a finite C"
            )
        record.mistakes += part.mistakes
        record.epochs.extend(replace(epoch, label=label) for epoch in part.epochs)
        if why == "interrupted":
            break
    order = ("interrupted", "limit", "dev score", "converged")
    record.stopped = next(r for r in order if r in reasons)
    return Trained(Learnt(block.ravel()), width, record, None)


def check_size(problem: Problem) -> None:
    """Weights that are larger than the machine: say so before they are asked for."""
    if problem.chain is not None or problem.tree is not None:
        return  # they have other ways, and look for themselves
    features, width = problem.rows.features, problem.width
    need = 16.0 * (features + 1) * _core.padded(width)  # the weights, and as much for learning them
    if need > chains.memory():
        raise DataError(
            f"{features} features with weights for {width} label(s) need {need / 2**30:.0f} GB and "
            f"more, which this machine does not have; hash them into fewer"
        )


def check_weights(learner: Learner, weights: Weights) -> None:
    """Steps that are too long lead to infinity; counting alone means it (log 0)."""
    if learner.family == "counting":
        return
    # A sum is finite if all are, and quicker to see; one that overflows is looked at again.
    with np.errstate(invalid="ignore", over="ignore"):
        if np.isfinite(weights.sum(dtype=np.float64)):
            return
    if not np.isfinite(weights).all():
        raise DivergedError(
            f"{learner.name} diverged: weights have become infinite or NaN; use a smaller step (eta0), "
            f"a stronger penalty, or scale the features"
        )


def _tell(record: TrainingRecord, stopping: Stopping, exact: bool, what: str) -> None:
    """Say what one would not expect; learners that step through the data end at a limit as a rule."""
    if record.facts.get("separable") is False:
        raise NotSeparableError(
            "C = inf asks for a hard margin, but no hyperplane separates the data; use a finite C"
        )
    if record.stopped == "interrupted":
        warnings.warn(
            f"{what} was interrupted after {record.n_iter} epochs; the weights so far are kept",
            TrainingWarning,
            stacklevel=4,
        )
    elif record.stopped == "limit" and exact and not stopping.meant:
        gap = "" if record.gap is None else f" with a duality gap of {record.gap:.3g}"
        warnings.warn(
            f"{record.learner} has not converged after {stopping.max_epochs} epochs{gap}; raise "
            f"max_iter or tol",
            TrainingWarning,
            stacklevel=4,
        )
