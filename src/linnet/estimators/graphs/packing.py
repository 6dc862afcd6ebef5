"""Graphs with templates as arrays for the grid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data import Vocabulary, as_rows
from linnet.errors import DataError
from linnet.graphs import FactorGraph, Factors
from linnet.structures import GraphBlock


@dataclass
class Template:
    """What is known of a kind of factors: sizes and values of its variables, and its features."""

    name: str
    domains: tuple[tuple[Any, ...], ...]
    conditional: bool
    features: int = 0  # columns; without names if the vocabulary is None
    vocabulary: Vocabulary | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Of its table."""
        return tuple(map(len, self.domains))


@dataclass(frozen=True)
class Case:
    """A graph, and the values that are given with it."""

    graph: FactorGraph
    given: Mapping[Any, Any]

    @classmethod
    def of(cls, x: Any, i: int) -> Case:
        """Of a graph, or a pair of a graph and a mapping."""
        graph, given = x if isinstance(x, tuple) and len(x) == 2 else (x, {})
        if not isinstance(graph, FactorGraph) or not isinstance(given, Mapping):
            raise DataError(
                f"X[{i}] must be a FactorGraph, or a pair of one and the values that are given, not "
                f"{x!r:.60}"
            )
        return cls(graph, given)


def cases_of(X: Iterable[Any]) -> list[Case]:
    """All graphs; those without templates are not for a model."""
    if isinstance(X, FactorGraph):
        raise DataError("X is one graph; give a list of graphs")
    cases = [Case.of(x, i) for i, x in enumerate(X)]
    for i, case in enumerate(cases):
        if any(block.template is None for block in case.graph.factors):
            raise DataError(
                f"X[{i}] has factors with tables of their own; a model learns those of templates: use "
                f"add_factors(…, template=…)"
            )
    return cases


class Templates:
    """All templates in the order they were first seen."""

    def __init__(self, known: Iterable[Template] = ()) -> None:
        self.by_name = {template.name: template for template in known}

    def learn(self, cases: Sequence[Case]) -> None:
        """Templates, the values of their variables, and names of features."""
        for i, case in enumerate(cases):
            for block in case.graph.factors:
                template = self._of(case.graph, block, i)
                if isinstance(block.features, list) and template.vocabulary is not None:
                    template.vocabulary.matrix(block.features, grow=True)
                    template.features = len(template.vocabulary)

    def _of(self, graph: FactorGraph, block: Factors, i: int) -> Template:
        assert block.template is not None
        if not len(block.scopes):
            raise DataError(f"X[{i}]: template {block.template!r} has no factors; leave it out")
        domains = tuple(graph.variables.domains[v] for v in block.scopes[0])
        known = self.by_name.get(block.template)
        if known is None:
            named = isinstance(block.features, list)
            columns = 0 if block.features is None or named else int(block.features.shape[1])
            vocabulary = Vocabulary() if named else None
            known = Template(block.template, domains, block.conditional, columns, vocabulary)
            self.by_name[known.name] = known
        if known.domains != domains or known.conditional != block.conditional:
            raise DataError(
                f"X[{i}]: template {known.name!r} has other values here than in the graphs before"
            )
        return known

    def check(self, cases: Sequence[Case]) -> None:
        """Only templates that were learnt."""
        for i, case in enumerate(cases):
            for block in case.graph.factors:
                if block.template not in self.by_name:
                    raise DataError(
                        f"X[{i}] has the template {block.template!r}, which was not learnt; there are "
                        f"{', '.join(self.by_name)}"
                    )
                self._of(case.graph, block, i)

    def matrix(self, template: Template, block: Factors | None, i: int) -> Any:
        """Rows of features of a block."""
        from scipy import sparse

        count = 0 if block is None else len(block)
        if block is None or (block.features is None and template.features == 0):
            return sparse.csr_matrix((count, template.features))
        features = block.features
        if isinstance(features, list) and template.vocabulary is not None:
            found = template.vocabulary.matrix(features, grow=False)
            found.resize(count, template.features)
            return found
        if features is None or isinstance(features, list) or features.shape[1] != template.features:
            raise DataError(
                f"X[{i}]: template {template.name!r} was learnt with {template.features} features"
                f"{' that have names' if template.vocabulary is not None else ''}, and has others here"
            )
        return sparse.csr_matrix(features, dtype=np.float64)

    def blocks(self, cases: Sequence[Case]) -> tuple[GraphBlock, ...]:
        """For a structure."""
        from scipy import sparse

        found = []
        for template in self.by_name.values():
            matrices, scopes, counts = [], [np.zeros((0, len(template.domains)), np.int32)], [0]
            for i, case in enumerate(cases):
                mine = [b for b in case.graph.factors if b.template == template.name]
                matrices += [self.matrix(template, block, i) for block in mine]
                scopes += [block.scopes for block in mine]
                counts.append(sum(map(len, mine)))
            rows = sparse.vstack(matrices or [sparse.csr_matrix((0, template.features))], format="csr")
            found.append(
                GraphBlock(
                    template.name,
                    as_rows(rows.astype(np.float64), 1.0),
                    template.shape,
                    np.cumsum(counts, dtype=np.int64),
                    np.ascontiguousarray(np.concatenate(scopes)),
                    template.conditional,
                )
            )
        return tuple(found)


Codes = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]


def check_told(codes: Codes, counted: bool) -> None:
    """Something must be known to learn from; of tables that are counted, what is given is."""
    _, _, values, given = codes
    known = values >= 0
    if not (known if counted else known & (given == 0)).any():
        raise DataError("y tells no variable that is not given: there is nothing to learn from")


def codes_of(cases: Sequence[Case], y: Any) -> Codes:
    """Offsets and sizes of variables, their values (−1: missing), and which are given."""
    if not isinstance(y, Iterable):
        raise DataError(f"y must be a list of mappings, one for each graph, not {y!r:.60}")
    y = list(y)
    if len(y) != len(cases):
        raise DataError(f"X has {len(cases)} graphs, but y has {len(y)} entries")
    offsets, sizes, values, given = [0], [], [], []
    for i, case in enumerate(cases):
        variables = case.graph.variables
        if not isinstance(y[i], Mapping):
            raise DataError(f"y[{i}] must be a mapping of variables to values, not {y[i]!r:.60}")
        known = dict(case.given)
        for name, value in y[i].items():
            if value is not None and known.setdefault(name, value) != value:
                raise DataError(
                    f"y[{i}] tells {name!r} to be {value!r}, but {known[name]!r} is given with x"
                )
        try:
            codes = variables.observed(known)
            seen = variables.observed(case.given)
        except DataError as error:
            raise DataError(f"graph {i}: {error}") from None
        none = np.full(len(variables), -1, np.int32)
        offsets.append(offsets[-1] + len(variables))
        sizes.append(variables.sizes)
        values.append(none if codes is None else codes)
        given.append((none if seen is None else seen) >= 0)
    return (
        np.array(offsets, np.int64),
        np.concatenate([np.zeros(0, np.int32), *sizes]),
        np.concatenate([np.zeros(0, np.int32), *values]),
        np.concatenate([np.zeros(0, bool), *given]).astype(np.uint8),
    )
