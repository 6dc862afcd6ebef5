"""What a learner is: settings, and a declaration of what it can do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from linnet._params import Params
from linnet.losses import LOSSES
from linnet.regularisers import PENALTIES
from linnet.structures import Cell, Problem, Solver, Structure, Trait

ALL_LOSSES = frozenset(LOSSES) - {"joint_likelihood"}
ALL_PENALTIES = frozenset(PENALTIES)


class Learner(Params):
    """Base of all learners.

    The composer (`linnet.training`) checks the declaration and turns a refusal into an error that
    says why and what to use instead. Of structures a learner knows their traits.
    """

    name: ClassVar[str]
    family: ClassVar[str]  # counting, online, batch, dual, coordinate or boosting
    losses: ClassVar[frozenset[str]] = ALL_LOSSES
    losses_why: ClassVar[str] = ""
    target_losses: ClassVar[frozenset[str]] = frozenset()  # of numbers, beside those
    penalties: ClassVar[frozenset[str]] = ALL_PENALTIES
    penalties_why: ClassVar[str] = ""
    averages: ClassVar[bool] = False
    averages_why: ClassVar[str] = (
        "only online learners have a history of weights to average; use one, such as 'sgd'"
    )
    free_intercept: ClassVar[bool] = True
    hard_margin: ClassVar[bool] = False  # C = inf has a meaning
    partial_labels: ClassVar[bool] = True  # structures may miss labels
    partial_labels_why: ClassVar[str] = ""
    bytes_per_weight: ClassVar[int] = 16  # what it holds of a full block of weights
    warm_starts: ClassVar[bool] = True
    warm_starts_why: ClassVar[str] = ""
    incremental: ClassVar[bool] = False
    columns: ClassVar[bool] = False  # one column of weights per label even for two labels
    splits: ClassVar[bool] = True  # may go one label against the rest
    each_label: ClassVar[bool] = False  # scores speak of each label by itself, jointly trained or not
    needs_unit_intercept: ClassVar[bool] = False  # keeps a threshold or a prior as the intercept
    needs_dev: bool = False  # trains by watching held-out likelihood
    sharded: ClassVar[bool] = False  # works on shards of the data, summing over them
    sharded_why: ClassVar[str] = (
        "its steps follow one another; use Mixing or Averaging of it, or 'lbfgs', 'newton' or 'dual'"
    )
    hands_on: ClassVar[bool] = False  # its state is all it knows: it may go on over another shard
    expects: ClassVar[bool] = False  # makes counts of sums over what is missing
    epochs: ClassVar[int] = 1000  # default limit

    @classmethod
    def has_own_C(cls) -> bool:  # noqa: N802
        """Does a C of its own bound its steps, in place of a penalty?"""
        return "C" in cls._names()

    @property
    def needs(self) -> Mapping[Trait, str]:
        """Traits that a structure must have, and why."""
        return {}

    def refusal(self, cell: Cell) -> str | None:
        """Why this cell is not for this learner; None if it is."""
        targets = Trait.TARGETS in cell.structure.traits
        if cell.loss not in self.losses | (self.target_losses if targets else frozenset()):
            return f"{self.name} does not train with loss {cell.loss!r}: {self.losses_why}"
        reason = loss_refusal(cell.structure, cell.loss, cell.warm_start)
        if reason is not None:
            return f"{self.name} does not train {cell.structure.plural} with {reason}"
        if cell.warm_start and not self.warm_starts:
            return f"{self.name} does not start from given weights: {self.warm_starts_why}"
        for trait, why in self.needs.items():
            if trait not in cell.structure.traits:
                return f"{self.name} does not train {cell.structure.plural}: {why}"
        certifies = self.expects or self.family in ("batch", "dual", "coordinate")
        if certifies and Trait.EXACT_SUMS not in cell.structure.traits:
            return (
                f"{self.name} does not train {cell.structure.plural}: it goes by exact sums, and "
                f"from approximate ones it could tell no gap and no convergence; use 'sgd', "
                f"'adagrad' or 'perceptron'"
            )
        if cell.penalty not in self.penalties:
            return f"{self.name} does not take penalty {cell.penalty!r}: {self.penalties_why}"
        if cell.average and not self.averages:
            return f"{self.name} does not average: {self.averages_why}"
        if not cell.penalize_intercept and not self.free_intercept and cell.penalty != "none":
            return (
                f"{self.name} cannot leave the intercept out of the penalty; use "
                f"intercept_scaling > 1 to weaken it, or the learner 'lbfgs'"
            )
        return None

    def shards_refusal(self, cell: Cell, in_turn: bool = False) -> str | None:
        """Why this cell is not learnt on shards; None if it is. ``in_turn``: they come one by one."""
        if in_turn and self.hands_on:
            return None
        if self.sharded:
            reason = cell.structure.uncut()
            return None if reason is None else f"{self.name} does not learn on shards: {reason}"
        return f"{self.name} does not learn on shards: {self.sharded_why}"

    def solver(self, problem: Problem) -> Solver:
        """Set up training; the loop drives it."""
        raise NotImplementedError

    def step_rule(self) -> str | None:
        """The name of its steps where a structure may know a faster way to take them."""
        return None

    def facts(self, solver: Any) -> dict[str, Any]:
        """What only this learner knows after training (support vectors, thresholds, …)."""
        found: dict[str, Any] = solver.facts()
        return found


def loss_refusal(structure: type[Structure], loss: str, warm_start: bool) -> str | None:
    """Why a loss makes no sense over a structure, whoever learns."""
    traits = structure.traits
    if Trait.TARGETS in traits and loss != "squared":
        return f"loss {loss!r}: it is one of labels, and targets are numbers; use loss 'squared'"
    if loss == "squared" and Trait.TIED in traits:
        return (
            "loss 'squared': it asks each part of an output for a score of ±1, but here some parts "
            "are shared by all places; use 'logistic' or 'hinge'"
        )
    if loss == "probability" and Trait.LISTED not in traits and not warm_start:
        return (
            f"loss 'probability' from zero: {structure.outputs} is one of exponentially many outputs, "
            f"and the loss is flat there; start from the weights of a model trained with 'logistic' "
            f"(warm_start), or use 'logistic'"
        )
    return None
