"""The graph itself: variables and factors, however they come."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linnet._params import whole
from linnet.errors import DataError
from linnet.graphs.answers import Answers, Packed
from linnet.graphs.beliefs import Beliefs
from linnet.graphs.domains import Given, Name, Variables
from linnet.graphs.networks import check_sums, network

Reals = NDArray[np.float64]


def as_reals(values: ArrayLike, what: str) -> Reals:
    """As an array; what is none is told by its name."""
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{what} must be an array of numbers: {error}") from None


@dataclass(frozen=True)
class Factors:
    """Factors of one kind: row i of ``scopes`` are the variables of one of them.

    They have ``tables``, one each, not negative; or they belong to a ``template``, whose weights say
    what their tables are, in view of their rows of ``features`` (none: the constant one alone).
    """

    scopes: NDArray[np.int32]
    tables: Reals | None
    template: str | None = None
    features: Any = None
    conditional: bool = False  # P(last variable | the others)

    def __len__(self) -> int:
        return len(self.scopes)


class FactorGraph:
    """Variables with finite named domains, and factors over any of them.

    P(y) is the product of all factors divided by its sum over all assignments. A Bayesian network is
    the graph of its tables; cycles and parts that are not connected are fine. ::

        graph = FactorGraph()
        graph.add_variable("rain", ["yes", "no"])
        graph.add_variable("wet", ["yes", "no"])
        graph.add_factor(["rain"], [0.2, 0.8])
        graph.add_factor(["rain", "wet"], [[0.9, 0.1], [0.1, 0.9]])
        graph.marginals(given={"wet": "yes"})

    Tables are row-major: the first variable is the first axis. Everything that is asked of it is exact,
    but `beliefs`.
    """

    def __init__(self) -> None:
        self.variables = Variables()
        self.factors: list[Factors] = []

    # Building

    def add_variable(self, name: Name, values: int | Sequence[Any]) -> FactorGraph:
        """One variable; a number of values means 0, 1, …"""
        return self.add_variables([name], values)

    def add_variables(self, names: int | Iterable[Name], values: int | Sequence[Any]) -> FactorGraph:
        """Variables with the same domain; a number of them means names 0, 1, …, counted on."""
        if isinstance(names, int | np.integer):
            count = whole("the number of variables", names, 0)
            names = range(len(self.variables), len(self.variables) + count)
        self.variables.add(names, values)
        self._grown()
        return self

    def add_factor(self, variables: Sequence[Name], table: ArrayLike) -> FactorGraph:
        """A factor with a table of one axis for each variable."""
        scope = np.array([[self.variables.number(name) for name in variables]], np.int32)
        return self._add(scope.reshape(1, -1), as_reals(table, "the table of a factor")[None])

    def add_factors(
        self,
        scopes: ArrayLike,
        tables: ArrayLike | None = None,
        *,
        template: str | None = None,
        features: Any = None,
        conditional: bool = False,
    ) -> FactorGraph:
        """Many factors at once: row i of ``scopes`` holds the numbers of variables of one of them.

        ``tables`` holds one for each, or is one for all of them. In place of tables, a
        ``template`` names the weights that a `GraphModel` learns; ``features`` are then rows, one for
        each factor: a matrix, or a list of names (or of names with values) for each.
        ``conditional`` says that the factors are P(last variable | the others), whose events can
        be counted; tables must sum to one over the last variable then.
        """
        rows = np.atleast_2d(np.asarray(scopes))
        if rows.size and not np.issubdtype(rows.dtype, np.integer):
            raise DataError("scopes are numbers of variables")
        if template is None:
            if tables is None or features is not None:
                raise DataError("factors need tables, or a template with or without features")
            self._check_scopes(rows)
            return self._add(rows.astype(np.int32), as_reals(tables, "tables"), conditional)
        if tables is not None:
            raise DataError(f"the tables of template {template!r} are learnt; leave them out")
        count = len(rows) if features is None else _count(features)
        if count != len(rows):
            raise DataError(f"template {template!r}: {len(rows)} factors, but {count} rows of features")
        self._check_scopes(rows)
        self._append(Factors(rows.astype(np.int32), None, template, features, conditional))
        return self

    def _append(self, factors: Factors) -> None:
        self.factors.append(factors)
        self._grown()

    def _grown(self) -> None:
        """What was packed before is not the whole graph any more."""
        self.__dict__.pop("packed", None)

    def _check_scopes(self, scopes: NDArray[Any]) -> None:
        if scopes.ndim != 2 or scopes.shape[1] == 0:
            raise DataError("a factor is over at least one variable")
        count = len(self.variables)
        if scopes.size and (scopes.min() < 0 or scopes.max() >= count):
            wrong = int(scopes[(scopes < 0) | (scopes >= count)][0])
            raise DataError(f"a factor is over variable {wrong}, but there are {count} variables")
        ordered = np.sort(scopes, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
        if twice.any():
            names = [self.variables.names[v] for v in scopes[int(twice.argmax())]]
            raise DataError(f"a factor is over a variable twice: {', '.join(map(str, names))}")
        sizes = self.variables.sizes[scopes]
        if len(sizes) and (sizes != sizes[0]).any():
            raise DataError("factors that are added together need domains of the same sizes")

    def _add(self, scopes: NDArray[np.int32], tables: Reals, conditional: bool = False) -> FactorGraph:
        self._check_scopes(scopes)
        if not len(scopes):
            return self
        sizes = tuple(map(int, self.variables.sizes[scopes[0]]))
        if tables.shape == sizes:
            tables = np.broadcast_to(tables, (len(scopes), *sizes))
        if tables.shape != (len(scopes), *sizes):
            told = ", ".join(str(self.variables.names[v]) for v in scopes[0])
            if tables.shape[1:] == sizes:
                raise DataError(f"there are {len(scopes)} factors, but {len(tables)} tables")
            raise DataError(
                f"the table of a factor over {told} must have the shape {sizes}, not {tables.shape[1:]}"
            )
        flat = tables.reshape(len(scopes), -1)
        bad = ~(flat >= 0).all(axis=1) | ~np.isfinite(flat).all(axis=1) | (flat.max(axis=1) == 0)
        if bad.any():
            at = int(bad.argmax())
            told = ", ".join(str(self.variables.names[v]) for v in scopes[at])
            why = "only zeros" if (flat[at] == 0).all() else "an entry that is negative or not finite"
            raise DataError(f"the table of the factor over {told} has {why}")
        if conditional:
            check_sums(tables, [self.variables.names[v] for v in scopes[:, -1]])
        self._append(Factors(scopes, flat, conditional=conditional))
        return self

    @classmethod
    def grid(
        cls, height: int, width: int, values: int | Sequence[Any], unary: ArrayLike, pair: ArrayLike
    ) -> FactorGraph:
        """A picture: variables (row, column), a factor for each, and one for each pair of neighbours.

        ``unary`` is (height, width, values), ``pair`` one table for all pairs, or two: of pairs side by
        side, and of those above one another.
        """
        graph = cls()
        height, width = whole("height", height), whole("width", width)
        graph.add_variables([(i, j) for i in range(height) for j in range(width)], values)
        number = np.arange(height * width, dtype=np.int32).reshape(height, width)
        wanted, points = (height, width, len(graph.variables.domains[0])), as_reals(unary, "unary")
        if points.shape != wanted:
            raise DataError(f"unary must have the shape {wanted}, not {points.shape}")
        graph.add_factors(number.reshape(-1, 1), points.reshape(-1, wanted[2]))
        tables = as_reals(pair, "pair")
        if tables.shape[:-2] not in ((), (2,)):
            raise DataError(f"pair must be one table or two, not an array of shape {tables.shape}")
        beside, above = tables if tables.ndim == 3 else (tables, tables)
        pairs = [(number[:, :-1], number[:, 1:], beside), (number[:-1], number[1:], above)]
        for one, other, table in pairs:
            if one.size:
                graph.add_factors(np.stack([one.ravel(), other.ravel()], axis=1), table)
        return graph

    @classmethod
    def from_edges(
        cls, edges: ArrayLike, values: int | Sequence[Any], unary: ArrayLike, pair: ArrayLike
    ) -> FactorGraph:
        """Pairs: ``edges`` (m, 2) of numbers, ``unary`` (n, values), ``pair`` one table or m."""
        unary, ends = as_reals(unary, "unary"), np.asarray(edges)
        if unary.ndim != 2:
            raise DataError(f"unary must have a row for each variable, not the shape {unary.shape}")
        if ends.ndim != 2 or ends.shape[1] != 2:
            raise DataError(f"edges must be pairs of numbers of variables, not of shape {ends.shape}")
        graph = cls().add_variables(len(unary), values)
        graph.add_factors(np.arange(len(unary)).reshape(-1, 1), unary)
        return graph.add_factors(ends, pair)

    @classmethod
    def from_network(
        cls,
        domains: Mapping[Any, int | Sequence[Any]],
        tables: Mapping[Any, tuple[Sequence[Any], ArrayLike]],
    ) -> FactorGraph:
        """A Bayesian network: for each variable its parents, and P(variable | parents).

        The axes of a table are the parents in their order, then the variable. Rows must sum to one, and
        parents may not go round in circles.
        """
        return network(cls(), domains, tables)

    # Looking

    @property
    def names(self) -> list[Any]:
        """Of the variables."""
        return self.variables.names

    @property
    def sizes(self) -> NDArray[np.int32]:
        """How many values each variable has."""
        return self.variables.sizes

    @property
    def n_factors(self) -> int:
        """How many there are."""
        return sum(map(len, self.factors))

    @cached_property
    def packed(self) -> Packed:
        """For the core; packed once, and again when the graph has grown."""
        return Packed.of(self.variables, self.factors)

    def score(self, assignment: Mapping[Any, Any]) -> float:
        """The logarithm of the product of all factors."""
        codes = self.variables.observed(assignment)
        if codes is None or (codes < 0).any():
            raise DataError("an assignment has a value for each variable")
        return self.packed.score(codes)

    def __repr__(self) -> str:
        return f"FactorGraph({len(self.variables)} variables, {self.n_factors} factors)"

    # Asking

    def given(self, evidence: Given | None = None, *, max_entries: float | None = None) -> Answers:
        """The graph with some values known: the one object to ask several things of.

        Tables of more than ``max_entries`` are refused before any is made; None: what fits into memory.
        """
        return Answers(self.variables, self.packed, evidence, max_entries)

    def marginals(self, given: Given | None = None) -> dict[Any, Reals]:
        """P(value | given) of every variable, by name; exact."""
        return self.given(given).marginals()

    def log_partition(self, given: Given | None = None) -> float:
        """Log Z; of a Bayesian network, the log-probability of what is given."""
        return self.given(given).log_partition

    def query(self, of: Sequence[Any], given: Given | None = None) -> Reals:
        """P(of | given), one axis for each variable; exact."""
        return self.given(given).query(of)

    def best(self, given: Given | None = None, *, method: str = "auto") -> tuple[dict[Any, Any], float]:
        """The best assignment and its log score; exact.

        ``method``: 'tree', 'cut' (two values, pairs that prefer to agree), or 'auto': the first that
        fits.
        """
        return self.given(given).best(method=method)

    def kbest(self, k: int, given: Given | None = None) -> list[tuple[dict[Any, Any], float]]:
        """The k best assignments with their log scores, best first."""
        return self.given(given).kbest(k)

    def sample(self, n: int, given: Given | None = None, *, seed: int = 0) -> NDArray[np.int32]:
        """Independent assignments, (n, variables), as numbers of values."""
        return self.given(given).sample(n, seed=seed)

    def entropy(self, given: Given | None = None) -> float:
        """Of the distribution, in nats."""
        return self.given(given).entropy()

    def beliefs(
        self,
        given: Given | None = None,
        *,
        maximise: bool = False,
        schedule: str = "residual",
        damping: float = 0.0,
        max_rounds: int = 100,
        tol: float = 1e-6,
    ) -> Beliefs:
        """Belief propagation: an approximation, exact on trees alone.

        ``schedule``: 'residual' (what would change most is sent first), 'sequential' or 'flooding' (all
        at once). ``damping`` is the share of the old message that is kept.
        """
        if not 0 <= damping < 1:
            raise ValueError(f"damping must be 0 or more and less than 1, not {damping!r}")
        if max_rounds < 1 or not tol >= 0 or math.isinf(tol):
            raise ValueError("max_rounds must be at least 1, and tol a number that is not negative")
        return Beliefs.run(
            self.variables, self.packed, given, maximise, schedule, damping, max_rounds, tol
        )


def _count(features: Any) -> int:
    return int(features.shape[0]) if hasattr(features, "shape") else len(features)
