"""A grammar as charts use it: tags, labels of phrases, and how many unary rules stand in a row."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.bracket_tree import WRAPPERS
from linnet.grammars.binarising import ABOVE, MADE
from linnet.grammars.grammar import Grammar
from linnet.grammars.reduction import circles

MOST_CHAINS = 64
IN_CIRCLES = 8  # unary rules in a row, where they go in circles and nothing else is said
NONE = ""  # the label of symbols that are no phrases


def plain(symbol: str) -> str:
    """The label of a symbol: without what binary trees added; ``@X`` for phrases that they made.

    >>> plain("NP^S"), plain("@VP^S:VBD>NP"), plain("@S>NP_VP")
    ('NP', '@VP', '@S')
    """
    if not symbol.startswith(MADE):
        return symbol.partition(ABOVE)[0] or symbol
    name = symbol[len(MADE) :]
    ends = [name.find(sign) for sign in (ABOVE, ":", ">", "<") if name.find(sign) > 0]
    return MADE + name[: min(ends, default=len(name))]


def longest_chain(unary: NDArray[np.int64]) -> int | None:
    """How many unary rules can stand in a row; None: they go in circles."""
    if len(circles(unary)):
        return None
    depth: dict[int, int] = {}
    for _ in range(len(unary) + 1):
        before = dict(depth)
        for left, right in unary.tolist():
            depth[left] = max(depth.get(left, 0), 1 + depth.get(right, 0))
        if depth == before:
            break
    return max(depth.values(), default=0)


@dataclass(frozen=True)
class ChartShape:
    """The symbols and rules of a grammar, in its order; weights are no part of it.

    ``tags`` are the symbols that become words, ``labels`` what spans are called, of which those with
    ``counts`` are phrases of the answer. A tree has at most ``chains`` unary rules in a row.
    """

    symbols: list[str]
    start: int
    chains: int
    tags: NDArray[np.int32]
    labels: list[str]
    label_of: NDArray[np.int32]  # of each symbol
    counts: NDArray[np.bool_]
    binary: NDArray[np.int32]
    unary: NDArray[np.int32]

    @classmethod
    def of(cls, grammar: Grammar, chains: int | None = None) -> ChartShape:
        """``chains`` None: as many as there can be, or `IN_CIRCLES` where there is no end."""
        if chains is None:
            longest = longest_chain(grammar.unary)
            chains = IN_CIRCLES if longest is None else min(longest, MOST_CHAINS)
        phrases = np.unique(np.concatenate([grammar.binary[:, 0], grammar.unary[:, 0]]))
        names = {int(k): plain(grammar.symbols[k]) for k in phrases}
        labels = [NONE, *sorted(set(names.values()) - {NONE})]
        code = {name: k for k, name in enumerate(labels)}
        start = plain(grammar.symbols[grammar.start])
        aside = {NONE, start} if start in WRAPPERS else {NONE}
        return cls(
            grammar.symbols,
            grammar.start,
            chains,
            np.unique(grammar.lexical[:, 0]).astype(np.int32),
            labels,
            np.array([code[names.get(k, NONE)] for k in range(len(grammar.symbols))], np.int32),
            np.array([name not in aside and name[:1] != MADE for name in labels]),
            np.ascontiguousarray(grammar.binary, np.int32),
            np.ascontiguousarray(grammar.unary, np.int32),
        )

    @cached_property
    def core(self) -> _core.ChartGrammar:
        """For the core."""
        return _core.ChartGrammar(
            len(self.symbols),
            self.start,
            self.chains,
            self.tags.tolist(),
            self.label_of.tolist(),
            self.counts.tolist(),
            self.binary,
            self.unary,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Without what is made anew where it is sent to."""
        return {name: value for name, value in self.__dict__.items() if name != "core"}
