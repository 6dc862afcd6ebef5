"""The baseline of parsers: a generative model whose probabilities are counted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linnet.data.matrix import rows_arrays
from linnet.data.trees import Trees
from linnet.features.arcs import ArcFeatures, CandidateArcs
from linnet.model.trees import TreeModel

DISTANCES = 10  # buckets


def count_parser(
    trees: Trees,
    tag: str = "upos",
    alpha: float = 1.0,
    projective: bool = True,
    single_root: bool = True,
    hash_bits: int = 18,
) -> TreeModel:
    """A head makes its modifiers one by one: P(tag of m, direction, distance | tag of h).

    Probabilities are (count + alpha) / (count of the head's tag + alpha · outcomes), so that the score
    of a tree is the logarithm of its probability, but for trees that cannot be.
    """
    if not alpha > 0:
        raise ValueError("alpha must be positive")
    event, given = f"h.{tag} m.{tag} direction distance", f"h.{tag}"
    both = ArcFeatures(templates=[event, given], hash_bits=hash_bits).compile(trees.columns)
    gold, every = CandidateArcs.of_tree(trees.heads), CandidateArcs.all(trees.offsets)
    [column] = both.columns
    outcomes = len(trees.columns[column].codes()[1]) * 2 * DISTANCES

    def numbers(template: str, arcs: CandidateArcs) -> NDArray[np.int32]:
        one = ArcFeatures(templates=[template], hash_bits=hash_bits).compile(trees.columns)
        _, found, _ = rows_arrays(one.rows(trees, arcs))
        return found

    size = both.n_features
    events = np.bincount(numbers(event, gold), minlength=size)
    heads = np.bincount(numbers(given, gold), minlength=size)
    weights = np.full(size + 1, np.log(alpha), np.float32)
    weights[1:] = np.log(events + alpha)
    possible = np.unique(numbers(given, every))
    weights[1 + possible] = -np.log(heads[possible] + alpha * outcomes)
    return TreeModel(both, weights, projective, single_root)
