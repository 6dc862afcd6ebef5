"""What a parser goes by: the largest weights of its features, by name.

Features of arcs are numbered by their hash, so that a weight has no name of its own. Names of the
largest ones are found again in sentences: the first arc with such a feature tells it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.trees import Trees
from linnet.features.arcs import ArcFeatures, CandidateArcs

Numbers = NDArray[np.int64]
BLOCK = 500  # sentences looked at at a time
ROWS = 1 << 13  # of their arcs
Named = list[tuple[str, float]]
NamesOfRow = Callable[[int], list[tuple[int, str]]]


@dataclass(frozen=True)
class ArcWeights:
    """The features that speak most for and against an arc, and those that speak most for a relation.

    ``siblings`` are features of an arc and the modifier before it, in second order.
    """

    arcs: dict[str, Named]  # top and bottom
    siblings: dict[str, Named]  # top and bottom
    relations: dict[str, Named]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return "\n".join(
            f"{title}: " + "   ".join(f"{name} {weight:.3g}" for name, weight in named)
            for title, named in titled(self.to_dict()).items()
        )


def titled(weights: Mapping[str, Any]) -> dict[str, Named]:
    """Rows by what they speak of; ``weights`` are those of `ArcWeights.to_dict`."""
    arcs, siblings = weights["arcs"], weights["siblings"]
    rows = {"for an arc": arcs["top"], "against an arc": arcs["bottom"]}
    if siblings["top"] or siblings["bottom"]:
        rows |= {"for a sibling": siblings["top"], "against a sibling": siblings["bottom"]}
    rows |= weights["relations"]
    return rows


def largest(weights: NDArray[np.float32], top: int) -> Numbers:
    """Numbers of the features with the largest weights, and with the smallest."""
    order = np.argsort(weights, kind="stable")
    found = np.concatenate([order[:top], order[::-1][:top]])
    return np.unique(found[weights[found] != 0])


def find_names(
    features: ArcFeatures, numbers: Numbers, trees: Trees, arcs: CandidateArcs, *, in_tree: bool
) -> dict[int, str]:
    """Names of these features, from arcs that have them; ``in_tree``: templates look at the tree."""

    def rows_of(tokens: Any, block: Trees, part: CandidateArcs) -> tuple[Any, NamesOfRow]:
        token_of_arc = np.repeat(np.arange(block.tokens), np.diff(part.starts))

        def names(arc: int) -> list[tuple[int, str]]:
            t = int(token_of_arc[arc])
            sentence = int(np.searchsorted(block.offsets, t, side="right")) - 1
            b, e = block.offsets[sentence : sentence + 2].tolist()
            tree = block.heads[b:e] if in_tree else None
            named: list[tuple[int, str]] = tokens.names(sentence, int(part.heads[arc]), t - b + 1, tree)
            return named

        return tokens.rows(part.starts, part.heads, block.heads if in_tree else None), names

    return _find(features, numbers, trees, arcs, rows_of)


def find_sibling_names(
    features: ArcFeatures, numbers: Numbers, trees: Trees, arcs: CandidateArcs
) -> dict[int, str]:
    """The same of features of second order: of arcs and the sibling before."""

    def rows_of(tokens: Any, block: Trees, part: CandidateArcs) -> tuple[Any, NamesOfRow]:
        rows, first = _core.sibling_rows(tokens, part.starts, part.heads)
        parts = cache(partial(_sibling_parts, block, part))

        def names(row: int) -> list[tuple[int, str]]:
            sentence = int(np.searchsorted(first, row, side="right")) - 1
            head, modifier, sibling = parts(sentence)[row - int(first[sentence])]
            named: list[tuple[int, str]] = tokens.names(sentence, head, modifier, None, sibling)
            return named

        return rows, names

    return _find(features, numbers, trees, arcs, rows_of)


def _find(
    features: ArcFeatures, numbers: Numbers, trees: Trees, arcs: CandidateArcs, rows_of: Any
) -> dict[int, str]:
    """Some sentences at a time: ``rows_of`` them, and the names of the features of a row."""
    wanted = np.zeros(features.n_features, np.bool_)
    wanted[numbers] = True
    found: dict[int, str] = {}
    for begin in range(0, len(trees), BLOCK):
        if not wanted.any():
            break
        block, part = _block(trees, arcs, begin)
        rows, names = rows_of(features.over(block), block, part)
        where, numbers_there = _first_rows(rows, wanted)
        for row in np.unique(where).tolist():
            found |= {number: name for number, name in names(row) if wanted[number]}
        wanted[numbers_there] = False
    return found


def _block(trees: Trees, arcs: CandidateArcs, begin: int) -> tuple[Trees, CandidateArcs]:
    """Some sentences and their arcs."""
    end = min(begin + BLOCK, len(trees))
    starts = arcs.starts[trees.offsets[begin] : trees.offsets[end] + 1]
    part = CandidateArcs(
        np.ascontiguousarray(starts - starts[0]),
        np.ascontiguousarray(arcs.heads[starts[0] : starts[-1]]),
    )
    return trees.take(np.arange(begin, end)), part


def _sibling_parts(trees: Trees, arcs: CandidateArcs, sentence: int) -> list[tuple[int, int, int]]:
    """(head, modifier, sibling or 0) in the order of the rows of the core."""
    begin, end = trees.offsets[sentence : sentence + 2].tolist()
    heads = [  # the word before is always a candidate
        sorted({*arcs.heads[arcs.starts[t] : arcs.starts[t + 1]].tolist(), t - begin})
        for t in range(begin, end)
    ]
    parts = []
    for modifier, candidates in enumerate(heads, 1):
        for head in candidates:
            between = range(min(head, modifier) + 1, max(head, modifier))
            siblings = [s for s in between if head in heads[s - 1]]
            parts += [(head, modifier, s) for s in (0, *siblings)]
    return parts


def _first_rows(rows: Any, wanted: NDArray[np.bool_]) -> tuple[Any, Any]:
    """Rows where wanted features are met first, and the numbers of those."""
    wanted = wanted.copy()
    where, numbers = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
    for begin in range(0, rows.size, ROWS):  # in memory at a time
        indptr, indices, _ = rows.arrays(begin, min(begin + ROWS, rows.size))
        places = np.flatnonzero(wanted[indices])
        there, at = np.unique(indices[places], return_index=True)
        where.append(begin + np.searchsorted(indptr, places[at], side="right") - 1)
        numbers.append(there)
        wanted[there] = False
    return np.concatenate(where), np.concatenate(numbers)


def arc_weights(
    weights: NDArray[np.float32],
    names: Mapping[int, str],
    relation_weights: NDArray[np.float32],
    relation_names: Mapping[int, str],
    relations: Iterable[str],
    top: int,
    sibling_names: Mapping[int, str] | None = None,
) -> ArcWeights:
    """Of the features that have names; both blocks of weights begin with the constant feature."""
    rows = {}
    known = np.array(sorted(relation_names), np.int64)
    for k, relation in enumerate(relations):
        column = relation_weights[known + 1, k]
        best = np.argsort(-column, kind="stable")[:top]
        rows[relation] = [
            (relation_names[int(known[i])], float(column[i])) for i in best if column[i] > 0
        ]
    arcs, siblings = (_extremes(weights, some, top) for some in (names, sibling_names or {}))
    return ArcWeights(arcs, siblings, rows)


def _extremes(weights: NDArray[np.float32], names: Mapping[int, str], top: int) -> dict[str, Named]:
    known = np.array(sorted(names), np.int64)
    order = known[np.argsort(-weights[known + 1], kind="stable")]
    named = [(names[j], float(weights[j + 1])) for j in order.tolist()]
    return {
        "top": [pair for pair in named if pair[1] > 0][:top],
        "bottom": [pair for pair in reversed(named) if pair[1] < 0][:top],
    }
