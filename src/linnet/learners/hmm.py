"""Hidden Markov models as weights: log P(event | tag), log P(next tag | tag), first tags and last.

log P(x, y) = Σ_t log P(x_t | y_t) + log P(y_1 | start) + Σ_t log P(y_t | y_{t−1}) + log P(stop | y_n)
is w · f(x, y) for the counts f of the chain, so these tables are weights like any others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import number
from linnet.errors import RefusedError
from linnet.learners.base import Problem

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Dirichlet:
    """Add-α smoothing: the most likely parameters under a prior that counts α of everything.

    ``events`` is the α of P(event | tag), ``tags`` that of all other families.
    """

    events: float
    tags: float

    @classmethod
    def of(cls, smoothing: float, transition_smoothing: float | None) -> Dirichlet:
        """Checked; transitions are smoothed as emissions are unless something else is said."""
        tags = smoothing if transition_smoothing is None else transition_smoothing
        for name, alpha in (("smoothing", smoothing), ("transition_smoothing", tags)):
            if not 0 <= number(alpha) < float("inf"):
                raise ValueError(f"{name} must be 0 or more, not {alpha!r}")
        return cls(float(smoothing), float(tags))


class HmmTables:
    """The families of an HMM within flat vectors that lie as the weights of a chain do."""

    def __init__(self, problem: Problem) -> None:
        shape = problem.chain
        assert shape is not None
        if shape.order != 1 or shape.pairs is not None:
            raise RefusedError(
                "a hidden Markov model counts tags and pairs of tags: use order=1, and transitions "
                "that do not see the observation"
            )
        _core.check_events(problem.rows)
        data = problem.data()
        assert isinstance(data, _core.ChainData)
        self.data, self.ends = data, shape.ends
        self._events, self._labels = problem.rows.features, problem.n_labels
        allowed = shape.rules.transitions
        self._transitions: NDArray[np.bool_] = (
            np.ones((self._labels, self._labels), bool)
            if allowed is None
            else np.asarray(allowed, bool).reshape(self._labels, self._labels)
        )

    def families(self, flat: Vector) -> tuple[Vector, Vector, Vector, Vector]:
        """Views: events (tags, events), next (tags, tags), first (tags,) and last (tags,) tags."""
        L, stride = self._labels, _core.padded(self._labels)
        tokens = flat[: (self._events + 1) * stride].reshape(-1, stride)
        pairs = flat[self.data.transitions :][: L * L].reshape(L, L)
        none = np.zeros(0)
        first = flat[self.data.start :][:L] if self.ends else none
        last = flat[self.data.stop :][:L] if self.ends else none
        return tokens[1:, :L].T, pairs, first, last

    def weights(self, counts: Vector, prior: Dirichlet) -> Vector:
        """The M step: log-probabilities.

        P(event | tag) sums to one over events, P(next | tag) over next tags and the end of the
        sentence, P(first) over tags. Without ends the first tag is free and nothing is said of the
        end. Transitions that the rules forbid have no share.
        """
        weights = np.zeros_like(counts)
        for part, alpha in zip(self.families(weights), self._alphas(prior), strict=True):
            part[:] = alpha
        tables, out = self.families(counts + weights), self.families(weights)
        events, pairs, first, last = tables
        out[0][:] = _log_shares(events)
        onward = _log_shares(np.column_stack([pairs, last]) if self.ends else pairs)
        out[1][:] = onward[:, : self._labels]
        if self.ends:
            out[2][:], out[3][:] = _log_shares(first), onward[:, -1]
        return weights

    def log_prior(self, weights: Vector, prior: Dirichlet) -> float:
        """Σ α log p, up to a constant."""
        total = 0.0
        for part, alpha in zip(self.families(weights), self._alphas(prior), strict=True):
            held = np.broadcast_to(alpha, part.shape)
            total += float(held[held > 0] @ part[held > 0])
        return total

    def _alphas(self, prior: Dirichlet) -> tuple[Any, ...]:
        """α of each family."""
        return prior.events, np.where(self._transitions, prior.tags, 0.0), prior.tags, prior.tags

    def log_likelihood(self, counts: Vector, weights: Vector) -> float:
        """The product w · f: of sentences with all their tags, their log-likelihood."""
        seen = counts > 0
        return float(counts[seen] @ weights[seen])


def _log_shares(counts: Vector) -> Vector:
    """The log of each count's share of its row; a row without counts has log 0 throughout."""
    totals = counts.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore"):  # log 0 = −inf is meant
        shares: Vector = np.log(counts) - np.log(np.where(totals > 0, totals, 1.0))
    return shares
