"""AdaBoost: the exponential loss, one word at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

import linnet._core as _core
from linnet.learners.base import Learner
from linnet.learners.checks import check_dense
from linnet.structures import Problem, Solver, Trait, Weights

STUMPS = ("real", "discrete")


class BoostingSolver(Solver):
    """One round per epoch."""

    counts_mistakes = False

    def __init__(self, core: _core.AdaBoost, problem: Problem) -> None:
        self.core, self.problem = core, problem

    def learning(self) -> Any:
        """The solver of the core."""
        return self.core

    def epoch(self) -> _core.EpochStats:
        """Choose a stump; the objective is the mean exponential loss, the product of all Z."""
        return self.core.epoch()

    def weights(self) -> Weights:
        """Of the presence of features; stumps on one feature add up."""
        return np.array(self.core.weights)

    def facts(self) -> dict[str, Any]:
        """Stumps in their order, what they promise of the training error, and the margins.

        ``absent`` is what each stump answers where its feature is not there, by label; where it is, the
        weight is added. Margins are those of the gold label over the best other one, each between −1
        and 1: by the sum of the largest answers of all stumps (Schapire et al. 1998).
        """
        features, z, sizes, absent = self.core.stumps()
        rows, labels = self.problem.structure.labelled_rows()
        width = self.problem.width
        scores = _core.decision(rows, self.weights(), width, self.problem.threads)
        if width == 1:
            margins = np.where(labels > 0, scores[:, 0], -scores[:, 0])
        else:
            gold = scores[np.arange(len(labels)), labels]
            scores[np.arange(len(labels)), labels] = -np.inf
            margins = (gold - scores.max(axis=1)) / 2
        weights = self.problem.weights / self.problem.weights.sum()
        total = float(sizes.sum())
        at = np.quantile(margins, (0.0, 0.1, 0.5)) / total if total > 0 else np.zeros(3)
        return {
            "rounds": len(features),
            "bound": float(self.core.bound) * (1.0 if width == 1 else width / 2),
            "error": float(weights[margins <= 0].sum()),
            "margins": dict(zip(("smallest", "tenth", "median"), at.tolist(), strict=True)),
            "stumps": {
                "feature": features.tolist(),
                "z": z.tolist(),
                "absent": [float(f"{answer:.7g}") for answer in absent],  # short, as text in files
            },
        }


class AdaBoost(Learner):
    """AdaBoost over stumps that ask whether a feature is there (Freund & Schapire 1997).

    More labels than two are AdaBoost.MH (Schapire & Singer 1999): every pair of example and label is
    an example of its own, and a stump answers for all labels.

    - ``real``: where the feature is there, and where it is not, the answer is half the log odds of
      the weights on that side (Schapire & Singer 1999).
    - ``discrete``: the answer is ±α, one sign where it is there and the other where it is not, with
      α = ½ log((1 − error) / error).

    A stump is linear in the presence of its feature, and so is the sum of all. The training error is
    at most ∏ Z_t, for K > 2 labels at most K/2 times that. Both sides of odds have 1/(2nK) added, which
    keeps answers finite.
    """

    name: ClassVar[str] = "adaboost"
    family: ClassVar[str] = "boosting"
    losses: ClassVar[frozenset[str]] = frozenset({"exponential"})
    losses_why: ClassVar[str] = (
        "its weights of examples are those of loss 'exponential'; use it, or 'lbfgs' or 'sgd'"
    )
    penalties: ClassVar[frozenset[str]] = frozenset({"none"})
    penalties_why: ClassVar[str] = (
        "the number of rounds holds it back; use penalty='none' and max_iter, or learner 'lbfgs'"
    )
    bytes_per_weight: ClassVar[int] = 28  # two sums, a weight in double and in single precision
    warm_starts: ClassVar[bool] = False
    warm_starts_why: ClassVar[str] = (
        "weights of examples follow from all stumps since the first; use 'sgd'"
    )
    needs_unit_intercept: ClassVar[bool] = True  # it is what absence says
    each_label: ClassVar[bool] = True
    sharded_why: ClassVar[str] = "its stumps are chosen one after the other; use 'lbfgs' or 'newton'"
    epochs: ClassVar[int] = 500

    def __init__(self, stumps: str = "real") -> None:
        self.stumps = stumps

    @property
    def needs(self) -> Mapping[Trait, str]:
        """Stumps answer for labels."""
        return {Trait.LABELS: "a stump answers for each of a few labels; use 'adagrad' or 'lbfgs'"}

    def solver(self, problem: Problem) -> BoostingSolver:
        """Starts without a stump."""
        if self.stumps not in STUMPS:
            raise ValueError(f"stumps must be 'real' or 'discrete', not {self.stumps!r}")
        check_dense(self, problem)
        rows, labels = problem.structure.labelled_rows()
        smoothing = 1.0 / (2 * max(len(labels), 1) * problem.width)
        core = _core.AdaBoost(
            rows,
            labels,
            problem.weights,
            problem.width,
            self.stumps == "real",
            smoothing,
        )
        return BoostingSolver(core, problem)
