"""Chains: a label for each token of a sentence, and weights of labels that follow each other."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.matrix import rows_between
from linnet.errors import DataError, RefusedError
from linnet.structures import seen_pairs
from linnet.structures.base import Minimise, Reals, Structure, Trait
from linnet.structures.chain_rules import ANYTHING, ChainRules
from linnet.structures.families import Family
from linnet.structures.problem import Problem, Reduction, Solver

TRANSITION = 56  # bytes: scores and potentials, forward and backward, expected numbers and their sum


@dataclass(frozen=True)
class Chain(Structure):
    """Sentence i is tokens [offsets[i], offsets[i + 1]); labels are one per token, -1 where missing."""

    rows: _core.Rows
    offsets: NDArray[np.int64]
    labels: NDArray[np.int32]
    n_labels: int
    order: int = 1  # how many labels back a transition sees
    ends: bool = False  # weights of first and last labels
    local: bool = False  # normalised token by token: a maximum entropy Markov model
    pairs: _core.Rows | None = None  # features of each token and the one before it: a row per token
    rules: ChainRules = ANYTHING
    all_states: bool | None = None  # weights for (feature, label) pairs never seen; None: as it suits
    all_transitions: bool = True  # and for transitions never seen
    prune: float = 0.0  # weights of features that are smaller are left out in the end
    costs: Reals | None = None  # (labels, labels): [gold, predicted]
    token_weights: Reals | None = None  # factors of the costs
    shard: bool = False  # of a problem whose weights are laid out alike in all parts

    may_hold_seen_pairs = True
    tied_told = "all transitions between labels"
    name = "chain"
    plural = "chains"
    outputs = "a label for each token of a sentence"
    complete = "the label of every token"
    traits = frozenset(
        {
            Trait.TIED,
            Trait.MANY_PARTS,
            Trait.COUNTED,
            Trait.EXPECTED,
            Trait.SUMMED_OUT,
            Trait.EXACT_SUMS,
            Trait.VOTED,
        }
    )
    duals = frozenset({"logistic"})

    def __post_init__(self) -> None:
        """Refuse what would not fit before anything is made of it."""
        if self.order > 1:
            try:
                longest = int(np.diff(self.offsets).max(initial=1))
                _core.HigherChain.check(longest, self.n_labels, min(self.order, 2**31 - 1))
            except ValueError as error:
                raise DataError(str(error)) from None

    def dataset(self, weights: Reals) -> _core.ChainData:
        """Sentences; tied parts are sites with the constant feature alone."""
        extra: dict[str, Any] = dict(self.rules.masks())
        extra["costs"] = None if self.costs is None else np.ascontiguousarray(self.costs, np.float64)
        if self.token_weights is not None:
            extra["token_weights"] = np.ascontiguousarray(self.token_weights, np.float64)
        return _core.ChainData(
            self.rows,
            self.offsets,
            self.labels,
            self.n_labels,
            weights,
            self.ends,
            self.order,
            self.pairs,
            **extra,
        )

    @property
    def size(self) -> int:
        """Of sentences."""
        return len(self.offsets) - 1

    @property
    def width(self) -> int:
        """Labels."""
        return self.n_labels

    @property
    def n_weights(self) -> float:
        """Of tokens, pairs of tokens, and windows of labels."""
        L = float(self.n_labels)
        pair_rows = 0.0 if self.pairs is None else self.pairs.features + 1.0
        tokens = (self.rows.features + 1.0) * _core.padded(self.n_labels)
        return tokens + pair_rows * L * L + self._n_windows

    @property
    def _n_windows(self) -> float:
        """Of 2 labels, of 3, …"""
        return float(sum(float(self.n_labels) ** (m + 1) for m in range(1, self.order + 1)))

    def tied_bytes(self, dual: bool) -> float:
        """Transitions, which are full tables in every learner, and in prediction even if all are 0."""
        pairs = float(self.n_labels) ** 2
        kept = 4.0 * self.size * pairs if dual and self.all_transitions and self.order == 1 else 0.0
        return TRANSITION * max(pairs, self._n_windows) + kept

    @property
    def weights_told(self) -> str:
        """Of order 2 and more, windows count."""
        if self.order < 2:
            return super().weights_told
        return f"{super().weights_told}, and for {self._n_windows:,.0f} windows of labels"

    @property
    def partial(self) -> bool:
        """Are some labels missing?"""
        return bool((self.labels < 0).any())

    @property
    def weighs_mistakes(self) -> bool:
        """By labels or by tokens."""
        return self.costs is not None or self.token_weights is not None

    def labelled(self) -> NDArray[np.bool_] | None:
        """Sentences of which every token has a label."""
        missing = np.concatenate([[0], np.cumsum(self.labels < 0)])
        whole = missing[self.offsets[1:]] == missing[self.offsets[:-1]]
        shown = self.labels[np.repeat(whole, np.diff(self.offsets))]
        return np.asarray(whole) if len(np.unique(shown)) == self.n_labels else None

    def log_outputs(self) -> float:
        """labels^n of the longest sentence."""
        return int(np.diff(self.offsets).max(initial=0)) * math.log(self.n_labels)

    def part(self, begin: int, end: int) -> Chain:
        """Some of the sentences."""
        first, last = int(self.offsets[begin]), int(self.offsets[end])
        weights = self.token_weights
        return replace(
            self,
            rows=rows_between(self.rows, first, last),
            offsets=self.offsets[begin : end + 1] - first,
            labels=self.labels[first:last].copy(),
            pairs=None if self.pairs is None else rows_between(self.pairs, first, last),
            rules=self.rules.part(first, last),
            token_weights=None if weights is None else weights[first:last].copy(),
            shard=True,
        )

    def reduced(self, problem: Problem) -> Reduction | None:
        """Tokens by themselves, of order 0; each in view of the label before, if normalised locally."""
        from linnet.structures.token_reductions import local_problem, tokens_apart

        if self.local:
            return local_problem(problem, self)
        return tokens_apart(problem, self) if self.order == 0 else None

    def check_events(self) -> None:
        """One event for each token."""
        if self.order != 1 or self.pairs is not None:
            raise RefusedError(
                "a hidden Markov model counts tags and pairs of tags: use order=1, and transitions "
                "that do not see the observation"
            )
        _core.check_events(self.rows)

    def families(self, flat: Reals) -> list[Family]:
        """Events given a label, next labels (or the end) given a label, first labels."""
        part = self.layout.parts(flat)
        allowed = self.rules.transitions
        moves = None if allowed is None else np.asarray(allowed, bool).reshape(self.n_labels, -1)
        events = Family((part["tokens"][1:].T,), events=True)
        if not self.ends:  # the first label is free, and nothing is said of the end
            return [events, Family((part["transitions"],), events=False, allowed=moves)]
        onward = (part["transitions"], part["stop"][:, None])
        return [
            events,
            Family(onward, events=False, allowed=moves),
            Family((part["start"][None, :],), events=False),
        ]

    # Weights for the pairs of feature and label seen in training

    def why_dense(self, problem: Problem) -> str | None:
        """What the fast path does not know of this problem."""
        return seen_pairs.why_dense(self, problem)

    def seen_pairs_only(self) -> str | None:
        """Settings that only the fast path can serve."""
        if self.all_states is False:
            return "all_states=False"
        return None if self.all_transitions else "all_transitions=False"

    def dual(self, problem: Problem, *, shrinking: bool) -> Solver:
        """A CRF by stochastic dual ascent over sentences."""
        reason = self.why_dense(problem)
        if reason is not None:
            raise RefusedError(f"dual does not train chains with {reason}; use learner 'lbfgs'")
        return seen_pairs.dual(self, problem)

    def steps(self, problem: Problem, rule: str, C: float) -> Solver | None:
        """They need every label."""
        if problem.loss not in ("perceptron", "hinge") or self.partial or self.why_dense(problem):
            return None
        return seen_pairs.steps(self, problem, rule, C)

    def minimised(self, problem: Problem, minimise: Minimise, **tolerances: Any) -> Solver | None:
        """A CRF over seen pairs."""
        if problem.loss != "logistic" or self.why_dense(problem) is not None:
            return None
        return seen_pairs.minimised(self, problem, minimise, tolerances)
