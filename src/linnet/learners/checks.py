"""What a learner refuses of a problem, beyond what its cell says: the data do not allow it."""

from __future__ import annotations

import os

from linnet.errors import DataError, RefusedError
from linnet.learners.base import Learner
from linnet.losses import LOSSES
from linnet.structures import Problem

_LOG_LARGEST = 690.0  # of a double, with room for sums
# Who has weights for seen pairs alone.
SPARSE = "'lbfgs', 'owlqn' or 'dual' with loss 'logistic', or the learners 'perceptron' or 'pa'"


def check_data(learner: Learner, problem: Problem) -> None:
    """Missing labels, costs of mistakes, and losses that would overflow."""
    structure, loss = problem.structure, problem.loss
    if structure.partial and not learner.partial_labels:
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


def check_dense(learner: Learner, problem: Problem) -> None:
    """Refuse a block of weights for all pairs where it is not wanted, or does not fit into memory."""
    structure = problem.structure
    setting = structure.seen_pairs_only()
    if setting is not None:
        raise RefusedError(
            f"{setting} needs weights for seen pairs only, which {learner.name} does not have "
            f"{_for_what(problem)}; use {SPARSE}, or leave it out"
        )
    need = structure.n_weights * learner.bytes_per_weight
    if need > memory():
        raise DataError(
            f"{learner.name} would hold {need / 2**30:.1f} GB: it has weights for "
            f"{structure.weights_told}, which this machine does not have room for; hash them into "
            f"fewer (hash_bits), or, of chains, use a learner with weights for seen pairs ({SPARSE})"
        )


def _for_what(problem: Problem) -> str:
    reason = problem.structure.why_dense(problem)
    if reason is not None:
        return f"for {reason}"
    return "for missing labels" if problem.structure.partial else f"with loss {problem.loss!r}"


def memory() -> float:
    """Bytes of this machine; 8 GB where it does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 8.0 * 2**30
