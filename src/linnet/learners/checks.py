"""What a learner refuses of a problem, beyond what its cell says: the data do not allow it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from linnet._memory import is_limited, memory
from linnet.errors import DataError, RefusedError, setting
from linnet.learners.base import Learner
from linnet.losses import LOSSES
from linnet.structures import Problem, Structure, Trait

_LOG_LARGEST = 690.0  # of a double, with room for sums
# Who has weights for seen pairs alone.
SPARSE = "'lbfgs', 'owlqn' or 'dual' with loss 'logistic', or the learners 'perceptron' or 'pa'"


def check_data(learner: Learner, problem: Problem) -> None:
    """Missing labels, costs of mistakes, losses that would overflow, and tables without room."""
    structure, loss = problem.structure, problem.loss
    check_tied(learner, structure)
    _check_hypotheses(learner, problem)
    if problem.partial and not learner.partial_labels:
        raise RefusedError(f"{learner.name} needs {structure.complete}: {learner.partial_labels_why}")
    if structure.weighs_mistakes and LOSSES[loss].cost == 0:
        raise RefusedError(
            f"loss {loss!r} knows no costs of mistakes: cost and class_weight would change nothing; "
            f"use 'softmax_margin' (a CRF with costs) or 'hinge', or weigh whole instances by "
            f"sample_weight"
        )
    if loss == "exponential" and structure.log_outputs() > _LOG_LARGEST:
        raise RefusedError(
            f"loss 'exponential' is the number of outputs at the start, and an instance may have e^"
            f"{structure.log_outputs():.0f} of them: no number is as large; use 'logistic'"
        )


def _check_hypotheses(learner: Learner, problem: Problem) -> None:
    """Who votes or survives must be a hypothesis, which stays as it is between two mistakes."""
    kept = problem.hypotheses
    if kept is None:
        return
    why = None
    if learner.family != "online" or not learner.averages:
        why = f"{learner.name} has no hypotheses to go back to; use 'perceptron', 'pa' or 'sgd'"
    elif problem.penalty != "none":
        why = f"penalty {problem.penalty!r} changes all hypotheses in between; use penalty='none'"
    elif getattr(learner, "batch_size", 1) != 1:
        why = "a step from several examples is no mistake of one; use batch_size=1"
    elif problem.engine is not None:
        why = "shards have hypotheses of their own; leave out the engine"
    elif Trait.LABELS not in problem.structure.traits:
        why = f"{problem.structure.plural} are no labels, of which mistakes are counted; use True"
    elif kept == "voted" and learner.needs_unit_intercept:
        why = f"{learner.name} does not start from zero, as votes do; use 'survivor', or 'balanced'"
    if why is not None:
        raise RefusedError(f"average={kept!r}: {why}")


def check_tied(learner: Learner, structure: Structure) -> None:
    """Refuse tables of transitions that do not fit into memory: no learner does without them."""
    need = structure.tied_bytes(learner.name == "dual")
    check_room(need, learner.name, structure.tied_told, "; else join labels")


def check_dense(learner: Learner, problem: Problem) -> None:
    """Refuse a block of weights for all pairs where it is not wanted, or does not fit into memory."""
    structure = problem.structure
    asked = structure.seen_pairs_only()
    if asked is not None:
        raise RefusedError(
            f"{asked} needs weights for seen pairs only, which {learner.name} does not have "
            f"{_for_what(problem)}; use {SPARSE}, or leave it out"
        )
    need = structure.n_weights * learner.bytes_per_weight
    few_pairs = structure.may_hold_seen_pairs and problem.elsewhere is None
    advice = f", or use a learner with weights for seen pairs ({SPARSE})" if few_pairs else ""
    check_room(need, learner.name, structure.weights_told, fewer() + advice)


def fewer() -> str:
    """What to do about labels times features."""
    return (
        f"; else leave out rare features ({setting('min_df')}), hash them into fewer "
        f"({setting('hash_bits')}), or join labels"
    )


def check_room(need: float, who: str, told: str, advice: str = "") -> None:
    """Refuse what would not fit into memory, before it is asked for.

    ``need`` bytes are what is held at once: all copies of a table that ``told`` speaks of.
    """
    room = memory()
    if need > room:
        raise DataError(
            f"{who} would hold {_told(need)}, and there is room for {_told(room)}: it has weights for "
            f"{told}; if so many labels are a mistake, name their column by "
            f"{setting('label')}{advice}"
        )


def check_duals(held: Sequence[NDArray[np.float64]]) -> None:
    """Refuse dual variables that do not fit into memory, as they are and as they will be."""
    need, room = float(sum(some.nbytes for some in held)), memory()
    if need > room:
        raise DataError(
            f"dual variables take {_told(need)}, and there is room for {_told(room)}: they are kept "
            f"for every instance; use 'lbfgs', or 'sgd' for hinge"
        )


def _told(size: float) -> str:
    small = size < 0.1 * 2**30 and is_limited()
    return f"{size / 2**20:.0f} MB" if small else f"{size / 2**30:.1f} GB"


def _for_what(problem: Problem) -> str:
    reason = problem.structure.why_dense(problem)
    if reason is not None:
        return f"for {reason}"
    return "for missing labels" if problem.partial else f"with loss {problem.loss!r}"
