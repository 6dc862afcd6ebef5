"""The best assignment of two-valued variables by a minimum cut, where pairs prefer to agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import DataError

if TYPE_CHECKING:
    from linnet.graphs.answers import Packed


def why_no_cut(packed: Packed) -> str | None:
    """What keeps a graph from being cut; None if nothing does."""
    if (packed.sizes > 2).any():
        return "a variable has more than two values"
    widths = np.diff(packed.starts)
    if (widths > 2).any():
        return "a factor is over more than two variables"
    tables = _pair_tables(packed)
    if (tables == 0).any():
        return "a pair has an entry of zero"
    logs = np.log(tables)
    gain = logs[:, 0] + logs[:, 3] - logs[:, 1] - logs[:, 2]
    if (gain < -1e-12 * np.abs(logs).max(axis=1, initial=1.0)).any():
        return "some pair prefers to differ"
    return None


def _pairs(packed: Packed) -> NDArray[np.int64]:
    """Factors of two variables that have two values each."""
    wide = np.flatnonzero(np.diff(packed.starts) == 2)
    scopes = packed.members[packed.starts[wide][:, None] + np.arange(2)]
    return np.asarray(wide[(packed.sizes[scopes] == 2).all(axis=1)])


def _pair_tables(packed: Packed) -> NDArray[np.float64]:
    return np.asarray(packed.entries[packed.offsets[_pairs(packed)][:, None] + np.arange(4)])


def best_cut(packed: Packed, observed: NDArray[np.int32] | None) -> tuple[NDArray[np.int32], float]:
    """Values and log score. E = A + (C − A) x_u + (D − C) x_v + (B + C − A − D)(1 − x_u) x_v."""
    count = len(packed.sizes)
    energy = np.zeros((count, 2))
    with np.errstate(divide="ignore"):
        for f in np.flatnonzero(np.diff(packed.starts) == 1):
            v, begin = packed.members[packed.starts[f]], packed.offsets[f]
            size = int(packed.sizes[v])
            energy[v, :size] -= np.log(packed.entries[begin : begin + size])
        # A variable of one value in a pair leaves a table over the other one.
        pairs = _pairs(packed)
        alone = np.setdiff1d(np.flatnonzero(np.diff(packed.starts) == 2), pairs)
        for f in alone:
            scope = packed.members[packed.starts[f] : packed.starts[f + 1]]
            sizes = packed.sizes[scope]
            v = scope[int(np.argmax(sizes))]
            size = int(sizes.max())
            begin = packed.offsets[f]
            energy[v, :size] -= np.log(packed.entries[begin : begin + size])
    energy[packed.sizes == 1, 1] = np.inf
    if observed is not None:
        seen = np.flatnonzero(observed >= 0)
        energy[seen, 1 - observed[seen]] = np.inf
    if np.isinf(energy).all(axis=1).any():
        raise DataError("no assignment is possible: what is given contradicts the factors")
    scopes = packed.members[packed.starts[pairs][:, None] + np.arange(2)].astype(np.int32)
    a, b, c, d = -np.log(_pair_tables(packed)).T
    terminal = energy[:, 1] - energy[:, 0]
    np.add.at(terminal, scopes[:, 0], c - a)
    np.add.at(terminal, scopes[:, 1], d - c)
    sides = _core.minimum_cut(terminal, np.ascontiguousarray(scopes), np.maximum(b + c - a - d, 0.0))
    return sides, _score(packed, sides)


def _score(packed: Packed, codes: NDArray[np.int32]) -> float:
    """Of factors of one and two variables, all at once."""
    widths = np.diff(packed.starts)
    first = packed.members[packed.starts[:-1]]
    second = packed.members[np.minimum(packed.starts[:-1] + widths - 1, len(packed.members) - 1)]
    at = np.where(widths == 1, codes[first], codes[first] * packed.sizes[second] + codes[second])
    with np.errstate(divide="ignore"):
        return float(np.log(packed.entries[packed.offsets[:-1] + at]).sum())
