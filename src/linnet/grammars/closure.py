"""Chains of unary rules: from each symbol to each other, the best chain or the sum of all.

U is the matrix of weights of unary rules A → B. The best closure is the largest product over chains,
which Floyd and Warshall's recursion finds; the sum is I + U + U² + … = (I − U)⁻¹, as long as it exists.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

Array = NDArray[np.float64]
SLACK = 1e-9


@dataclass(frozen=True)
class UnaryClosure:
    """Weights of chains among the symbols that unary rules speak of; a symbol leads to itself by 1."""

    names: list[str]
    symbols: NDArray[np.int64]  # their numbers in the grammar
    weights: Array  # (symbols, symbols): from, to
    steps: NDArray[np.int64] | None  # of the best chain from i to j the first step; -1: there is none

    def weight(self, first: str, last: str) -> float:
        """Of chains from one symbol to another."""
        if first not in self.names or last not in self.names:
            return float(first == last)
        return float(self.weights[self.names.index(first), self.names.index(last)])

    def chain(self, first: str, last: str) -> list[str]:
        """The symbols of the best chain, both ends among them; empty if there is none."""
        if self.steps is None:
            raise ValueError("chains are those of the best closure, not of the sum")
        if first == last:
            return [first]
        if self.weight(first, last) == 0:
            return []
        at, end = self.names.index(first), self.names.index(last)
        found = [first]
        while at != end:
            at = int(self.steps[at, end])
            found.append(self.names[at])
        return found


def closed(names: list[str], rules: NDArray[np.int64], weights: Array, kind: str) -> UnaryClosure:
    """Of rules (from, to); ``kind`` is 'best' or 'sum'."""
    if kind not in ("best", "sum"):
        raise ValueError(f"a closure is of the 'best' chain or the 'sum' of all; not {kind!r}")
    symbols, inverse = np.unique(rules, return_inverse=True)
    pairs = inverse.reshape(-1, 2)
    matrix = np.zeros((len(symbols), len(symbols)))
    matrix[pairs[:, 0], pairs[:, 1]] = weights
    own = [names[k] for k in symbols.tolist()]
    if kind == "sum":
        return UnaryClosure(own, symbols, _summed(matrix, own), None)
    best, steps = _best(matrix, own)
    return UnaryClosure(own, symbols, best, steps)


def _best(matrix: Array, names: list[str]) -> tuple[Array, NDArray[np.int64]]:
    best = matrix.copy()
    np.fill_diagonal(best, np.maximum(1.0, best.diagonal()))
    count = len(best)
    steps = np.where(matrix > 0, np.arange(count)[None, :], -1)
    for k in range(count):
        through = best[:, k, None] * best[None, k, :]
        better = through > best * (1 + SLACK)
        steps = np.where(better, steps[:, k, None], steps)
        best = np.where(better, through, best)
        if (best.diagonal() > 1 + SLACK).any():
            name = names[int(np.argmax(best.diagonal()))]
            raise DataError(
                f"unary rules lead from {name!r} back to itself with a weight above 1, so "
                f"that there is no best chain; make their weights smaller"
            )
    return best, steps


def _summed(matrix: Array, names: list[str]) -> Array:
    """(I − U)⁻¹; for U ≥ 0 the sum of powers exists if and only if the inverse is nowhere negative."""
    identity = np.eye(len(matrix))
    try:
        total = np.linalg.solve(identity - matrix, identity)
    except np.linalg.LinAlgError:
        total = -identity
    if not np.isfinite(total).all() or (total < -SLACK).any():
        row = names[int(np.argmax(matrix.sum(axis=1)))] if names else ""
        raise DataError(
            f"unary rules lead in circles with weights that have no sum, such as those of {row!r}; "
            f"make them smaller, or take the best chain"
        )
    return np.asarray(np.maximum(total, 0.0))
