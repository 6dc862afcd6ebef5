"""Trees that are not all in memory: shards of them, made when they are learnt from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from linnet.data.joined_sentences import join_trees
from linnet.data.kept import Kept
from linnet.data.trees import Trees
from linnet.structures import Elsewhere, Structure


@dataclass(frozen=True)
class TreesInParts:
    """Pieces of a file, cut into shards; gone through, they are the trees of one shard each."""

    kept: Kept
    bounds: Sequence[tuple[int, int]]  # pieces of each shard
    roots: str
    columns: Sequence[str]  # that are looked at
    sampled: int  # tokens that are enough for what is learnt from a sample
    missing_heads: bool
    arcs: Sequence[int]  # of each piece: words with a head and a relation to it

    @property
    def names(self) -> list[str]:
        """Of relations."""
        return self.kept.relations

    @property
    def tokens(self) -> int:
        """Of all trees."""
        return self.kept.tokens

    def __len__(self) -> int:
        """How many sentences."""
        return self.kept.sentences

    def __iter__(self) -> Iterator[Trees]:
        for begin, end in self.bounds:
            yield self.read(begin, end)

    def read(self, begin: int, end: int) -> Trees:
        """The trees of some pieces."""
        return self.kept.read_trees(begin, end, self.roots, self.columns)

    @cached_property
    def nothing(self) -> Trees:
        """No trees, with all columns."""
        return self.read(0, 1).take([])

    def sample(self) -> Trees:
        """Of pieces that lie evenly in all of them."""
        sizes = self.kept.sizes
        count = max(1, min(len(sizes), round(len(sizes) * self.sampled / max(self.tokens, 1))))
        places = (np.arange(count) * len(sizes) // count).tolist()
        return join_trees([self.read(piece, piece + 1) for piece in places])

    def elsewhere(self, made: Callable[[Trees], Structure], sizes: Sequence[int]) -> Elsewhere:
        """Shards as ``made`` makes them of trees; ``sizes`` are instances of each piece."""
        return Elsewhere(
            tuple(TreeShard(self, begin, end, made) for begin, end in self.bounds),
            tuple(int(sum(sizes[begin:end])) for begin, end in self.bounds),
            float(sum(sizes)),
            partial=self.missing_heads,
            fingerprint=self.kept.fingerprint(),
        )

    def sentence_counts(self) -> list[int]:
        """Of each piece."""
        return [sentences for sentences, _ in self.kept.sizes]


@dataclass(frozen=True)
class TreeShard:
    """A recipe: trees of some pieces, as a structure of whose instances all weigh the same."""

    trees: TreesInParts
    begin: int
    end: int
    made: Callable[[Trees], Structure]

    def __call__(self) -> tuple[Structure, NDArray[np.float64]]:
        structure = self.made(self.trees.read(self.begin, self.end))
        return structure, np.ones(structure.size)
