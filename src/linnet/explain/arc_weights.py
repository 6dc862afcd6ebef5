"""What a parser goes by: the largest weights of its features, by name.

Features of arcs are numbered by their hash, so that a weight has no name of its own. Names of the
largest ones are found again in sentences: the first arc with such a feature tells it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.trees import Trees
from linnet.features.arcs import ArcFeatures, CandidateArcs

Numbers = NDArray[np.int64]
BLOCK = 500  # sentences looked at at a time
Named = list[tuple[str, float]]


@dataclass(frozen=True)
class ArcWeights:
    """The features that speak most for and against an arc, and those that speak most for a relation."""

    arcs: dict[str, Named]  # top and bottom
    relations: dict[str, Named]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        rows = {"for an arc": self.arcs["top"], "against an arc": self.arcs["bottom"]} | self.relations
        return "\n".join(
            f"{title}: " + "   ".join(f"{name} {weight:.3g}" for name, weight in named)
            for title, named in rows.items()
        )


def largest(weights: NDArray[np.float32], top: int) -> Numbers:
    """Numbers of the features with the largest weights, and with the smallest."""
    order = np.argsort(weights, kind="stable")
    found = np.concatenate([order[:top], order[::-1][:top]])
    return np.unique(found[weights[found] != 0])


def find_names(
    features: ArcFeatures, numbers: Numbers, trees: Trees, arcs: CandidateArcs, *, in_tree: bool
) -> dict[int, str]:
    """Names of these features, from arcs that have them; ``in_tree``: templates look at the tree."""
    wanted = np.zeros(features.n_features, np.bool_)
    wanted[numbers] = True
    found: dict[int, str] = {}
    for begin in range(0, len(trees), BLOCK):
        if not wanted.any():
            break
        block = trees.take(np.arange(begin, min(begin + BLOCK, len(trees))))
        first, last = trees.offsets[begin], trees.offsets[min(begin + BLOCK, len(trees))]
        starts = arcs.starts[first : last + 1]
        part = CandidateArcs(
            np.ascontiguousarray(starts - starts[0]),
            np.ascontiguousarray(arcs.heads[starts[0] : starts[-1]]),
        )
        tokens = features.over(block)
        arc_rows, numbers_there = _first_arcs(tokens, part, block, wanted, in_tree)
        token_of_arc = np.repeat(np.arange(block.tokens), np.diff(part.starts))
        for arc in np.unique(arc_rows).tolist():
            t = int(token_of_arc[arc])
            sentence = int(np.searchsorted(block.offsets, t, side="right")) - 1
            b, e = block.offsets[sentence : sentence + 2].tolist()
            tree = block.heads[b:e] if in_tree else None
            named = tokens.names(sentence, int(part.heads[arc]), t - b + 1, tree)
            found |= {number: name for number, name in named if wanted[number]}
        wanted[numbers_there] = False
    return found


def _first_arcs(
    tokens: Any, arcs: CandidateArcs, trees: Trees, wanted: NDArray[np.bool_], in_tree: bool
) -> tuple[Any, Any]:
    """Arcs where wanted features are met first, and the numbers of those."""
    import linnet._core as _core

    rows = tokens.rows(arcs.starts, arcs.heads, trees.heads if in_tree else None)
    indptr, indices, _ = _core.rows_matrix(rows)
    places = np.flatnonzero(wanted[indices])
    numbers, at = np.unique(indices[places], return_index=True)
    first = places[at]
    return np.searchsorted(indptr, first, side="right") - 1, numbers


def arc_weights(
    weights: NDArray[np.float32],
    names: Mapping[int, str],
    relation_weights: NDArray[np.float32],
    relation_names: Mapping[int, str],
    relations: Iterable[str],
    top: int,
) -> ArcWeights:
    """Of the features that have names; both blocks of weights begin with the constant feature."""
    known = np.array(sorted(names), np.int64)
    order = known[np.argsort(-weights[known + 1], kind="stable")]
    named = [(names[j], float(weights[j + 1])) for j in order.tolist()]
    rows = {}
    known = np.array(sorted(relation_names), np.int64)
    for k, relation in enumerate(relations):
        column = relation_weights[known + 1, k]
        best = np.argsort(-column, kind="stable")[:top]
        rows[relation] = [
            (relation_names[int(known[i])], float(column[i])) for i in best if column[i] > 0
        ]
    arcs = {
        "top": [pair for pair in named if pair[1] > 0][:top],
        "bottom": [pair for pair in reversed(named) if pair[1] < 0][:top],
    }
    return ArcWeights(arcs, rows)
