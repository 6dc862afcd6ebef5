"""What memory-based classifiers and taggers have in common: how near is near, and who votes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linnet._params import whole
from linnet.model.instances import (
    ALGORITHMS,
    DECAYS,
    METRICS,
    WEIGHTS,
    Codes,
    Column,
    HowNear,
    InstanceModel,
)
from linnet.training import TrainingRecord


class MemorySettings:
    """Settings of IB1 and IGTree, and a model of them."""

    k: int
    metric: str
    weights: Any
    decay: str
    decay_a: float
    decay_b: float
    rare: int
    algorithm: str

    def how_near(self) -> HowNear:
        """The settings, checked."""
        for name, known in (("metric", METRICS), ("decay", DECAYS), ("algorithm", ALGORITHMS)):
            given = getattr(self, name)
            if not isinstance(given, str) or given not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {given!r:.60}")
        if isinstance(self.weights, str) and self.weights not in WEIGHTS:
            raise ValueError(
                f"weights must be one of {', '.join(WEIGHTS)}, or a number for each feature, not "
                f"{self.weights!r:.60}"
            )
        for name in ("decay_a", "decay_b"):
            given = getattr(self, name)
            if not isinstance(given, (int, float)) or not (math.isfinite(given) and given > 0):
                raise ValueError(f"{name} must be a positive number, not {given!r:.60}")
        k, rare = whole("k", self.k, 1), whole("rare", self.rare, 1)
        self._check_effect()
        return HowNear(
            k,
            self.metric,
            self.decay,
            float(self.decay_a),
            float(self.decay_b),
            rare,
            self.algorithm,
        )

    def _check_effect(self) -> None:
        """What would change nothing is a misunderstanding."""
        if self.decay != "exponential" and (self.decay_a, self.decay_b) != (1.0, 1.0):
            raise ValueError("decay_a and decay_b are of decay='exponential' only")
        if self.metric != "mvdm" and self.rare != 1:
            raise ValueError("rare is of metric='mvdm' only")
        if self.algorithm == "igtree":
            if (self.k, self.metric, self.decay) != (1, "overlap", "equal"):
                raise ValueError(
                    "algorithm='igtree' follows equal values to one node: k, metric and decay are of "
                    "'ib1' only; it goes with k=1, metric='overlap' and decay='equal'"
                )
            if isinstance(self.weights, str) and self.weights == "none":
                raise ValueError("algorithm='igtree' tests features by weight; weights='none' has none")

    def remember(
        self, names: list[str], columns: list[Column], labels: Codes, n_labels: int
    ) -> InstanceModel:
        """The model of some instances."""
        how = self.how_near()
        given = self.weights
        if not isinstance(given, str):
            given = np.asarray(given, np.float64)
            if given.shape != (len(names),) or not (np.isfinite(given) & (given >= 0)).all():
                raise ValueError(
                    f"weights: {len(names)} features need a number each that is not negative"
                )
        return InstanceModel.learn(names, columns, labels, n_labels, given, how)

    def record(self, model: InstanceModel) -> TrainingRecord:
        """That nothing was optimised."""
        made = TrainingRecord("none", model.how.algorithm, "none", "instances", 0.0, 0.0)
        made.stopped = "converged"
        made.facts = {
            "weights": dict(zip(model.names, model.weights.tolist(), strict=True)),
        }
        return made
