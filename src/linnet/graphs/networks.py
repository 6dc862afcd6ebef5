"""Bayesian networks: tables of variables given their parents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet.errors import DataError

if TYPE_CHECKING:
    from linnet.graphs.graph import FactorGraph


def network(
    graph: FactorGraph,
    domains: Mapping[Any, int | Sequence[Any]],
    tables: Mapping[Any, tuple[Sequence[Any], ArrayLike]],
) -> FactorGraph:
    """Variables with P(variable | parents), checked."""
    for name, domain in domains.items():
        graph.add_variable(name, domain)
    check_parents({child: list(parents) for child, (parents, _) in tables.items()}, set(domains))
    for child, (parents, table) in tables.items():
        try:
            values = np.asarray(table, np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(f"P({child} | …) must be an array of numbers: {error}") from None
        scope = [graph.variables.number(name) for name in (*parents, child)]
        sizes = tuple(int(graph.sizes[v]) for v in scope)
        if values.shape != sizes:
            raise DataError(f"P({child} | …) must have the shape {sizes}, not {values.shape}")
        graph._add(np.array([scope], np.int32), values[None], conditional=True)
    return graph


def check_sums(tables: NDArray[np.float64], children: Sequence[Any]) -> None:
    """Every row of every table, one for each child, sums to one; files round their entries."""
    totals = tables.sum(axis=-1).reshape(len(tables), -1)
    off = np.abs(totals - 1)
    if off.size and off.max() > 1e-2:
        wrong = int(off.argmax())
        child = children[wrong // totals.shape[1]]
        raise DataError(f"P({child} | …) sums to {totals.flat[wrong]:.4g} somewhere, not to one")


def check_parents(parents: Mapping[Any, Sequence[Any]], known: set[Any]) -> None:
    """Every variable has a table, parents are known, and none is its own ancestor."""
    for name in known - set(parents):
        raise DataError(f"variable {name!r} has no table")
    waiting = {}
    children: dict[Any, list[Any]] = {}
    for child, above in parents.items():
        if child not in known:
            raise DataError(f"there is a table of {child!r}, which is no variable")
        for parent in above:
            if parent not in known:
                raise DataError(f"{child!r} has the parent {parent!r}, which is no variable")
            children.setdefault(parent, []).append(child)
        waiting[child] = len(above)
    ready = [child for child, count in waiting.items() if count == 0]
    done = 0
    while ready:
        name = ready.pop()
        done += 1
        for child in children.get(name, ()):
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    if done < len(parents):
        around = [str(child) for child, count in waiting.items() if count > 0]
        raise DataError(f"the parents go round in a circle, among {', '.join(around[:6])}")
