"""Settings along the axes of the grid, checked together, and what 'auto' means among them."""

from __future__ import annotations

import numbers
import sys
from typing import Any

import numpy as np

from linnet import engines
from linnet._params import Params, number, whole
from linnet.learners import Averaging, Mixing
from linnet.learners.base import Learner
from linnet.losses import LOSSES
from linnet.regularisers import strengths
from linnet.structures import Cell, Structure
from linnet.training import grid

# What takes the place of learners that go through the data one by one.
ON_SHARDS: dict[str, str | Learner] = {
    "coordinate": "owlqn",
    "perceptron": Mixing("perceptron"),
    "sgd": Averaging("sgd"),
    "frank_wolfe": Averaging("frank_wolfe"),
}


# Several labels by problems of two; does each of these have a vote, or are margins summed?
REDUCTIONS = {
    "pairs": False,
    "pairs_votes": True,
    "ecoc": False,
    "ecoc_votes": True,
    "kesler": False,
}


# What becomes of the hypotheses of an online learner, beside the last of them and their average.
HYPOTHESES = ("voted", "survivor")


class GridSettings(Params):
    """Settings along the axes of the grid, checked together."""

    loss: str
    learner: str | Learner
    penalty: str
    C: float
    alpha: float | None
    l1_ratio: float
    margin: float
    multiclass: str = "auto"
    average: Any
    penalize_intercept: bool
    fit_intercept: bool
    intercept_scaling: float
    random_state: Any
    warm_start: bool
    tol: float
    max_iter: int | None

    def _learner(self, few_features: bool = False, candidates: bool = False) -> Learner:
        """The learner in use; 'auto' may depend on the shape of the data."""
        grid.check_names(self.loss, self.penalty)
        if self.learner == "auto":
            hard_margin = self.alpha is None and np.inf == self.C
            if hard_margin and self.loss in ("hinge", "squared_hinge"):
                return grid.resolve("frank_wolfe" if candidates else "dual")
            free = self.fit_intercept and not self.penalize_intercept
            online = self._averages() or self._kept() is not None
            primal = candidates or self.warm_start  # dual variables are of no use there
            name = _automatic(self.loss, self.penalty, online, few_features, candidates, primal, free)
            if name == "coordinate" and self.penalty == "elasticnet" and self.l1_ratio == 0:
                name = "owlqn"  # no L1 makes zeros for working sets to leave out
            return grid.resolve(name if engines.in_use() is None else ON_SHARDS.get(name, name))
        return grid.resolve(self.learner, float(self.C) if number(self.C) > 0 else None)

    def _split_labels(self) -> bool | None:
        """As `Problem.split` has it."""
        known: dict[str, bool | None] = {"auto": None, "joint": False, "rest": True}
        known |= dict.fromkeys(REDUCTIONS)
        if self.multiclass not in known:
            names = ", ".join(map(repr, known))
            raise ValueError(f"multiclass must be one of {names}, not {self.multiclass!r}")
        return known[self.multiclass]

    def _cell(self, structure: type[Structure]) -> Cell:
        return Cell(
            structure,
            self.loss,
            self.penalty,
            self._averages(),
            self.penalize_intercept,
            self.warm_start,
        )

    def _averages(self) -> bool:
        """Is it the average of all weight vectors that is wanted?"""
        if self.average in HYPOTHESES and isinstance(self.average, str):
            return False
        if not isinstance(self.average, (bool, np.bool_)):
            names = " or ".join(map(repr, HYPOTHESES))
            raise ValueError(f"average must be True, False, {names}, not {self.average!r}")
        return bool(self.average)

    def _kept(self) -> str | None:
        """The hypotheses that are kept, as `Problem.hypotheses` has it."""
        return None if isinstance(self.average, (bool, np.bool_)) else str(self.average)

    def _strengths(self, total_weight: float, learner: Learner) -> tuple[float, float, float]:
        """(l1, l2, C); with ``alpha`` the mean loss is penalised: C = 1 / (alpha · Σ weights)."""
        l1, l2 = strengths(self.penalty, self.l1_ratio)
        self._check_effects(learner)
        if self.alpha is None:
            if not number(self.C) > 0:
                raise ValueError(f"C must be positive (inf for a hard margin), not {self.C!r}")
            if np.isinf(float(self.C)) and not learner.hard_margin:
                raise ValueError(
                    f"C = inf asks for a hard margin, which {learner.name} does not have; use a finite "
                    f"C, penalty='none', or a hinge loss with the learners 'dual' or 'frank_wolfe'"
                )
            return l1, l2, float(self.C)
        if not 0 < number(self.alpha) < float("inf"):
            raise ValueError(f"alpha must be positive, not {self.alpha!r}; penalty='none' has none")
        strength = float(self.alpha) * total_weight
        if not strength > 1 / sys.float_info.max:
            raise ValueError(
                f"alpha={self.alpha!r} is beyond the range of numbers for weights that sum to "
                f"{total_weight:g}; use a larger alpha, or larger weights"
            )
        return l1, l2, 1.0 / strength

    def _check_effects(self, learner: Learner) -> None:
        """A setting that would change nothing is refused."""
        C, free = number(self.C), self.penalty == "none"
        if free and self.alpha is not None:
            raise ValueError(f"alpha={self.alpha!r} has no effect with penalty='none'; leave it out")
        if free and not learner.has_own_C() and C not in (1.0, np.inf):
            raise ValueError(
                f"C={self.C!r} has no effect: there is no penalty to weigh the data against, and "
                f"{learner.name} has no C of its own; leave it out"
            )
        if learner.has_own_C() and C not in (1.0, own := number(getattr(learner, "C", 1.0))):
            raise ValueError(
                f"C={self.C!r} has no effect: {learner.name} has a C of its own, {own:g}; set it there"
            )
        if self.penalty != "elasticnet" and number(self.l1_ratio) != 0.5:
            raise ValueError(
                f"l1_ratio={self.l1_ratio!r} has no effect with penalty={self.penalty!r}; it is the "
                f"share of L1 in 'elasticnet'"
            )
        if LOSSES[self.loss].cost == 0 and self._margin() != 1.0:
            raise ValueError(
                f"margin={self.margin!r} has no effect: loss {self.loss!r} asks for none; use 'hinge', "
                f"'squared_hinge' or 'softmax_margin'"
            )

    @property
    def _bias(self) -> float:
        if self._learner().needs_unit_intercept:
            return 1.0  # its weight is the threshold
        scaling = self.intercept_scaling
        if not 0 < number(scaling) < float("inf"):
            raise ValueError(f"intercept_scaling must be a positive number, not {scaling!r}")
        return float(self.intercept_scaling) if self.fit_intercept else 0.0

    def _tolerance(self) -> float:
        if not 0 <= number(self.tol) < float("inf"):
            raise ValueError(f"tol must be a number of 0 or more, not {self.tol!r}")
        return float(self.tol)

    def _margin(self) -> float:
        if not 0 <= number(self.margin) < float("inf"):
            raise ValueError(f"margin must be a number of 0 or more, not {self.margin!r}")
        return float(self.margin)

    def _seed(self) -> int:
        if isinstance(self.random_state, bool):
            raise ValueError(f"random_state must be a whole number, not {self.random_state!r}")
        if isinstance(self.random_state, numbers.Integral):
            return int(self.random_state) & 0xFFFFFFFFFFFFFFFF
        from sklearn.utils import check_random_state

        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _limit(self, learner: Learner) -> int:
        if self.max_iter is None:
            # what survives examples that were learnt from proves nothing: one pass
            return 1 if self.average == "survivor" else learner.epochs
        return whole("max_iter", self.max_iter)


class Axes(GridSettings):
    """The settings of one training, nothing left to 'auto', for estimators of structures."""

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
        tol: float,
        random_state: Any,
        warm_start: bool = False,
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
        self.tol = tol
        self.random_state = random_state
        self.warm_start = warm_start


def few_features(X: Any) -> bool:
    """Few enough for second-order steps, which then beat going through the instances one by one."""
    return int(X.shape[1]) <= 1000


def _automatic(
    loss: str,
    penalty: str,
    average: bool,
    few: bool,
    candidates: bool,
    primal: bool,
    free_intercept: bool,
) -> str:
    """A fast learner for the cell, exact where the loss allows it."""
    if loss == "joint_likelihood":
        return "counting"
    if loss == "perceptron" and penalty == "none":
        return "perceptron"
    kinks = candidates and loss == "squared_hinge"  # smooth for two labels only
    if average or kinks or loss in ("perceptron", "probability"):
        return "sgd"
    if penalty in ("l1", "elasticnet"):
        if loss in ("logistic", "squared_hinge"):
            return "owlqn" if candidates else "coordinate"
        return "owlqn" if LOSSES[loss].smooth else "sgd"
    if penalty == "l2" and loss in ("hinge", "squared_hinge", "logistic") and not primal:
        if loss == "hinge":
            return "dual"
        return "newton" if few or free_intercept else "dual"
    return "lbfgs" if LOSSES[loss].smooth else "sgd"
