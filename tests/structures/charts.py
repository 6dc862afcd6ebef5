"""Small grammars, for the core and for the enumerator of all their trees."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

import linnet._core as _core
from linnet import testing

BINARY = [(0, 0, 0), (0, 1, 2), (1, 0, 1), (2, 2, 0), (1, 2, 2), (0, 2, 1)]


@dataclass(frozen=True)
class SmallGrammar:
    symbols: int = 3
    start: int = 0
    tagged: Sequence[int] = (0, 1, 2)
    binary: Sequence[tuple[int, int, int]] = field(default_factory=lambda: BINARY)
    unary: Sequence[tuple[int, int]] = ()
    chains: int = 0
    labels: Sequence[int] = ()  # none: spans have no parts
    known: Sequence[tuple[int, int, int]] = ()

    @cached_property
    def grammar(self) -> _core.ChartGrammar:
        labels = list(self.labels or [0] * self.symbols)
        return _core.ChartGrammar(
            self.symbols,
            self.start,
            self.chains,
            list(self.tagged),
            labels,
            [True] * (max(labels) + 1),
            np.array(self.binary, np.int32).reshape(-1, 3),
            np.array(self.unary, np.int32).reshape(-1, 2),
        )

    def forest(self, length: int) -> _core.ChartForest:
        return _core.ChartForest(self.grammar, length, bool(self.labels), list(self.known))

    def oracle(self, length: int) -> _core.ChartOracle:
        return _core.ChartOracle(self.grammar, length, bool(self.labels), list(self.known))

    def trees(self, length: int) -> Iterator[list[int]]:
        return testing.all_derivations(
            length,
            self.start,
            self.tagged,
            self.binary,
            self.unary,
            chains=self.chains,
            labels=self.labels,
            known=self.known,
        )


small = SmallGrammar
