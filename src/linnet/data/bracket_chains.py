"""One bracket for each span: labels over the same words are one label, a chain from outer to inner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from linnet.data.brackets import Brackets
from linnet.data.examples import LabelColumn
from linnet.data.sequences import Sequences, tag_column

Chain = tuple[str, ...]  # labels, the outer one first
Spans = NDArray[np.int32]


@dataclass(frozen=True)
class ChainedBrackets:
    """Bracket k is ``names[codes[k]]`` over words [begins[k], ends[k]) of its sentence.

    Those of sentence i are ``starts[i]:starts[i + 1]``, in the order in which they open.
    """

    starts: NDArray[np.int64]
    begins: Spans
    ends: Spans
    codes: Spans
    names: list[Chain]

    @classmethod
    def of(cls, trees: Brackets, names: Sequence[Chain] | None = None) -> ChainedBrackets:
        """Of trees; names go by how frequent they are, unless they are given.

        Chains that are not among those given have the code -1.

        >>> trees = Brackets.from_nested([("S", ("VP", ("VB", "sing"), ("RB", "softly")))])
        >>> ChainedBrackets.of(trees).names
        [('S', 'VP')]
        """
        again = np.zeros(trees.constituents, np.bool_)  # the same span as the one before
        again[1:] = (
            (trees.sentences[1:] == trees.sentences[:-1])
            & (trees.begins[1:] == trees.begins[:-1])
            & (trees.ends[1:] == trees.ends[:-1])
        )
        first = np.flatnonzero(~again)
        bounds = [*first.tolist(), trees.constituents]
        labels = trees.labels.values()
        chains = [tuple(labels[a:b]) for a, b in pairwise(bounds)]
        if names is None:
            counts: dict[Chain, int] = {}
            for chain in chains:
                counts[chain] = counts.get(chain, 0) + 1
            names = sorted(counts, key=lambda chain: (-counts[chain], chain))
        code = {chain: k for k, chain in enumerate(names)}
        return cls(
            np.searchsorted(first, trees.starts).astype(np.int64),
            trees.begins[first].astype(np.int32),
            trees.ends[first].astype(np.int32),
            np.array([code.get(chain, -1) for chain in chains], np.int32),
            list(names),
        )

    def trees(self, words: Sequences, top: str | None = None) -> Brackets:
        """With each label as a bracket of its own; words have the columns ``word`` and ``pos``."""
        sizes = np.array([len(chain) for chain in self.names] + [0], np.int64)[self.codes]
        labels = [label for code in self.codes.tolist() for label in self.names[code]]
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        empty = LabelColumn([], np.zeros(0, np.int32))
        return Brackets(
            replace(words, layout=("word", "pos"), labels=None),
            np.repeat(self.begins, sizes).astype(np.int64),
            np.repeat(self.ends, sizes).astype(np.int64),
            LabelColumn.from_values(labels) if labels else empty,
            ends[self.starts],
            tag_column([top] * len(words)),
        )


def chain_name(chain: Chain) -> str:
    """As it is shown to people.

    >>> chain_name(("S", "VP"))
    'S+VP'
    """
    return "+".join(chain)
