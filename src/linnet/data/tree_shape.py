"""Dependency trees as a problem: which arcs there may be, and how far arcs see."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core


@dataclass(frozen=True)
class JointLabels:
    """Relations that are learnt together with heads."""

    tokens: _core.ArcTokens  # as templates of relations see them
    relations: NDArray[np.int32]  # of each token to its head, -1 where it is missing
    width: int  # how many there are


@dataclass(frozen=True)
class TreeShape:
    """What makes a problem one of trees.

    Token t, of all sentences, may have the heads ``heads[starts[t]:starts[t + 1]]``, ascending, 0 for
    the root; rows of the problem are of these arcs. Labels are the gold heads, -1 where they are
    missing: such trees are summed out.
    """

    starts: NDArray[np.int64]
    heads: NDArray[np.int32]
    projective: bool = True
    single_root: bool = True
    order: int = 1  # 2: an arc sees the sibling before it
    tokens: _core.ArcTokens | None = None  # of which the rows are made, where they are
    joint: JointLabels | None = None

    @cached_property
    def core(self) -> _core.TreeShape:
        """For the core."""
        return _core.TreeShape(self.projective, self.single_root, self.order)

    @cached_property
    def siblings(self) -> tuple[_core.Rows, NDArray[np.int64]] | None:
        """Rows of arcs with siblings, and where those of each sentence begin."""
        if self.order == 1:
            return None
        if self.tokens is None:
            raise ValueError("trees of second order need templates to make rows of siblings")
        return _core.sibling_rows(self.tokens, self.starts, self.heads)

    def data(
        self,
        rows: _core.Rows,
        offsets: NDArray[np.int64],
        labels: NDArray[np.int32],
        weights: NDArray[np.float64],
    ) -> _core.TreeData:
        """The sentences for the core."""
        arrays = (self.starts, self.heads, offsets, labels, weights)
        return _core.TreeData(rows, *arrays, self.core, *(self.siblings or ()))
