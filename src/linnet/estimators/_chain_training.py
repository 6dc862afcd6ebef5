"""Rows of tokens, labels and settings in; a model of chains out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data import CsrRows, as_rows
from linnet.data.chains import ChainShape
from linnet.errors import RefusedError
from linnet.estimators.base import GridEstimator
from linnet.learners.base import Cell, Learner, Learnt, Problem, Weights
from linnet.learners.local import chain_of_local, local_problem, token_problem
from linnet.losses import LOSSES
from linnet.model import ChainModel, SegmentModel
from linnet.training import Stopping, Trained, train

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TaggedRows:
    """Tokens as rows, their labels (-1: missing) and what sentences are worth."""

    rows: CsrRows
    offsets: NDArray[np.int64]
    labels: NDArray[np.int32]
    n_labels: int
    weights: Array
    pairs: CsrRows | None = None


class ChainTraining(GridEstimator):
    """Settings along the axes of the grid, with nothing left to 'auto'."""

    fit_intercept = False  # templates have a bias of their own
    intercept_scaling = 1.0
    penalize_intercept = True

    def __init__(
        self,
        loss: str,
        learner: str | Learner,
        penalty: str,
        *,
        local: bool,
        C: float,
        alpha: float | None,
        l1_ratio: float,
        margin: float,
        average: bool,
        max_iter: int | None,
        limit_meant: bool,
        tol: float,
        shuffle: bool,
        patience: int,
        warm_start: bool,
        random_state: Any,
        threads: int,
        verbose: bool | None,
    ) -> None:
        self.loss = loss
        self.learner = learner
        self.penalty = penalty
        self.local = local
        self.C = C
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.margin = margin
        self.average = average
        self.max_iter = max_iter
        self.limit_meant = limit_meant
        self.tol = tol
        self.shuffle = shuffle
        self.patience = patience
        self.warm_start = warm_start
        self.random_state = random_state
        self.threads = threads
        self.verbose = verbose

    def problem(self, data: TaggedRows, shape: ChainShape, initial: Weights | None = None) -> Problem:
        """The problem of chains that the settings describe."""
        learner = self._learner()
        l1, l2, C = self._strengths(float(data.weights.sum()), learner)
        pairs = None if data.pairs is None else as_rows(data.pairs, 0.0)
        flat = self.local or shape.order == 0  # the prior of a chain is in its transitions
        return Problem(
            rows=as_rows(data.rows, self._bias if flat else 0.0),
            labels=data.labels,
            n_labels=data.n_labels,
            cell=Cell("chain", self.loss, self.penalty, bool(self.average), warm_start=self.warm_start),
            weights=data.weights,
            l1=l1,
            l2=l2,
            C=C,
            tol=self._tolerance(),
            seed=self._seed(),
            shuffle=self.shuffle,
            margin=self._margin(),
            threads=self.threads,
            initial=initial,
            offsets=data.offsets,
            chain=replace(shape, pairs=pairs),
            spend_rows=True,
        )

    def train(
        self, problem: Problem, on_dev: Callable[[ChainModel | SegmentModel], float] | None
    ) -> tuple[ChainModel | SegmentModel, Trained]:
        """Drive the learner to its end."""
        learner = self._learner()
        given = problem
        if self.local:
            given = local_problem(problem)
        elif problem.chain is not None and problem.chain.order == 0:
            if learner.name == "voted":
                raise RefusedError(
                    "voted is for whole sequences, which order=0 does not score; use order=1"
                )
            given = token_problem(problem)

        def model_of(learnt: Learnt) -> ChainModel | SegmentModel:
            if problem.chain is not None and problem.chain.segments is not None:
                return SegmentModel.of(learnt, problem)
            if self.local:
                learnt = chain_of_local(learnt, problem)
            return ChainModel.of(learnt, problem, local=self.local)

        stopping = Stopping(self._limit(learner), patience=self.patience, meant=self.limit_meant)
        if on_dev is not None:
            stopping = replace(stopping, dev=lambda learnt: on_dev(model_of(learnt)))
        elif learner.needs_dev:
            raise RefusedError(
                f"{learner!r} watches held-out likelihood, which no tagger tells it; use another step"
            )
        trained = train(learner, given, stopping, self.verbose)
        return model_of(trained.learnt), trained


def check_costs(loss: str, shape: ChainShape) -> None:
    """What a mistake costs matters to losses that look at costs."""
    if (shape.costs is None and shape.token_weights is None) or LOSSES[loss].cost:
        return
    raise RefusedError(
        f"loss {loss!r} knows no costs of mistakes: cost and class_weight would change nothing; "
        f"use 'softmax_margin' (a CRF with costs) or 'hinge', or weigh whole sentences by sample_weight"
    )
