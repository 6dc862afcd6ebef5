"""What a learner is handed, and what the training loop drives."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.engines import Engine
from linnet.structures.base import Structure

Weights = NDArray[np.float32] | NDArray[np.float64]
State = dict[str, NDArray[Any]]  # of a training in progress


class LabelRows(NamedTuple):
    """Weights of few labels per feature: row r is ``starts[r]:starts[r + 1]``, 0 the constant one's."""

    starts: NDArray[np.int64]
    labels: NDArray[np.int32]  # they ascend within a row
    weights: NDArray[np.float32]


@dataclass(frozen=True)
class Learnt:
    """What to predict with: flat weights as the layout of the structure has them, or parts by name.

    ``states`` are sparse weights in place of the first block; ``weights`` are then those of the tied
    blocks, one after the other without padding. ``votes`` is what scores in place of the weights.
    """

    weights: Weights
    votes: Any = None  # of the core
    states: LabelRows | None = None


class Solver(Protocol):
    """Training in progress: Python asks for one pass at a time."""

    counts_mistakes: bool = True  # sees what it would have predicted, instance by instance
    reduces_steps: bool = False  # shortens them when held-out likelihood falls, and goes on
    plain: bool = False  # arrays of its own: pickled, and left as it was by those that go on from it

    def epoch(self) -> _core.EpochStats:
        """Make one pass over the data, or one iteration; go on with one that was paused."""

    def weights(self) -> Weights:
        """The weights to predict with, flat."""

    def certify(self) -> _core.EpochStats | None:
        """Objective and gap of the weights as they are, from a solver that can tell."""
        return None

    def learnt(self) -> Learnt:
        """All that there is to predict with, as it stands now."""
        return Learnt(self.weights())

    def reduce_step(self) -> None:
        """Held-out likelihood fell."""
        return

    def close(self) -> None:
        """Let go of what it kept elsewhere; the weights stay."""
        return

    def facts(self) -> dict[str, Any]:
        """What only this solver knows after training (support vectors, thresholds, …)."""
        return {}

    def learning(self) -> Any:
        """The object of the core that learns, where one does; others keep their own state."""
        return None

    def pause_after(self, seconds: float = math.inf, instances: int | None = None) -> None:
        """The next `epoch` may come back before its end, ``paused``, and goes on when asked again.

        It does so where it goes instance by instance, and with the same bits; others make a whole pass.
        """
        pausing = getattr(self.learning(), "pause_after", None)
        if pausing is not None:
            pausing(seconds, instances)

    def within(self) -> Solver:
        """The solver that learners know, where another one drives it."""
        return self

    def turn_to(self, problem: Problem | None) -> bool:
        """Go on over other instances of the same layout, over none for None.

        False: it cannot, and is to be made anew and restored.
        """
        return False

    def state(self) -> State:
        """All that a new solver of the same problem needs to go on from here, to the bit.

        What follows from the data and the settings is no part of it.
        """
        return {"core": self.learning().state()}

    def restore(self, state: State) -> None:
        """Go on from there; ValueError if it is the state of something else."""
        self.learning().restore(state["core"])


@dataclass(frozen=True)
class Cell:
    """A place in the grid: what a learner is asked whether it can do."""

    structure: type[Structure]
    loss: str
    penalty: str
    average: bool = False
    penalize_intercept: bool = True
    warm_start: bool = False


Recipe = Callable[[], tuple[Structure, NDArray[np.float64]]]


@dataclass(frozen=True)
class Elsewhere:
    """Instances that are not here, but where files are: shards that are made where they are needed.

    A recipe makes the structure of a shard and the weights of its instances, as often as it is asked
    and always the same. It is pickled, so that it must name files and ranges of them, not hold them.
    """

    recipes: tuple[Recipe, ...]
    sizes: tuple[int, ...]  # instances of each shard
    weight: float  # of all instances together
    fingerprint: str = ""  # of what they are made of, for checkpoints
    partial: bool = False  # are some labels missing?
    labelled: NDArray[np.bool_] | None = None  # as of `Structure`, where some are

    def against_the_rest(self, label: int) -> Elsewhere:
        """The same shards, with two outputs."""
        recipes = tuple(AgainstTheRest(recipe, label) for recipe in self.recipes)
        return replace(self, recipes=recipes, fingerprint=f"{self.fingerprint} {label}")

    def reduced(self, problem: Problem) -> Elsewhere:
        """The same shards, each as the simpler problem that it is; they are gone through for that."""
        recipes = tuple(Reduced(recipe, problem.without_instances()) for recipe in self.recipes)
        sizes, weight = [], 0.0
        for recipe in recipes:
            structure, weights = recipe()
            sizes.append(structure.size)
            weight += float(weights.sum())
        return replace(
            self, recipes=recipes, sizes=tuple(sizes), weight=weight, partial=False, labelled=None
        )


@dataclass(frozen=True)
class AgainstTheRest:
    """A recipe: the shard of another one, as one label against all others."""

    recipe: Recipe
    label: int

    def __call__(self) -> tuple[Structure, NDArray[np.float64]]:
        structure, weights = self.recipe()
        return structure.against_the_rest(self.label), weights


@dataclass(frozen=True)
class Reduced:
    """A recipe: the shard of another one, as a simpler problem with the same solution."""

    recipe: Recipe
    problem: Problem  # without instances

    def __call__(self) -> tuple[Structure, NDArray[np.float64]]:
        part = self.problem.among(*self.recipe())
        reduction = part.reduced()
        assert reduction is not None
        return reduction.problem.structure, reduction.problem.weights


@dataclass(frozen=True)
class Problem:
    """Instances and objective, P(w) = l1·‖w‖₁ + l2·½‖w‖² + Σ c_i ℓ_i(w) with c_i = C · weight_i."""

    structure: Structure
    loss: str
    penalty: str
    weights: NDArray[np.float64]  # sample × class weights
    l1: float
    l2: float
    C: float
    tol: float
    seed: int
    average: bool = False
    hypotheses: str | None = None  # 'voted' or 'survivor': those of an online learner that are kept
    split: bool | None = None  # one label against the rest? None: where it must be
    penalize_intercept: bool = True
    warm_start: bool = False  # was a start asked for, be there one or not yet?
    shuffle: bool = True
    margin: float = 1.0
    threads: int = 1
    initial: Weights | None = None  # flat weights to start from
    max_iter: int | None = None  # passes, for learners that make them all at once
    engine: Engine | None = None  # where shards of the instances are worked on; None: there are none
    spend_rows: bool = False  # nobody else reads them: a solver with a copy of its own lets them go
    elsewhere: Elsewhere | None = None  # then the structure here has the layout, and no instances

    def __post_init__(self) -> None:
        if not isinstance(self.average, (bool, np.bool_)):
            raise ValueError(f"average must be True or False here, not {self.average!r}")

    @property
    def cell(self) -> Cell:
        """Where it stands in the grid."""
        warm = self.warm_start or self.initial is not None
        kind = type(self.structure)
        return Cell(kind, self.loss, self.penalty, self.average, self.penalize_intercept, warm)

    @property
    def rows(self) -> _core.Rows:
        """Features of the sites."""
        return self.structure.rows

    @property
    def width(self) -> int:
        """Scores per site."""
        return self.structure.width

    @cached_property
    def alpha(self) -> float:
        """Strength of the penalty beside the mean loss: the same minimiser as C beside the sum."""
        total = self.total_weight
        if not total > 0:
            return 0.0
        if not self.C * total > 0:
            raise ValueError(
                f"a penalty of this strength (C = {self.C:g}; weights of examples sum to {total:g}) is "
                f"beyond the range of numbers; use a larger C, or a smaller alpha"
            )
        return 1.0 / (self.C * total)

    def data(self, c: NDArray[np.float64] | None = None) -> _core.Dataset:
        """The instances for the core, weighted by ``c`` (default: sample × class weights)."""
        return self.structure.dataset(self.weights if c is None else c)

    @property
    def costs(self) -> NDArray[np.float64]:
        """c_i = C · weight_i; no weight, no cost, also at C = ∞."""
        costs = np.zeros_like(self.weights)
        np.multiply(self.C, self.weights, out=costs, where=self.weights > 0)
        return costs

    @property
    def total_weight(self) -> float:
        """Of all instances."""
        return float(self.weights.sum()) if self.elsewhere is None else self.elsewhere.weight

    @property
    def partial(self) -> bool:
        """Are some labels missing?"""
        return self.structure.partial if self.elsewhere is None else self.elsewhere.partial

    def labelled(self) -> NDArray[np.bool_] | None:
        """Instances of which nothing is missing; None if these do not show every label."""
        return self.structure.labelled() if self.elsewhere is None else self.elsewhere.labelled

    def reduced(self) -> Reduction | None:
        """A simpler problem with the same solution, if there is one."""
        found = self.structure.reduced(self)
        if found is None or self.elsewhere is None:
            return found
        return replace(found, problem=replace(found.problem, elsewhere=self.elsewhere.reduced(self)))

    def without_instances(self) -> Problem:
        """What a solver begins with that is shown shard after shard; the penalty is that of all."""
        structure = self.structure.part(0, 0) if self.elsewhere is None else self.structure
        return replace(
            self.among(structure, np.zeros(0)),
            initial=self.initial,
            threads=self.threads,
            elsewhere=Elsewhere((), (), self.total_weight),
        )

    def part(self, begin: int, end: int) -> Problem:
        """The instances [begin, end), each at the same cost as here."""
        return self.among(self.structure.part(begin, end), self.weights[begin:end].copy())

    def among(self, structure: Structure, weights: NDArray[np.float64]) -> Problem:
        """Some of the instances, each at the same cost as here."""
        return replace(
            self,
            structure=structure,
            weights=weights,
            initial=None,
            engine=None,
            threads=1,
            spend_rows=False,
            elsewhere=None,
        )

    def bounds(self, engine: Engine) -> list[tuple[int, int]]:
        """Where each shard begins and ends, counted in instances."""
        if self.elsewhere is None:
            return engine.cut(self.structure.size)
        ends = np.cumsum(self.elsewhere.sizes).tolist()
        return list(zip([0, *ends[:-1]], ends, strict=True))

    def shards(self, engine: Engine) -> list[Shard]:
        """The parts that an engine works on."""
        threads = self.threads if engine.in_turn else engine.worker_threads
        if self.elsewhere is None:
            parts = [self.part(begin, end) for begin, end in self.bounds(engine)]
            return [Shard(replace(part, threads=threads)) for part in parts]
        nothing = self.among(self.structure, self.weights)
        return [Shard(nothing, recipe, threads) for recipe in self.elsewhere.recipes]

    def initial_of(self, label: int) -> Weights | None:
        """The column of one label in the weights to start from."""
        if self.initial is None:
            return None
        block = self.structure.layout.blocks[0].of(self.initial.astype(np.float64))
        return np.ascontiguousarray(block[:, label])

    def against_the_rest(self, label: int) -> Problem:
        """The binary problem of one label against all others."""
        return replace(
            self,
            structure=self.structure.against_the_rest(label),
            initial=self.initial_of(label),
            elsewhere=None if self.elsewhere is None else self.elsewhere.against_the_rest(label),
        )


@dataclass(frozen=True)
class Shard:
    """A part of a problem, or what makes it where it is to be worked on."""

    problem: Problem
    recipe: Recipe | None = None
    threads: int = 1  # of one that is made

    def made(self) -> Problem:
        """With its instances."""
        if self.recipe is None:
            return self.problem
        return replace(self.problem.among(*self.recipe()), threads=self.threads)


@dataclass(frozen=True)
class Reduction:
    """A simpler problem, and what its solution means for the one it was made of."""

    problem: Problem
    back: Callable[[Learnt], Learnt]
