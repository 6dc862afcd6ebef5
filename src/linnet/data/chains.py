"""Chains of labels: what they may be, and what they are scored by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.segments import SegmentShape

Mask = NDArray[np.uint8]


@dataclass(frozen=True)
class ChainRules:
    """Which outputs are allowed: 1 where they are; None allows all."""

    transitions: Mask | None = None  # (labels, labels): a before b
    start: Mask | None = None  # (labels,)
    stop: Mask | None = None  # (labels,)
    tokens: Mask | None = None  # (tokens, labels): pinned tokens, tag dictionaries

    def __bool__(self) -> bool:
        """Is anything forbidden?"""
        return any(mask is not None for mask in self.masks().values())

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


@dataclass(frozen=True)
class ChainShape:
    """What makes a problem one of chains: how far labels see, and what mistakes cost."""

    order: int = 1
    ends: bool = False  # weights of first and last labels
    pairs: _core.Rows | None = None  # features of each token and the one before it: a row per token
    rules: ChainRules = ANYTHING
    all_states: bool | None = None  # weights for (feature, label) pairs never seen; None: as it suits
    all_transitions: bool = True  # and for transitions never seen
    prune: float = 0.0  # weights of features that are smaller are left out in the end
    costs: NDArray[np.float64] | None = None  # (labels, labels): [gold, predicted]
    token_weights: NDArray[np.float64] | None = None  # factors of the costs
    segments: SegmentShape | None = None  # labels are then codes of segments, see there

    def data(
        self,
        rows: _core.Rows,
        offsets: NDArray[np.int64],
        labels: NDArray[np.int32],
        n_labels: int,
        weights: NDArray[np.float64],
    ) -> _core.ChainData | _core.SegmentData:
        """The sentences for the core."""
        if self.segments is not None:
            return self.segments.data(rows, offsets, labels, weights)
        extra: dict[str, Any] = dict(self.rules.masks())
        extra["costs"] = None if self.costs is None else np.ascontiguousarray(self.costs, np.float64)
        if self.token_weights is not None:
            extra["token_weights"] = np.ascontiguousarray(self.token_weights, np.float64)
        return _core.ChainData(
            rows, offsets, labels, n_labels, weights, self.ends, self.order, self.pairs, **extra
        )
