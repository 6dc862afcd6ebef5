"""What is asked of a graph, exactly: by a junction tree, or by a cut."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._memory import memory
from linnet._params import whole
from linnet.errors import DataError
from linnet.graphs.cut import best_cut, why_no_cut
from linnet.graphs.domains import Given, Variables

if TYPE_CHECKING:
    from linnet.graphs.graph import Factors

Reals = NDArray[np.float64]


class TooLargeError(DataError):
    """Exact sums would need tables that do not fit: ``what`` says how large they would be."""

    def __init__(self, what: str, advice: str, entries: float, variables: list[Any]) -> None:
        super().__init__(f"{what}; {advice}")
        self.what = what
        self.entries = entries
        self.variables = variables


@dataclass(frozen=True)
class Packed:
    """A graph as the core sees it: factor f is over members[starts[f]:starts[f + 1]]."""

    sizes: NDArray[np.int32]
    starts: NDArray[np.int64]
    members: NDArray[np.int32]
    offsets: NDArray[np.int64]  # where the entries of each factor begin
    entries: Reals

    @classmethod
    def of(cls, variables: Variables, blocks: Sequence[Factors]) -> Packed:
        """All factors; a variable without one gets a table of ones."""
        for block in blocks:
            if block.tables is None:
                raise DataError(
                    f"the factors of template {block.template!r} have no tables; a fitted GraphModel "
                    f"gives them some: model.graph(…)"
                )
        sizes = variables.sizes
        scopes = [block.scopes for block in blocks]
        tables = [block.tables for block in blocks]
        seen = np.zeros(len(sizes), bool)
        for scope in scopes:
            seen[scope.ravel()] = True
        for v in np.flatnonzero(~seen):
            scopes.append(np.array([[v]], np.int32))
            tables.append(np.ones((1, int(sizes[v]))))
        arities = [np.full(len(s), s.shape[1]) for s in scopes]
        widths = np.concatenate([np.zeros(0, np.int64), *arities])
        counts = [
            np.full(len(s), t.shape[1]) for s, t in zip(scopes, tables, strict=True) if t is not None
        ]
        lengths = np.concatenate([np.zeros(0, np.int64), *counts])
        return cls(
            sizes,
            _running(widths),
            np.concatenate([np.zeros(0, np.int32), *(s.ravel() for s in scopes)]).astype(np.int32),
            _running(lengths),
            np.concatenate([np.zeros(0), *(t.ravel() for t in tables if t is not None)]),
        )

    def score(self, codes: NDArray[np.int32]) -> float:
        """Log Π of the entries that an assignment has."""
        total = 0.0
        for f in range(len(self.starts) - 1):
            scope = self.members[self.starts[f] : self.starts[f + 1]]
            at = int(np.ravel_multi_index(tuple(codes[scope]), tuple(self.sizes[scope])))
            value = float(self.entries[self.offsets[f] + at])
            total += math.log(value) if value > 0 else -math.inf
        return total


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


def _running(lengths: NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


class Answers:
    """A graph with some values known, ready to be asked; sweeps are made when they are needed."""

    def __init__(
        self, variables: Variables, packed: Packed, given: Given | None, max_entries: float | None
    ) -> None:
        self._all, self._packed = variables, packed
        self._observed = variables.observed(given)
        self._limit = max_entries if max_entries is not None else memory() / 16

    @property
    def _variables(self) -> Variables:
        if len(self._all) != len(self._packed.sizes):
            raise DataError("variables were added to the graph since; ask it for new answers")
        return self._all

    @cached_property
    def _shape(self) -> _core.GraphShape:
        packed = self._packed
        scopes = (packed.sizes, packed.starts, packed.members)
        found = _core.graph_shape(*scopes, self._observed, self._limit)
        if isinstance(found, _core.GraphShape):
            return found
        entries, largest, blamed = cast(tuple[float, float, list[int]], found)
        names = [self._variables.names[v] for v in blamed]
        told = ", ".join(map(str, names[:8])) + _more(len(names) - 8)
        raise TooLargeError(
            f"exact sums would need tables of {entries:,.3g} entries, {largest:,.3g} in the largest "
            f"alone, over {len(names)} variables: {told}",
            "give more values, raise max_entries, or use beliefs(), which is an approximation",
            entries,
            names,
        )

    @cached_property
    def _sums(self) -> _core.GraphAnswers:
        return _core.GraphAnswers(self._shape, self._packed.entries)

    def _checked(self) -> _core.GraphAnswers:
        if self._sums.log_z == -math.inf:
            raise DataError("no assignment is possible: what is given contradicts the factors")
        return self._sums

    @property
    def log_partition(self) -> float:
        """Log Z, −inf if no assignment is possible."""
        return float(self._sums.log_z)

    @property
    def tree(self) -> dict[str, Any]:
        """The junction tree: cliques by names, parents, entries, and the rule of its order."""
        shape, names = self._shape, self._variables.names
        return {
            "cliques": [[names[v] for v in clique] for clique in shape.cliques],
            "parents": shape.parents,
            "entries": shape.entries,
            "largest": shape.largest,
            "order": shape.rule,
        }

    def marginals(self) -> dict[Any, Reals]:
        """P(value) of every variable, by name."""
        return self._variables.split(self._checked().variables())

    def factor_marginals(self) -> list[Reals]:
        """P(entry) of every factor, in the order they were added."""
        packed, flat = self._packed, self._checked().factors()
        shapes = [
            packed.sizes[packed.members[a:b]]
            for a, b in zip(packed.starts[:-1], packed.starts[1:], strict=True)
        ]
        pieces = np.split(flat, packed.offsets[1:-1])
        return [piece.reshape(shape) for piece, shape in zip(pieces, shapes, strict=True)]

    def clique_marginals(self) -> list[tuple[list[Any], Reals]]:
        """The variables of every clique of the junction tree, and their joint marginals."""
        core, names, sizes = self._checked(), self._variables.names, self._packed.sizes
        return [
            ([names[v] for v in clique], core.clique(c).reshape([int(sizes[v]) for v in clique]))
            for c, clique in enumerate(self._shape.cliques)
        ]

    def query(self, of: Sequence[Any]) -> Reals:
        """P(of), one axis for each variable: the sum over all others."""
        numbers = [self._variables.number(name) for name in of]
        if len(set(numbers)) < len(numbers):
            raise DataError("a query names a variable twice")
        if not numbers:
            raise DataError("a query needs at least one variable")
        packed = self._packed
        sizes = [int(packed.sizes[v]) for v in numbers]
        total = math.prod(sizes)
        if total > self._limit:
            raise TooLargeError(
                f"the answer would have {total:,} entries", "ask for fewer variables", total, list(of)
            )
        # A factor of ones over them makes one clique hold them all; its marginals are the answer.
        joined = Packed(
            packed.sizes,
            np.append(packed.starts, packed.starts[-1] + len(numbers)),
            np.append(packed.members, np.array(numbers, np.int32)),
            np.append(packed.offsets, packed.offsets[-1] + total),
            np.append(packed.entries, np.ones(total)),
        )
        asked = Answers(self._variables, joined, None, self._limit)
        asked._observed = self._observed
        found: Reals = asked._checked().factors()[-total:].reshape(sizes)
        return found

    def best(self, *, method: str = "auto") -> tuple[dict[Any, Any], float]:
        """The best assignment and its log score."""
        if method not in ("auto", "tree", "cut"):
            raise ValueError(f"method must be 'auto', 'tree' or 'cut', not {method!r}")
        codes, value = self._best(method)
        return self._variables.decoded(codes), value

    def _best(self, method: str) -> tuple[NDArray[np.int32], float]:
        why = why_no_cut(self._packed) if method != "tree" else "a tree was asked for"
        if method == "cut" and why is not None:
            raise DataError(f"there is no cut: {why}; use method='tree'")
        if method == "auto" and why is None:
            try:
                _ = self._shape
            except TooLargeError:
                method = "cut"
        if method == "cut":
            return best_cut(self._packed, self._observed)
        value, found = self._sums.best()
        if value == -math.inf:
            raise DataError("no assignment is possible: what is given contradicts the factors")
        return np.array(found, np.int32), float(value)

    def kbest(self, k: int) -> list[tuple[dict[Any, Any], float]]:
        """The k best assignments, best first; fewer if there are not so many."""
        best = self._sums.kbest(whole("k", k))
        return [(self._variables.decoded(codes), score) for score, codes in best]

    def sample(self, n: int, *, seed: int = 0) -> NDArray[np.int32]:
        """Independent assignments, (n, variables), as numbers of values."""
        n, core = whole("n", n, 0), self._checked()
        drawn: NDArray[np.int32] = core.samples(n, whole("seed", seed, 0)).reshape(
            n, len(self._variables)
        )
        return drawn

    def entropy(self) -> float:
        """−Σ P log P over assignments."""
        return float(self._checked().entropy())
