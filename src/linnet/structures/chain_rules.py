"""Which chains of labels are allowed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]


@dataclass(frozen=True)
class ChainRules:
    """1 where an output is allowed; None allows all."""

    transitions: Mask | None = None  # (labels, labels): a before b
    start: Mask | None = None  # (labels,)
    stop: Mask | None = None  # (labels,)
    tokens: Mask | None = None  # (tokens, labels): pinned tokens, tag dictionaries

    def __bool__(self) -> bool:
        """Is anything forbidden?"""
        return any(mask is not None for mask in self.masks().values())

    def part(self, first: int, last: int) -> ChainRules:
        """For the tokens [first, last)."""
        return self if self.tokens is None else replace(self, tokens=self.tokens[first:last].copy())

    def masks(self) -> Mapping[str, Mask | None]:
        """Flat, as the core takes them."""
        given = {
            "transitions": self.transitions,
            "start": self.start,
            "stop": self.stop,
            "tokens": self.tokens,
        }
        return {
            name: None if mask is None else np.ascontiguousarray(mask, np.uint8).reshape(-1)
            for name, mask in given.items()
        }


ANYTHING = ChainRules()
