"""What belief propagation believes: an approximation, and how far it came."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import DataError
from linnet.graphs.domains import Given, Variables

if TYPE_CHECKING:
    from linnet.graphs.answers import Packed

Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Beliefs:
    """Messages after belief propagation; ``exact`` is true of trees that settled alone."""

    variables: Variables
    settled: bool  # no message moved by more than tol in the last round
    rounds: int
    change: float  # the largest of the last round
    exact: bool
    maximise: bool
    core: _core.Beliefs

    @classmethod
    def run(
        cls,
        variables: Variables,
        packed: Packed,
        given: Given | None,
        maximise: bool,
        schedule: str,
        damping: float,
        max_rounds: int,
        tol: float,
    ) -> Beliefs:
        """Send messages until they settle, or as often as they may be sent."""
        entries = _clamped(packed, variables.observed(given))
        core = _core.Beliefs(packed.sizes, packed.starts, packed.members, entries, maximise)
        try:
            settled, rounds, change = core.run(schedule, max_rounds, tol, damping)
        except ValueError as error:
            raise DataError(str(error)) from None
        exact = bool(settled) and _is_forest(packed)
        return cls(variables, settled, rounds, change, exact, maximise, core)

    def marginals(self) -> dict[Any, Reals]:
        """What is believed of every variable: shares of one, or relative to the best value."""
        return self.variables.split(self.core.variables())

    def best(self) -> dict[Any, Any]:
        """The value of each variable that is believed in most; the best assignment only if exact."""
        return {
            name: self.variables.domains[self.variables.numbers[name]][int(np.argmax(belief))]
            for name, belief in self.marginals().items()
        }

    @property
    def log_partition(self) -> float:
        """Bethe's approximation of log Z."""
        if self.maximise:
            raise DataError("messages that maximise know nothing of sums; use maximise=False")
        return float(self.core.bethe)


def _clamped(packed: Packed, observed: NDArray[np.int32] | None) -> Reals:
    """Entries that contradict what is given are zero; each table is divided by its largest, which the
    messages do not see, but for the sum of logarithms that Bethe's approximation needs.
    """
    if observed is None:
        return packed.entries
    entries = packed.entries.copy()
    for f in range(len(packed.starts) - 1):
        scope = packed.members[packed.starts[f] : packed.starts[f + 1]]
        if not (observed[scope] >= 0).any():
            continue
        table = entries[packed.offsets[f] : packed.offsets[f + 1]].reshape(packed.sizes[scope])
        for axis, v in enumerate(scope):
            if observed[v] >= 0:
                wrong = np.arange(packed.sizes[v]) != observed[v]
                np.moveaxis(table, axis, 0)[wrong] = 0
    return entries


def _is_forest(packed: Packed) -> bool:
    """Has the graph of factors and variables no cycle? Then it has fewer edges than nodes, by one for
    each of its parts.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    factors, variables = len(packed.starts) - 1, len(packed.sizes)
    owners = np.repeat(np.arange(factors), np.diff(packed.starts))
    nodes = factors + variables
    edges = coo_array((np.ones(len(owners)), (owners, factors + packed.members)), shape=(nodes, nodes))
    parts, _ = connected_components(edges, directed=False)
    return len(owners) == nodes - int(parts) and not math.isnan(parts)
