"""Where the weights of graphs with hidden variables begin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.structures import Graph

SPREAD = 0.5  # random weights are between this and its negative


def start(structure: Graph, loss: str, seed: int) -> NDArray[np.float64] | None:
    """Random weights of templates with a variable that no graph tells; None if all are told.

    From zero the values of a hidden variable would stay alike: the gradient is the same for each.
    Tables of probabilities have a start of their own, and 'probability' is not learnt from any but the
    user's.
    """
    if loss in ("joint_likelihood", "probability"):
        return None
    flat = np.zeros(structure.layout.dim)
    rng = np.random.default_rng(seed)
    for block, place in zip(structure.blocks, structure.layout.blocks, strict=True):
        first = np.repeat(structure.offsets[:-1], np.diff(block.starts))
        told = structure.values[first[:, None] + block.scopes] >= 0
        if len(told) and not told.any(axis=0).all():
            weights = place.of(flat)
            weights[...] = rng.uniform(-SPREAD, SPREAD, weights.shape)
    return flat if flat.any() else None
