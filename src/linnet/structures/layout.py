"""Where the weights of a problem lie, and where they go when features and labels become more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core

Moves = NDArray[np.int64]


@dataclass(frozen=True)
class Block:
    """The weights of one kind of part: ``rows`` rows, ``stride`` apart, each a table of ``shape``."""

    name: str
    begin: int
    rows: int
    stride: int
    shape: tuple[int, ...]

    def of(self, flat: NDArray[Any]) -> NDArray[Any]:
        """A view of its weights, (rows, *shape), padding left out."""
        size = int(np.prod(self.shape))
        block = flat[self.begin : self.begin + self.rows * self.stride]
        return block.reshape(self.rows, self.stride)[:, :size].reshape(self.rows, *self.shape)


@dataclass(frozen=True)
class Layout:
    """All blocks, one after the other; what there is to know of flat weights."""

    width: int  # of the first block, that of the sites with features
    dim: int
    unit: int  # divides all strides: so many weights share the clock of a lazy penalty
    blocks: tuple[Block, ...]

    @classmethod
    def of(cls, data: _core.Dataset) -> Layout:
        """As the core lays them out."""
        blocks = tuple(
            Block(name, begin, rows, stride, tuple(shape))
            for name, begin, rows, stride, shape in data.blocks
        )
        return cls(data.width, data.dim, data.unit, blocks)

    @property
    def by_name(self) -> Mapping[str, Block]:
        """The blocks, called by what they are of."""
        return {block.name: block for block in self.blocks}

    def parts(self, flat: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Views of the weights of each block: (rows, *shape), or of tied parts ``shape`` alone."""
        if flat.size != self.dim:
            raise ValueError(f"there are {flat.size} weights, not {self.dim}")
        first, *others = self.blocks
        tied = {b.name: b.of(flat) if b.rows > 1 else b.of(flat)[0] for b in others}
        return {first.name: first.of(flat)} | tied

    def only_longer(self, old: Layout) -> bool:
        """Are there but new rows at the end? Every learner takes those."""
        return len(self.blocks) == 1 and self.blocks[0].stride == old.blocks[0].stride


def moves(old: Layout, new: Layout) -> Moves:
    """The pieces that move as they are: (from, to, rows, old stride, stride)."""
    if [block.name for block in old.blocks] != [block.name for block in new.blocks]:
        raise ValueError("a stream keeps to the same kinds of weights")
    pairs = zip(old.blocks, new.blocks, strict=True)
    return np.concatenate([_moved(before, now) for before, now in pairs])


def _moved(old: Block, new: Block) -> Moves:
    if old.shape == new.shape or len(old.shape) == 1:
        return np.array([[old.begin, new.begin, old.rows, old.stride, new.stride]], np.int64)
    # A row is a matrix (or a cube) whose rows become longer: one piece for each matrix.
    outer, size = old.shape[:-2], old.shape[-2:]
    tables = np.stack([np.arange(int(np.prod(outer)))])
    places = np.stack(np.unravel_index(tables[0], outer)) if outer else np.zeros((0, 1), np.int64)
    here = np.ravel_multi_index(places, outer) if outer else np.zeros(1, np.int64)
    there = np.ravel_multi_index(places, new.shape[:-2]) if outer else np.zeros(1, np.int64)
    rows = np.arange(old.rows, dtype=np.int64)[:, None]
    out = np.empty((old.rows, len(here), 5), np.int64)
    out[:, :, 0] = old.begin + rows * old.stride + here * int(np.prod(size))
    out[:, :, 1] = new.begin + rows * new.stride + there * int(np.prod(new.shape[-2:]))
    out[:, :, 2:] = size[0], size[1], new.shape[-1]
    return out.reshape(-1, 5)


def grown(flat: NDArray[Any], old: Layout, new: Layout) -> NDArray[Any]:
    """Flat weights in a layout that has room for more, which is filled with zeros."""
    found = np.zeros(new.dim, flat.dtype)
    before, now = old.parts(flat), new.parts(found)
    for name, part in before.items():
        now[name][tuple(map(slice, part.shape))] = part
    return found
