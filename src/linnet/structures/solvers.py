"""Solvers of the core that certify their result by a duality gap."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

import linnet._core as _core
from linnet.structures.problem import Solver, Weights


class CertifiedCore(Protocol):
    """What the core has to offer."""

    def epoch(self) -> _core.EpochStats:
        """Make a pass."""

    def certify(self) -> _core.EpochStats:
        """Objective and gap."""

    @property
    def weights(self) -> Any:
        """An array in the layout of the structure."""

    @property
    def support(self) -> Any:
        """Indices of instances."""


class MarginCore(CertifiedCore, Protocol):
    """Of a loss that is a margin, which may be hard."""

    @property
    def separable(self) -> bool | None:
        """True: weights have all hard margins; False: it is proved that none do."""


class CertifiedSolver(Solver):
    """A solver of the core that knows its gap."""

    def __init__(self, core: CertifiedCore, *, counts_mistakes: bool = True) -> None:
        self.core = core
        self.counts_mistakes = counts_mistakes

    def learning(self) -> Any:
        """The solver of the core."""
        return self.core

    def epoch(self) -> _core.EpochStats:
        """One pass over the instances that are not shrunk away."""
        return self.core.epoch()

    def certify(self) -> _core.EpochStats:
        """Over all instances; passes compute it only when it promises to be small enough."""
        return self.core.certify()

    def weights(self) -> Weights:
        """Read off the dual variables; not copied, which would cost as much as several passes."""
        return np.asarray(self.core.weights).reshape(-1)

    def facts(self) -> dict[str, Any]:
        """Support vectors: instances with some dual mass on a wrong output."""
        return {"support_vectors": np.asarray(self.core.support)}


class MarginSolver(CertifiedSolver):
    """One whose margins may be hard: they may turn out to be impossible."""

    core: MarginCore

    def __init__(self, core: MarginCore, *, counts_mistakes: bool = True) -> None:
        super().__init__(core, counts_mistakes=counts_mistakes)

    def epoch(self) -> _core.EpochStats:
        """It ends when there is nothing to converge to; the trainer says so."""
        stats = super().epoch()
        stats.converged |= self.core.separable is False and not stats.paused
        return stats

    def facts(self) -> dict[str, Any]:
        """Support vectors, and whether hard margins can be had if that is known."""
        known = self.core.separable
        return super().facts() | ({} if known is None else {"separable": known})
