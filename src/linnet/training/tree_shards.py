"""Trees that are not all in memory: shards of them, made when they are learnt from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data.joined_sentences import join_trees
from linnet.data.kept import KnownSentences
from linnet.data.trees import Trees
from linnet.structures import Elsewhere, Structure


@dataclass(frozen=True)
class TreesInParts:
    """Shards of trees that are known; gone through, they are the trees of one shard each."""

    kept: KnownSentences
    shards: Sequence[Any]  # sources of trees, see `Pieces`
    roots: str
    columns: Sequence[str]  # that are looked at
    sampled: int  # tokens that are enough for what is learnt from a sample
    missing_heads: bool
    arcs: int  # words with a head and a relation to it

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
        for shard in self.shards:
            yield shard.read_trees(self.roots, self.columns)

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

    def elsewhere(
        self, made: Callable[[Trees], Structure], sizes: Sequence[int] = (), weight: float = 0.0
    ) -> Elsewhere:
        """Shards as ``made`` makes them of trees; instances are sentences if no ``sizes`` are given."""
        sizes = sizes or [shard.size for shard in self.shards]
        recipes = [TreeShard(shard, self.roots, tuple(self.columns), made) for shard in self.shards]
        return Elsewhere(
            tuple(recipes),
            tuple(sizes),
            weight or float(sum(sizes)),
            self.kept.fingerprint(),
            partial=self.missing_heads,
        )

    def of_arcs(self, made: Callable[[Trees], Structure]) -> Elsewhere:
        """Instances are arcs, each of which has its relation; of shards only their sum is known."""
        share = [self.arcs // len(self.shards)] * len(self.shards)
        share[-1] += self.arcs - sum(share)
        return replace(self.elsewhere(made, share, float(self.arcs)), partial=False)


@dataclass(frozen=True)
class TreeShard:
    """A recipe: trees of some pieces, as a structure of whose instances all weigh the same."""

    source: Any
    roots: str
    columns: tuple[str, ...]
    made: Callable[[Trees], Structure]

    def __call__(self) -> tuple[Structure, NDArray[np.float64]]:
        structure = self.made(self.source.read_trees(self.roots, self.columns))
        return structure, np.ones(structure.size)
