"""Trees of labelled brackets: spans that have features, and a label for some of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.matrix import rows_between
from linnet.errors import RefusedError
from linnet.losses import LOSSES
from linnet.structures.base import Reals, Structure, Trait
from linnet.structures.problem import Problem, Solver, Weights

# Of rules and losses, the steps of the core.
STEPS = {
    ("perceptron", "perceptron"): "perceptron",
    ("perceptron", "hinge"): "perceptron",
    ("pa1", "hinge"): "pa",
}


@dataclass(frozen=True)
class Bracketing(Structure):
    """Sentence i is words [offsets[i], offsets[i + 1]); rows are of its spans, by begin, then end.

    Bracket k is the label ``codes[k]`` over words [begins[k], ends[k]), those of sentence i are
    ``starts[i]:starts[i + 1]``. Where ``unfinished`` is 1, they are what is known of a tree: all trees
    that have them are gold. With ``whole``, every sentence is a bracket.
    """

    rows: _core.Rows
    offsets: NDArray[np.int64]
    starts: NDArray[np.int64]
    begins: NDArray[np.int32]
    ends: NDArray[np.int32]
    codes: NDArray[np.int32]
    labels: int
    whole: bool = True
    unfinished: NDArray[np.uint8] | None = None  # 1: of which only these brackets are known
    tokens: _core.PhraseTokens | None = None  # of which the rows are made, where they are
    templates: _core.SpanTemplates | None = None

    name = "brackets"
    plural = "trees of phrases"
    outputs = "labelled brackets over the words of a sentence"
    complete = "all brackets of every tree"
    traits = frozenset({Trait.MANY_PARTS, Trait.SUMMED_OUT, Trait.EXACT_SUMS})

    @cached_property
    def gold(self) -> _core.GoldBrackets:
        """For the core."""
        arrays = (self.starts, self.begins, self.ends, self.codes)
        return _core.GoldBrackets(*arrays, self.labels, self.unfinished)

    def dataset(self, weights: Reals) -> _core.BracketData:
        """A site for each span, and a label for some."""
        return _core.BracketData(self.rows, self.offsets, self.gold, self.whole, weights)

    @property
    def size(self) -> int:
        """Of sentences."""
        return len(self.offsets) - 1

    @property
    def width(self) -> int:
        """Labels of a span."""
        return self.labels

    @property
    def n_weights(self) -> float:
        """Rows are padded."""
        return (self.rows.features + 1.0) * _core.padded(self.width)

    @property
    def partial(self) -> bool:
        """Are some brackets missing?"""
        return self.unfinished is not None and bool(self.unfinished.any())

    def labelled(self) -> NDArray[np.bool_] | None:
        """Sentences whose brackets are all known."""
        if self.unfinished is None:
            return np.ones(self.size, bool)
        return np.asarray(self.unfinished == 0)

    def part(self, begin: int, end: int) -> Bracketing:
        """Some of the sentences, with rows in place of templates."""
        lengths = np.diff(self.offsets)
        spans = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths * (lengths + 1) // 2)])
        first, last = int(self.starts[begin]), int(self.starts[end])
        gone = self.unfinished
        return Bracketing(
            rows_between(self.rows, int(spans[begin]), int(spans[end])),
            self.offsets[begin : end + 1] - self.offsets[begin],
            self.starts[begin : end + 1] - first,
            self.begins[first:last].copy(),
            self.ends[first:last].copy(),
            self.codes[first:last].copy(),
            self.labels,
            self.whole,
            None if gone is None else gone[begin:end].copy(),
        )

    def __getstate__(self) -> dict[str, object]:
        """Without what is made anew where it is sent to."""
        return {name: value for name, value in self.__dict__.items() if name != "gold"}

    def log_outputs(self) -> float:
        """Fewer than 6 ** n shapes, of at most 2 n brackets each."""
        words = int(np.diff(self.offsets).max(initial=0))
        return words * math.log(6.0) + 2 * words * math.log(self.labels + 1.0)

    def check_events(self) -> None:
        """Features of templates overlap."""
        raise RefusedError(
            "brackets without a grammar have no events to count; a grammar has: GrammarParser"
        )

    def steps(self, problem: Problem, rule: str, C: float) -> Solver | None:
        """Over templates of spans, without rows in between; to rounding they are the same."""
        if (rule, problem.loss) not in STEPS or not self._plain(problem):
            return None
        return SpanSolver(self._trainer(problem, step=STEPS[rule, problem.loss], C=C))

    def gradient_steps(self, problem: Problem, rate: float) -> Solver | None:
        """The same, but that tiny gradients are passed over."""
        plain = problem.penalty == "none" and 0 < rate < math.inf and self._plain(problem)
        if problem.loss not in ("softmax_margin", "logistic") or not plain:
            return None
        return SpanSolver(self._trainer(problem, step="adagrad", rate=rate))

    def _plain(self, problem: Problem) -> bool:
        """The fast loop has no intercept and weighs all sentences the same."""
        there = self.tokens is not None and self.templates is not None and self.rows.bias == 0
        return there and bool((problem.weights == 1).all())

    def _trainer(self, problem: Problem, **settings: Any) -> _core.PhraseTrainer:
        """The core's loop over templates."""
        assert self.tokens is not None
        assert self.templates is not None
        trainer = _core.PhraseTrainer(
            self.tokens,
            self.templates,
            self.gold,
            self.whole,
            cost=problem.margin if LOSSES[problem.loss].cost else 0.0,
            average=problem.average,
            shuffle=problem.shuffle,
            seed=problem.seed,
            **settings,
        )
        if problem.initial is not None:
            trainer.start_at(np.ascontiguousarray(problem.initial, np.float32))
        return trainer


class SpanSolver(Solver):
    """Drives the core's trainer of parsers of phrases, pass by pass."""

    def __init__(self, trainer: _core.PhraseTrainer) -> None:
        self.trainer = trainer

    def learning(self) -> _core.PhraseTrainer:
        """The solver of the core."""
        return self.trainer

    def epoch(self) -> _core.EpochStats:
        """One pass over the sentences."""
        return self.trainer.epoch()

    def weights(self) -> Weights:
        """Averaged, if so asked; (features + 1) × stride."""
        return self.trainer.weights()
