"""Models that vote: all past weights of a voted perceptron in place of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import as_rows
from linnet.errors import RefusedError
from linnet.structures import ANYTHING, Chain, ChainRules

LONGEST_COUNT = 600.0  # seconds, estimated, that votes may be counted for


@dataclass(frozen=True)
class VoteShares:
    """Scores by the share of votes; two labels in one column have the difference of their shares."""

    votes: _core.Votes
    width: int

    def __call__(self, rows: _core.Rows) -> NDArray[np.float64]:
        """(rows, width), between −1 and 1."""
        counts = self.votes.count(rows)
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        return np.asarray(shares[:, 1:] - shares[:, :1] if self.width == 1 else shares)


@dataclass(frozen=True)
class ChainVoter:
    """Tags by votes: of each sentence the sequence of labels that most weight vectors find best."""

    votes: _core.OutputVotes
    n_labels: int
    bias: float
    order: int
    ends: bool

    @classmethod
    def of(cls, votes: _core.OutputVotes, chain: Chain) -> ChainVoter:
        """Of a perceptron over such chains."""
        return cls(votes, chain.n_labels, chain.rows.bias, chain.order, chain.ends)

    def best(
        self,
        X: Any,
        offsets: NDArray[np.int64],
        *,
        pairs: Any = None,
        rules: ChainRules = ANYTHING,
        threads: int = 1,
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The labels of all tokens, and of each sentence the share of votes they got."""
        rows = X if isinstance(X, _core.Rows) else as_rows(X, self.bias)
        if pairs is not None and not isinstance(pairs, _core.Rows):
            pairs = as_rows(pairs, 1.0)
        seconds = self.votes.updates * rows.size * (50 + self.n_labels ** (self.order + 1)) * 5e-10
        if seconds > LONGEST_COUNT:
            raise RefusedError(
                f"every one of {self.votes.updates} weight vectors would tag {rows.size} tokens, for "
                f"about {seconds / 60:.0f} minutes; tag fewer at a time, or use learner 'perceptron' "
                f"with average=True"
            )
        missing = np.full(rows.size, -1, np.int32)
        chain = Chain(
            rows,
            offsets,
            missing,
            self.n_labels,
            order=self.order,
            ends=self.ends,
            pairs=pairs,
            rules=rules,
        )
        labels, found = self.votes.best(chain.dataset(np.ones(chain.size)))
        shares = np.ones(chain.size)
        shares[np.diff(offsets) > 0] = found
        return labels, shares
