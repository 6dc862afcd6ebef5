"""Rows of tokens, labels and settings in; a model of chains out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet._params import whole
from linnet.errors import RefusedError
from linnet.estimators.grid_settings import Axes
from linnet.model import TaggerModel, model_of
from linnet.structures import Elsewhere, Problem, Structure
from linnet.training import Stopping, Trained, train

Array = NDArray[np.float64]


OnDev = Callable[[TaggerModel], float]


class ChainTraining(Axes):
    """How sentences are learnt from."""

    def __init__(
        self,
        *axes: Any,
        limit_meant: bool,
        shuffle: bool,
        patience: int,
        threads: int,
        verbose: bool | None,
        **settings: Any,
    ) -> None:
        super().__init__(*axes, **settings)
        self.limit_meant = limit_meant
        self.shuffle = shuffle
        self.patience = patience
        self.threads = threads
        self.verbose = verbose

    @property
    def intercept(self) -> float:
        """Of learners whose prior it is."""
        return self._bias

    def problem(
        self, structure: Structure, weights: Array, elsewhere: Elsewhere | None = None
    ) -> Problem:
        """The problem that the settings describe."""
        learner = self._learner()
        total = float(weights.sum()) if elsewhere is None else elsewhere.weight
        l1, l2, C = self._strengths(total, learner)
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
            elsewhere=elsewhere,
        )

    def train(self, problem: Problem, on_dev: OnDev | None) -> Trained:
        """Drive the learner to its end."""
        learner = self._learner()
        stopping = Stopping(
            self._limit(learner), patience=whole("patience", self.patience), meant=self.limit_meant
        )
        if on_dev is not None:
            stopping = replace(stopping, dev=lambda learnt: on_dev(model_of(learnt, problem.structure)))
        elif learner.needs_dev:
            raise RefusedError(
                f"{learner!r} watches held-out likelihood, which no tagger tells it; use another step"
            )
        return train(learner, problem, stopping, self.verbose)
