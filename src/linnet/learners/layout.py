"""Where the weights of a problem lie, and where they go when features and labels become more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.learners.base import Problem

Segments = NDArray[np.int64]


@dataclass(frozen=True)
class Block:
    """``rows`` rows, ``stride`` apart, each of ``width`` to the power of ``power`` weights."""

    begin: int
    rows: int
    stride: int
    power: int = 1


@dataclass(frozen=True)
class Layout:
    """Where the weights of each kind of part lie."""

    width: int
    dim: int
    unit: int
    blocks: tuple[Block, ...]

    @classmethod
    def of(cls, problem: Problem) -> Layout:
        """The layout of a problem; it does not hold on to the data."""
        data, width, rows = problem.data(), problem.width, problem.rows.features + 1
        blocks = [Block(0, rows, data.stride)]
        chain = problem.chain
        if isinstance(data, _core.SegmentData):
            tied = (data.transitions - data.lengths, data.dim - data.transitions)
            blocks += [Block(data.lengths, 1, tied[0]), Block(data.transitions, 1, tied[1])]
        elif chain is not None:
            assert isinstance(data, _core.ChainData)
            square = _core.padded(width * width)
            blocks.append(Block(data.transitions, 1, square, 2))
            if chain.ends:
                blocks += [Block(data.start, 1, data.stride), Block(data.stop, 1, data.stride)]
            if chain.order == 2:
                blocks.append(Block(data.triples, 1, _core.padded(width**3), 3))
            if chain.pairs is not None:
                blocks.append(Block(data.pairs, chain.pairs.features + 1, square, 2))
        return cls(width, data.dim, problem.unit, tuple(blocks))

    def only_longer(self, old: Layout) -> bool:
        """Are there but new rows at the end? Every learner takes those."""
        return len(self.blocks) == 1 and self.blocks[0].stride == old.blocks[0].stride


def segments(old: Layout, new: Layout) -> Segments:
    """The pieces that move as they are: (from, to, rows, old stride, stride)."""
    if len(old.blocks) != len(new.blocks):
        raise ValueError(
            "a stream keeps its order, its ends and whether transitions see the observation"
        )
    pieces = [_moved(a, b, old.width, new.width) for a, b in zip(old.blocks, new.blocks, strict=True)]
    return np.concatenate(pieces)


def _moved(old: Block, new: Block, width: int, new_width: int) -> Segments:
    if width == new_width or old.power == 1:
        return np.array([[old.begin, new.begin, old.rows, old.stride, new.stride]], np.int64)
    # A row is a matrix (or a cube) whose rows become longer: one segment for each matrix.
    matrices = width ** (old.power - 2)
    row, matrix = np.divmod(np.arange(old.rows * matrices, dtype=np.int64), matrices)
    out = np.empty((len(row), 5), np.int64)
    out[:, 0] = old.begin + row * old.stride + matrix * width**2
    out[:, 1] = new.begin + row * new.stride + matrix * new_width**2
    out[:, 2:] = width, width, new_width
    return out
