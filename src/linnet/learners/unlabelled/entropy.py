"""Entropy regularisation: certainty where there are no labels (Grandvalet, Bengio 2005).

Over chains it is that of Jiao, Wang, Lee, Greiner and Schuurmans (2006): the algorithm sees
no structure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

import linnet._core as _core
from linnet._params import number, whole
from linnet.engines import Workers
from linnet.learners.batch import LBFGS, whole_objective
from linnet.structures import Problem


class EntropyRegularised(LBFGS):
    """L-BFGS for P(w) + C λ (n/m) Σ_u H(p(·|x_u; w)) over n labelled and m other instances.

    The first ``labelled`` instances of the problem are the n. The others count the same as these at
    λ = 1, however many there are. What is given as their labels makes no difference.

    The objective has many minima. The first step from zero is that of the labels alone: there the
    entropies are largest and have no slope.
    """

    name: ClassVar[str] = "entropy"
    sparse: ClassVar[bool] = False
    splits: ClassVar[bool] = False
    sharded: ClassVar[bool] = False
    sharded_why: ClassVar[str] = "it wants the labelled instances in one place"
    losses: ClassVar[frozenset[str]] = frozenset({"logistic"})
    losses_why: ClassVar[str] = "entropies are those of probabilities; use loss='logistic'"

    def __init__(self, labelled: int, weight: float = 0.03, history: int = 5) -> None:
        super().__init__(history)
        self.labelled = labelled
        self.weight = weight

    def objective(self, problem: Problem) -> tuple[_core.Objective, Workers | None]:
        """Two sums over one block of weights."""
        known, size = whole("labelled", self.labelled, 1), problem.structure.size
        weight = number(self.weight)
        if not 0 <= weight < np.inf:
            raise ValueError(f"weight must be a number of 0 or more, not {self.weight!r}")
        given = replace(problem.part(0, known), threads=problem.threads)
        others = replace(problem.part(known, size), threads=problem.threads)
        if others.structure.partial:
            structure: Any = others.structure
            others = replace(
                others, structure=replace(structure, labels=np.zeros_like(structure.labels))
            )
        m = others.total_weight
        each = weight * problem.C * given.total_weight / m if m > 0 else 0.0
        return (
            _core.EntropyObjective(
                whole_objective(given, given.costs, problem.l2),
                whole_objective(others, others.weights, 0.0),
                each,
            ),
            None,
        )
