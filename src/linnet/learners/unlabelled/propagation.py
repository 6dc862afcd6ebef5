"""Labels that spread over a graph of nearest neighbours (Zhou et al. 2004)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 23  # similarities at a time


def neighbour_graph(vectors: NDArray[np.float32], neighbours: int = 15) -> Any:
    """A symmetric sparse matrix: cos³ between each vector and its nearest ones, 0 elsewhere."""
    from scipy.sparse import csr_array

    n = len(vectors)
    k = min(neighbours, n - 1)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = vectors / np.where(lengths > 0, lengths, 1)
    places = np.empty((n, k), dtype=np.int32)
    near = np.empty((n, k), dtype=np.float32)
    step = max(1, BLOCK // max(n, 1))
    for begin in range(0, n, step):
        cosines = units[begin : begin + step] @ units.T
        own = np.arange(len(cosines))
        cosines[own, begin + own] = -np.inf
        best = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
        places[begin : begin + step] = best
        near[begin : begin + step] = np.take_along_axis(cosines, best, axis=1)
    weights = np.maximum(near, 0).astype(np.float64).ravel() ** 3
    owners = np.repeat(np.arange(n), k)
    graph = csr_array((weights, (owners, places.ravel())), shape=(n, n))
    return graph.maximum(graph.T).tocsr()


def spread(
    graph: Any, given: NDArray[np.float64], alpha: float = 0.99, max_iter: int = 50
) -> NDArray[np.float64]:
    """F = (1 − α)(I − αS)⁻¹ Y by iteration of F ← αSF + (1 − α)Y, where S = D^−½ W D^−½.

    ``given`` Y is (n, labels), rows of zeros where a label is unknown. The answer is scaled so that all
    labels have the same mass, and each row sums to 1, or to 0 where nothing has arrived.
    """
    from scipy.sparse import diags_array

    degrees = np.asarray(graph.sum(axis=1)).ravel()
    roots = diags_array(np.divide(1, np.sqrt(degrees), out=np.zeros(len(degrees)), where=degrees > 0))
    steps = (roots @ graph @ roots).tocsr()
    found = given.astype(np.float64)
    for _ in range(max_iter):
        found = alpha * (steps @ found) + (1 - alpha) * given
    found = _shares(found, axis=0)
    return _shares(found, axis=1)


def _shares(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    sums = values.sum(axis=axis, keepdims=True)
    return np.asarray(np.divide(values, sums, out=np.zeros_like(values), where=sums > 0))
