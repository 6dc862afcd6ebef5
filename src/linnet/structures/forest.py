"""Trees over the brackets that a first look has left of each sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import RefusedError
from linnet.losses import LOSSES
from linnet.structures.base import Reals, Structure, Trait
from linnet.structures.bracketing import Bracketing
from linnet.structures.problem import Problem, Solver, Weights


class Candidates(NamedTuple):
    """Of sentence i are ``starts[i]:starts[i + 1]``."""

    starts: NDArray[np.int64]
    begins: NDArray[np.int32]
    ends: NDArray[np.int32]
    codes: NDArray[np.int32]
    log_p: NDArray[np.float32]


@dataclass(frozen=True)
class PhraseForest(Structure):
    """Gold brackets are always candidates, with the probability ``least`` if the first look had none.

    Of each sentence the share ``dropout`` of the features is not seen.
    """

    trees: Bracketing
    candidates: Candidates
    parts: Any  # templates, heads and labels, as the core has them
    least: float
    dropout: float

    name = "forest"
    plural = "trees of phrases"
    outputs = "trees over the candidates of a sentence"
    complete = "all brackets of every tree"
    traits = frozenset({Trait.MANY_PARTS, Trait.EXACT_SUMS})

    def dataset(self, weights: Reals) -> _core.Dataset:
        """It has none: features of pieces are made as they are met."""
        raise RefusedError("the second look at phrases is learnt by steps of AdaGrad alone")

    @property
    def size(self) -> int:
        """Of sentences."""
        return self.trees.size

    @property
    def n_weights(self) -> float:
        """One table."""
        return float(self.parts.templates.weights)

    @property
    def partial(self) -> bool:
        """Trees are whole."""
        return False

    def gradient_steps(self, problem: Problem, rate: float) -> Solver | None:
        """Sentence by sentence."""
        assert self.trees.tokens is not None
        found = _core.BracketCandidates(*self.candidates, n_labels=self.trees.labels)
        trainer = _core.ForestTrainer(
            self.trees.tokens,
            found,
            self.trees.gold,
            self.parts.templates,
            self.parts.heads,
            self.parts.labels,
            cost=problem.margin if LOSSES[problem.loss].cost else 0.0,
            rate=rate,
            dropout=self.dropout,
            floor=float(np.log(self.least)),
            average=problem.average,
            shuffle=problem.shuffle,
            seed=problem.seed,
        )
        if problem.initial is not None:
            trainer.start_at(np.ascontiguousarray(problem.initial, np.float32))
        return ForestSolver(trainer)


class ForestSolver(Solver):
    """Drives the core's trainer, pass by pass."""

    def __init__(self, trainer: _core.ForestTrainer) -> None:
        self.trainer = trainer

    def learning(self) -> _core.ForestTrainer:
        """The solver of the core."""
        return self.trainer

    def epoch(self) -> _core.EpochStats:
        """One pass over the sentences."""
        return self.trainer.epoch()

    def weights(self) -> Weights:
        """Averaged, if so asked."""
        return self.trainer.weights()
