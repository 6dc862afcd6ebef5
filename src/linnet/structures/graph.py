"""Factor graphs: values for the variables of a graph whose factors are tied by templates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._memory import memory
from linnet.data.matrix import rows_between
from linnet.errors import RefusedError
from linnet.structures.base import Reals, Structure, Trait
from linnet.structures.families import Family


@dataclass(frozen=True)
class GraphBlock:
    """The factors of one template: sites [starts[i], starts[i + 1]) are those of graph i."""

    name: str
    rows: _core.Rows  # of the sites
    shape: tuple[int, ...]  # sizes of the domains
    starts: NDArray[np.int64]
    scopes: NDArray[np.int32]  # (sites, variables), counted from the first of a graph
    conditional: bool = False  # P(last variable | the others)

    def core(self) -> tuple[str, _core.Rows, list[int], NDArray[np.int64], NDArray[np.int32]]:
        """For the core; the same array as long as the block lives."""
        return self.name, self.rows, list(self.shape), self.starts, self.scopes.reshape(-1)

    def part(self, begin: int, end: int) -> GraphBlock:
        """Of some of the graphs."""
        first, last = int(self.starts[begin]), int(self.starts[end])
        return replace(
            self,
            rows=rows_between(self.rows, first, last),
            starts=self.starts[begin : end + 1] - first,
            scopes=self.scopes[first:last].copy(),
        )


@dataclass(frozen=True)
class Loopy:
    """How messages are sent, in place of exact sums."""

    schedule: str = "sequential"
    max_rounds: int = 50
    tol: float = 1e-6
    damping: float = 0.0


@dataclass(frozen=True)
class Graph(Structure):
    """Graph i has variables [offsets[i], offsets[i + 1]), with ``values`` −1 where they are missing.

    ``given`` marks those that are known when the others are asked for. What is missing is summed out.
    """

    blocks: tuple[GraphBlock, ...]
    offsets: NDArray[np.int64]
    sizes: NDArray[np.int32]
    values: NDArray[np.int32]
    given: NDArray[np.uint8]
    max_entries: float | None = None  # of tables; None: what fits into memory
    loopy: Loopy | None = None

    name: ClassVar[str] = "graph"
    plural: ClassVar[str] = "graphs"
    outputs: ClassVar[str] = "values for the variables of a graph"
    complete: ClassVar[str] = "the value of every variable"
    traits: ClassVar[frozenset[Trait]] = frozenset(
        {
            Trait.TIED,
            Trait.MANY_PARTS,
            Trait.COUNTED,
            Trait.EXPECTED,
            Trait.SUMMED_OUT,
            Trait.EXACT_SUMS,
        }
    )

    @property
    def rows(self) -> _core.Rows:  # type: ignore[override]
        """Of the first template."""
        return self.blocks[0].rows

    def dataset(self, weights: Reals) -> _core.GraphData:
        """A site for each factor."""
        limit = self.max_entries if self.max_entries is not None else memory() / 16
        kinds = tuple(block.core() for block in self.blocks)
        arrays = (self.offsets, self.sizes, self.values, self.given, weights)
        if self.loopy is None:
            return _core.GraphData(kinds, *arrays, limit)
        how = self.loopy
        return _core.GraphData(
            kinds, *arrays, limit, how.schedule, how.max_rounds, how.tol, how.damping
        )

    @property
    def size(self) -> int:
        """Of graphs."""
        return len(self.offsets) - 1

    @property
    def n_weights(self) -> float:
        """Of all templates."""
        return float(
            sum((b.rows.features + 1.0) * _core.padded(int(np.prod(b.shape))) for b in self.blocks)
        )

    @property
    def weights_told(self) -> str:
        """By templates."""
        told = (f"{b.name}: {b.rows.features + 1} × {int(np.prod(b.shape))}" for b in self.blocks)
        return f"the features and entries of all templates ({', '.join(told)})"

    @property
    def partial(self) -> bool:
        """Are some values missing?"""
        return bool((self.values < 0).any())

    def labelled(self) -> NDArray[np.bool_] | None:
        """Graphs of which every value is known; None if no such graph is there."""
        missing = np.concatenate([[0], np.cumsum(self.values < 0)])
        whole = missing[self.offsets[1:]] == missing[self.offsets[:-1]]
        return np.asarray(whole) if whole.any() else None

    def log_outputs(self) -> float:
        """Of variables that are not given, each with any value."""
        choices = np.where(self.given > 0, 0.0, np.log(np.maximum(self.sizes, 1)))
        so_far = np.concatenate([[0.0], np.cumsum(choices)])
        return float(np.diff(so_far[self.offsets]).max(initial=0.0))

    def part(self, begin: int, end: int) -> Graph:
        """Some of the graphs."""
        here = slice(int(self.offsets[begin]), int(self.offsets[end]))
        return replace(
            self,
            blocks=tuple(block.part(begin, end) for block in self.blocks),
            offsets=self.offsets[begin : end + 1] - self.offsets[begin],
            sizes=self.sizes[here].copy(),
            values=self.values[here].copy(),
            given=self.given[here].copy(),
        )

    def check_events(self) -> None:
        """A network: each variable is told once, given others, by tables without features."""
        told = np.zeros(len(self.sizes), np.int64)
        for block in self.blocks:
            if not block.conditional or block.rows.features:
                raise RefusedError(
                    f"tables are counted of templates with conditional=True and without features, "
                    f"P(last variable | the others); {block.name!r} is none: use loss 'logistic'"
                )
            first = np.repeat(self.offsets[:-1], np.diff(block.starts))
            np.add.at(told, first + block.scopes[:, -1], 1)
        if (told != 1).any() and len(told):
            wrong = int(np.flatnonzero(told != 1)[0])
            raise RefusedError(
                f"a network tells each variable once, but variable {wrong} (counted over all graphs) "
                f"{told[wrong]} times; use loss 'logistic', or other templates"
            )

    def families(self, flat: Reals) -> list[Family]:
        """Values of the last variable, given those of the others."""
        found = []
        for block, place in zip(self.blocks, self.layout.blocks, strict=True):
            size = int(np.prod(block.shape))
            table = flat[place.begin : place.begin + size].reshape(-1, block.shape[-1])
            found.append(Family((table,), events=True))
        return found


@dataclass(frozen=True)
class LoopyGraph(Graph):
    """The same by belief propagation, exact on trees alone: learners that certify refuse it."""

    loopy: Loopy | None = Loopy()

    name: ClassVar[str] = "loopy_graph"
    plural: ClassVar[str] = "graphs by belief propagation"
    traits: ClassVar[frozenset[Trait]] = frozenset({Trait.TIED, Trait.MANY_PARTS, Trait.SUMMED_OUT})
