"""What a structure is: the outputs that instances may have, and what the core makes of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.structures.layout import Layout

if TYPE_CHECKING:
    from linnet.structures.families import Family
    from linnet.structures.problem import Problem, Reduction, Solver

Reals = NDArray[np.float64]
# Of an objective, the L1 penalty of each coordinate, and tolerances.
Minimise = Callable[..., _core.Minimiser]


class Trait(Enum):
    """What learners may ask of a structure; the value says it of outputs in the plural."""

    ONE_SCORE = "they are two, told apart by the sign of one score"
    LISTED = "an instance has few of them, which can be listed"
    LABELS = "they are labels, each with weights of its own for all features"
    SPLITS = "one of them against the rest makes sense"
    TIED = "they have parts whose weights are shared by all places"
    MANY_PARTS = "they have many parts, and the more the longer the instance is"
    COUNTED = "they have a generative story, whose events can be counted"
    EXPECTED = "the counts of events that are missing can be expected"
    SUMMED_OUT = "those parts that are missing in training are summed out"
    EXACT_SUMS = "sums over all of them are exact"
    VOTED = "votes for them can be kept"
    TARGETS = "they are numbers, which scores are to come near"


class Structure(ABC):
    """The instances of one problem: sites with features, and outputs that are to be found.

    A class of structures is one row of the grid. Its object holds the features and the gold outputs of
    a data set; `dataset` shows them to the core, whose layout of weights (`layout`) is what models,
    files and explanations go by. Learners know its traits, and nothing else of it.
    """

    name: ClassVar[str]
    plural: ClassVar[str]  # of its instances, for sentences
    outputs: ClassVar[str]  # what they look like to a person
    complete: ClassVar[str] = "the label of every instance"  # what learners without missing labels need
    traits: ClassVar[frozenset[Trait]]
    duals: ClassVar[frozenset[str]] = frozenset()  # losses whose dual variables can be kept
    duals_why: ClassVar[str] = (
        "it would have a dual variable for every output; use learner 'frank_wolfe' with loss 'hinge', "
        "'lbfgs' with a smooth one"
    )  # why others have none

    rows: _core.Rows  # of the sites that have features

    @abstractmethod
    def dataset(self, weights: Reals) -> _core.Dataset:
        """The instances for the core, each with a weight."""

    def measured(self, weights: Reals) -> _core.Dataset:
        """The instances as one linear model of all that was learnt, for margins and bounds."""
        return self.dataset(weights)

    @property
    @abstractmethod
    def size(self) -> int:
        """How many instances, as many as there are weights."""

    @cached_property
    def layout(self) -> Layout:
        """Where the weights of each kind of part lie; it does not hold on to the data."""
        return Layout.of(self.dataset(np.ones(self.size)))

    @property
    def width(self) -> int:
        """Scores per site."""
        return self.layout.width

    @property
    def n_weights(self) -> float:
        """About how many weights there are; known before any memory is asked for."""
        return (self.rows.features + 1.0) * self.width

    @property
    def weights_told(self) -> str:
        """What they are of, for messages."""
        return f"every pair of the {self.rows.features} features and {self.width} label(s)"

    may_hold_seen_pairs: ClassVar[bool] = False  # has learners with weights for seen pairs alone
    tied_told: ClassVar[str] = ""

    def tied_bytes(self, dual: bool) -> float:
        """What every learner holds of parts that all places share, whatever it has of features."""
        return 0.0

    @property
    def partial(self) -> bool:
        """Are some labels missing?"""
        return False

    @property
    def weighs_mistakes(self) -> bool:
        """Has the user said what mistakes cost?"""
        return False

    def labelled(self) -> NDArray[np.bool_] | None:
        """Instances of which nothing is missing; None if these do not show every label."""
        return np.ones(self.size, bool)

    def log_outputs(self) -> float:
        """The logarithm of a number that no instance has more outputs than."""
        return 0.0

    # Other problems that it is, or is made of

    def part(self, begin: int, end: int) -> Structure:
        """The instances [begin, end) with a layout of weights that is the same for all parts."""
        raise NotImplementedError

    @classmethod
    def uncut(cls) -> str | None:
        """Why it is not cut into shards, for messages; None if it is."""
        return None if cls.part is not Structure.part else f"{cls.plural} are not cut into shards"

    def reduced(self, problem: Problem) -> Reduction | None:
        """A simpler problem with the same solution, if there is one."""
        return None

    def against_the_rest(self, label: int) -> Structure:
        """Two outputs, a label and all others; of structures that split."""
        raise NotImplementedError

    def labelled_rows(self) -> tuple[_core.Rows, NDArray[np.int32]]:
        """Rows and their labels; of structures whose outputs are labels."""
        raise NotImplementedError

    def one_score(self) -> tuple[_core.Rows, NDArray[np.int32]]:
        """Rows, and 1 where the answer is yes; of structures with one score."""
        raise NotImplementedError

    def check_events(self) -> None:
        """Refuse features that are not the events of a story."""
        return

    def families(self, flat: Reals) -> list[Family]:
        """The families of events that probabilities are shared among, as views of flat weights."""
        raise NotImplementedError

    # Ways through a learner that are faster than the generic one; None if there is none

    def why_dense(self, problem: Problem) -> str | None:
        """What keeps a problem from being solved with weights for seen pairs alone."""
        return "a structure without such weights"

    def seen_pairs_only(self) -> str | None:
        """The setting that asks for weights of seen pairs alone, if one does."""
        return None

    def dual(self, problem: Problem, *, shrinking: bool) -> Solver:
        """Dual coordinate descent, for the losses in ``duals``."""
        raise NotImplementedError

    def steps(self, problem: Problem, rule: str, C: float) -> Solver | None:
        """Perceptron ('perceptron') and passive-aggressive steps ('pa1', 'pa2')."""
        return None

    def gradient_steps(self, problem: Problem, rate: float) -> Solver | None:
        """Steps of AdaGrad, each weight by its own, from one instance after the other."""
        return None

    def minimised(self, problem: Problem, minimise: Minimise, **tolerances: Any) -> Solver | None:
        """A batch optimiser over an objective of its own."""
        return None
