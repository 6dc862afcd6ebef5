"""Rows of tokens, labels and settings in; a model of chains out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import RefusedError
from linnet.estimators.grid_settings import GridSettings
from linnet.learners.base import Learner
from linnet.model import TaggerModel, model_of
from linnet.structures import Problem, Structure
from linnet.training import Stopping, Trained, train

Array = NDArray[np.float64]


OnDev = Callable[[TaggerModel], float]


class ChainTraining(GridSettings):
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

    @property
    def intercept(self) -> float:
        """Of learners whose prior it is."""
        return self._bias

    def problem(self, structure: Structure, weights: Array) -> Problem:
        """The problem that the settings describe."""
        learner = self._learner()
        l1, l2, C = self._strengths(float(weights.sum()), learner)
        return Problem(
            structure,
            self.loss,
            self.penalty,
            weights,
            l1=l1,
            l2=l2,
            C=C,
            tol=self._tolerance(),
            seed=self._seed(),
            average=bool(self.average),
            warm_start=self.warm_start,
            shuffle=self.shuffle,
            margin=self._margin(),
            threads=self.threads,
            spend_rows=True,
        )

    def train(self, problem: Problem, on_dev: OnDev | None) -> Trained:
        """Drive the learner to its end."""
        learner = self._learner()
        stopping = Stopping(self._limit(learner), patience=self.patience, meant=self.limit_meant)
        if on_dev is not None:
            stopping = replace(stopping, dev=lambda learnt: on_dev(model_of(learnt, problem.structure)))
        elif learner.needs_dev:
            raise RefusedError(
                f"{learner!r} watches held-out likelihood, which no tagger tells it; use another step"
            )
        return train(learner, problem, stopping, self.verbose)
