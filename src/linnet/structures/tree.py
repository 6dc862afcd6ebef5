"""Dependency trees: a head for each word, over candidate arcs that have features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from functools import partial as call
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.matrix import rows_between
from linnet.errors import RefusedError
from linnet.structures.base import Reals, Structure, Trait
from linnet.structures.layout import Block, Layout
from linnet.structures.problem import Problem, Solver


@dataclass(frozen=True)
class JointLabels:
    """Relations that are learnt together with heads."""

    tokens: _core.ArcTokens  # as templates of relations see them
    relations: NDArray[np.int32]  # of each token to its head, -1 where it is missing
    width: int  # how many there are
    features: int  # how many their templates have


@dataclass(frozen=True)
class Tree(Structure):
    """Sentence i is tokens [offsets[i], offsets[i + 1]).

    Token t, of all sentences, may have the heads ``candidates[starts[t]:starts[t + 1]]``, ascending, 0
    for the root; rows are of these arcs. ``heads`` are the gold ones, -1 where they are missing: such
    trees are summed out.
    """

    rows: _core.Rows
    offsets: NDArray[np.int64]
    heads: NDArray[np.int32]
    starts: NDArray[np.int64]
    candidates: NDArray[np.int32]
    projective: bool = True
    single_root: bool = True
    order: int = 1  # 2: an arc sees the sibling before it
    tokens: _core.ArcTokens | None = None  # of which the rows are made, where they are
    joint: JointLabels | None = None
    source: call[Tree] | None = None  # how it is made of trees, which it knows

    name = "tree"
    plural = "trees"
    outputs = "a tree over the words of a sentence"
    complete = "the head of every word"
    traits = frozenset({Trait.MANY_PARTS, Trait.COUNTED, Trait.SUMMED_OUT, Trait.EXACT_SUMS})

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
        return _core.sibling_rows(self.tokens, self.starts, self.candidates)

    @cached_property
    def layout(self) -> Layout:
        """Relations that are learnt with heads have weights behind those of arcs."""
        found = super().layout if self.joint is None else replace(self, joint=None).layout
        if self.joint is None:
            return found
        rows, width = self.joint.features + 1, self.joint.width
        stride = _core.padded(width)
        relations = Block("relations", found.dim, rows, stride, (width,))
        return Layout(1, found.dim + rows * stride, 1, (*found.blocks, relations))

    def dataset(self, weights: Reals) -> _core.TreeData:
        """A site for each arc, and for each arc with a sibling."""
        if self.joint is not None:
            raise RefusedError(
                "relations are learnt together with heads by the perceptron and by passive-aggressive "
                "steps (loss 'hinge') alone; use joint=None"
            )
        siblings = self.siblings or (None, None)
        arcs = (self.starts, self.candidates)
        return _core.TreeData(self.rows, *arcs, self.offsets, self.heads, weights, self.core, *siblings)

    def measured(self, weights: Reals) -> _core.Dataset:
        """With relations that are learnt together with heads."""
        joint = self.joint
        trees = replace(self, joint=None).dataset(weights)
        if joint is None:
            return trees
        rows = joint.tokens.rows(self.starts, self.candidates)
        return _core.LabelledTreeData(trees, rows, joint.relations, joint.width)

    @property
    def size(self) -> int:
        """Of sentences."""
        return len(self.offsets) - 1

    @property
    def width(self) -> int:
        """One score per arc."""
        return 1

    tied_told = "every pair of features of arcs and relations, of which joint=None has none"

    def tied_bytes(self, dual: bool) -> float:
        """Relations that are learnt with heads: weights, their sums, and a step."""
        joint = self.joint
        return 0.0 if joint is None else 12.0 * (joint.features + 1) * _core.padded(joint.width)

    @property
    def partial(self) -> bool:
        """Are some heads missing?"""
        return bool((self.heads < 0).any())

    def part(self, begin: int, end: int) -> Tree:
        """Some of the sentences, with rows in place of templates unless relations need these."""
        if self.joint is not None:
            assert self.source is not None
            (trees,) = self.source.args
            return self.source.func(trees.take(np.arange(begin, end)))
        first, last = int(self.offsets[begin]), int(self.offsets[end])
        arcs = slice(int(self.starts[first]), int(self.starts[last]))
        found = replace(
            self,
            rows=rows_between(self.rows, arcs.start, arcs.stop),
            offsets=self.offsets[begin : end + 1] - first,
            heads=self.heads[first:last].copy(),
            starts=self.starts[first : last + 1] - arcs.start,
            candidates=self.candidates[arcs].copy(),
            tokens=None,
        )
        if self.siblings is not None:
            rows, starts = self.siblings
            between = rows_between(rows, int(starts[begin]), int(starts[end]))
            found.__dict__["siblings"] = (between, starts[begin : end + 1] - starts[begin])
        return found

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Templates of relations are not sent: the tree is made anew."""
        if self.joint is None or self.source is None or not self.size:
            return super().__reduce_ex__(protocol)
        return self.source.func, self.source.args

    def __getstate__(self) -> dict[str, Any]:
        """Without what is made anew where it is sent to; of no sentences there is nothing to see."""
        found = {name: value for name, value in self.__dict__.items() if name != "core"}
        return found if self.size else found | {"tokens": None, "joint": None, "source": None}

    def log_outputs(self) -> float:
        """Each word chooses a head by itself: at most so many trees."""
        choices = np.log(np.maximum(np.diff(self.starts), 1))
        so_far = np.concatenate([[0.0], np.cumsum(choices)])
        return float(np.diff(so_far[self.offsets]).max(initial=0.0))

    def check_events(self) -> None:
        """Features of templates overlap."""
        raise RefusedError(
            "trees are counted over events of their own (tags, direction and distance): use "
            "DependencyParser(loss='joint_likelihood')"
        )

    def steps(self, problem: Problem, rule: str, C: float) -> Solver | None:
        """Over templates of arcs, without rows in between."""
        from linnet.structures.template_steps import template_steps

        return template_steps(self, problem, rule, C)
