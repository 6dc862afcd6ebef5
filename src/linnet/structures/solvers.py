"""Solvers of the core that certify their result by a duality gap."""

from __future__ import annotations

from typing import Any

import numpy as np

import linnet._core as _core
from linnet.structures.problem import Solver, Weights


class CertifiedSolver(Solver):
    """A solver of the core with ``epoch``, ``certify``, ``weights``, ``support`` and ``separable``."""

    def __init__(self, core: Any, *, counts_mistakes: bool = True) -> None:
        self.core = core
        self.counts_mistakes = counts_mistakes

    def epoch(self) -> _core.EpochStats:
        """One pass over the instances that are not shrunk away."""
        stats: _core.EpochStats = self.core.epoch()
        if not getattr(self.core, "separable", True):
            stats.converged = True  # there is nothing to converge to; the trainer says so
        return stats

    def certify(self) -> _core.EpochStats:
        """Over all instances; passes compute it only when it promises to be small enough."""
        stats: _core.EpochStats = self.core.certify()
        return stats

    def weights(self) -> Weights:
        """Read off the dual variables; not copied, which would cost as much as several passes."""
        return np.asarray(self.core.weights).reshape(-1)

    def facts(self) -> dict[str, Any]:
        """Support vectors: instances with some dual mass on a wrong output."""
        found = {"support_vectors": np.asarray(self.core.support)}
        separable = getattr(self.core, "separable", None)
        return found if separable is None else found | {"separable": separable}
