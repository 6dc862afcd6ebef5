"""Taggers that vote: all past weights of a voted perceptron in place of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import RefusedError
from linnet.model.chain import ChainModel
from linnet.model.token_model import rows_of
from linnet.structures import ANYTHING, Chain, ChainRules, Learnt

LONGEST_COUNT = 600.0  # seconds, estimated, that votes may be counted for


@dataclass(frozen=True)
class VotedChain:
    """Tags by votes: of each sentence the sequence of labels that most weight vectors find best.

    It answers as `ChainModel` does, but for questions that ask for scores or probabilities of other
    sequences, which votes do not know. ``last`` are the weights that the perceptron ended with.
    """

    votes: _core.OutputVotes
    last: ChainModel

    @classmethod
    def of(cls, learnt: Learnt, chain: Chain) -> VotedChain:
        """Of a perceptron over such chains."""
        return cls(learnt.votes, ChainModel.of(learnt, chain))

    @property
    def n_labels(self) -> int:
        return self.last.n_labels

    @property
    def order(self) -> int:
        return self.last.order

    @property
    def features(self) -> int:
        """How many features tokens have."""
        return self.last.features

    def best(
        self,
        rows: Any,
        offsets: NDArray[np.int64],
        *,
        pairs: Any = None,
        rules: ChainRules = ANYTHING,
        threads: int = 1,
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The labels of all tokens, and of each sentence the share of votes they got."""
        made = rows_of(rows, self.last.bias)
        seconds = self.votes.updates * made.size * (50 + self.n_labels ** (self.order + 1)) * 5e-10
        if seconds > LONGEST_COUNT:
            raise RefusedError(
                f"every one of {self.votes.updates} weight vectors would tag {made.size} tokens, for "
                f"about {seconds / 60:.0f} minutes; tag fewer at a time, or use learner 'perceptron' "
                f"with average=True"
            )
        chain = Chain(
            made,
            offsets,
            np.full(made.size, -1, np.int32),
            self.n_labels,
            order=self.order,
            ends=self.last.start is not None,
            pairs=None if pairs is None else rows_of(pairs, 1.0),
            rules=rules,
        )
        labels, found = self.votes.best(chain.dataset(np.ones(chain.size)))
        shares = np.ones(chain.size)
        shares[np.diff(offsets) > 0] = found
        return labels, shares

    def kbest(self, *_: Any, **__: Any) -> Any:
        """Refused."""
        raise RefusedError("votes are for one sequence of tags, and rank no others; leave out k")

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The last weights."""
        return self.last.tensors()
