"""Chains with weights for the pairs of feature and label seen in training: the fast path.

The generic path is a block of weights for every (feature, label). The fast one is the core's
`ChainCRF`, whose coordinates merge features that always stand together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.structures.base import Minimise, Reals
from linnet.structures.problem import LabelRows, Learnt, Problem, Solver, State, Weights

if TYPE_CHECKING:
    from linnet.structures.chain import Chain

_TOL_OF_SINGLES = 1e-6
_SMALL_DECREASE = 1e-6
MANY_LABELS = 64  # of tokens by themselves: with more, weights that are not moved take most of the time


class SeenPairsSolver(Solver):
    """A solver of the core over the coordinates of a `ChainCRF`, which has a copy of the rows.

    Tokens by themselves have their solver alone.
    """

    def __init__(self, crf: Any, core: Any, prune: float, counts_mistakes: bool) -> None:
        self.crf = crf
        self.core = core
        self.prune = prune
        self.counts_mistakes = counts_mistakes

    def learning(self) -> Any:
        """The solver of the core."""
        return self.core

    def epoch(self) -> _core.EpochStats:
        """One pass."""
        stats: _core.EpochStats = self.core.epoch()
        return stats

    def weights(self) -> Weights:
        """Of transitions (labels, labels), and of first and last labels if these have any."""
        tied: Weights = np.asarray(getattr(self.core, "tied_weights", ()), np.float64)
        return tied

    def states(self) -> LabelRows:
        """Of the pairs of feature and label."""
        return LabelRows(*self.core.label_rows(self.prune))

    def learnt(self) -> Learnt:
        """Sparse weights of tokens beside those of labels."""
        return Learnt(self.weights(), states=self.states())


class SeenPairsDual(SeenPairsSolver):
    """With a certificate."""

    def certify(self) -> _core.EpochStats:
        """Objective and gap."""
        stats: _core.EpochStats = self.core.certify()
        return stats


class SeenPairsMinimiser(SeenPairsSolver):
    """An optimiser over seen pairs: in single precision, which is twice as fast, while that will do.

    Where steps become as small as rounding, line searches fail; the rest is done in double precision.
    """

    def __init__(self, crf: _core.ChainCRF, core: _core.Minimiser, prune: float) -> None:
        super().__init__(crf, core, prune, counts_mistakes=False)
        self.objective = np.inf

    def epoch(self) -> _core.EpochStats:
        """One iteration."""
        evaluations = self.core.evaluations
        stats = super().epoch()
        decrease, self.objective = self.objective - stats.objective, stats.objective
        small = decrease < _SMALL_DECREASE * abs(stats.objective)
        stuck = stats.converged and stats.updates == 0 and stats.gradient_norm > 0
        searching = self.core.evaluations - evaluations > 4
        rounding = stuck or (not stats.converged and (small or searching))
        if rounding and not self.crf.precise and not stats.interrupted:
            self.crf.precise = True
            self.core.restart()
            stats.converged = False
        return stats

    def state(self) -> State:
        """And in which precision it is, how low."""
        return super().state() | {"seen": np.array([float(self.crf.precise), self.objective])}

    def restore(self, state: State) -> None:
        """Go on from there."""
        precise, self.objective = map(float, state["seen"])
        self.crf.precise = bool(precise)
        super().restore(state)

    def weights(self) -> Weights:
        """As above, of coordinates."""
        u = self.core.weights
        moves, ends = self.crf.transition_weights(u), self.crf.end_weights(u)
        return np.concatenate([np.asarray(moves).reshape(-1), np.asarray(ends).reshape(-1)])

    def states(self) -> LabelRows:
        """As above, of coordinates."""
        return LabelRows(*self.crf.label_rows(self.core.weights, self.prune))


def why_dense(chain: Chain, problem: Problem) -> str | None:
    """What the fast path does not know of this problem; None if it knows all."""
    if chain.shard:
        return "weights that all shards have"
    if chain.order != 1:
        return f"a chain of order {chain.order}"
    if chain.pairs is not None:
        return "transitions that see the observation"
    if chain.rules:
        return "forbidden labels in training"
    if chain.weighs_mistakes:
        return "costs of mistakes"
    if not problem.penalize_intercept and problem.penalty != "none":
        return "an intercept without a penalty"
    return None


def dual(chain: Chain, problem: Problem) -> SeenPairsDual:
    """Stochastic dual coordinate ascent over sentences."""
    crf = _crf(chain, problem)
    core = _core.ChainDual(crf, problem.tol, problem.seed)
    return SeenPairsDual(crf, core, chain.prune, counts_mistakes=False)


def steps(chain: Chain, problem: Problem, rule: str, C: float) -> SeenPairsSolver:
    """Perceptron and passive-aggressive steps over whole sentences."""
    settings: dict[str, Any] = {
        "average": bool(problem.average),
        "shuffle": problem.shuffle,
        "seed": problem.seed,
        "cost": problem.margin if problem.loss == "hinge" else 0.0,
    }
    if _tokens_of_many_labels(chain, problem):
        costs = replace(problem, C=1.0).costs
        alone = _core.TokenSteps(chain.rows, chain.labels, chain.n_labels, costs, rule, C, **settings)
        if problem.spend_rows:
            chain.rows.forget()  # it has a copy
        return SeenPairsSolver(None, alone, chain.prune, counts_mistakes=True)
    crf = _crf(chain, replace(problem, C=1.0))  # weights of sentences count as they are
    core = _core.ChainPerceptron(crf, rule, C, **settings)
    if problem.initial is not None:
        core.start_at(_coordinates(crf, chain, problem))
    return SeenPairsSolver(crf, core, chain.prune, counts_mistakes=True)


def _tokens_of_many_labels(chain: Chain, problem: Problem) -> bool:
    """Tokens by themselves, with weights for all pairs: most of these are never moved."""
    apart = len(chain.offsets) == len(chain.labels) + 1 and bool((np.diff(chain.offsets) == 1).all())
    many = chain.n_labels >= MANY_LABELS and chain.all_states is True
    return apart and many and not (chain.all_transitions or chain.ends or problem.initial is not None)


def minimised(
    chain: Chain, problem: Problem, minimise: Minimise, tolerances: dict[str, Any]
) -> SeenPairsMinimiser:
    """Batch optimisers over the likelihood; a coordinate for k equal weights has √k times their L1."""
    crf = _crf(chain, problem, precise=problem.tol < _TOL_OF_SINGLES)
    l1: Reals = problem.l1 * np.asarray(crf.scale)
    core = minimise(crf, l1, **tolerances)
    if problem.initial is not None:
        core.restart(_coordinates(crf, chain, problem))
    return SeenPairsMinimiser(crf, core, chain.prune)


def _crf(chain: Chain, problem: Problem, precise: bool = False) -> _core.ChainCRF:
    """The objective over seen pairs, or over all where the problem says so."""
    crf = _core.ChainCRF(
        chain.rows,
        chain.labels,
        chain.offsets,
        chain.n_labels,
        problem.costs,
        l2=problem.l2,
        all_pairs=chain.all_states is True,
        all_transitions=chain.all_transitions,
        ends=chain.ends,
        precise=precise,
        threads=problem.threads,
    )
    if problem.spend_rows and problem.initial is None:
        chain.rows.forget()  # it has a copy
    return crf


def _coordinates(crf: _core.ChainCRF, chain: Chain, problem: Problem) -> NDArray[np.float64]:
    """The weights to start from, in the layout of chains, as coordinates."""
    assert problem.initial is not None
    part = chain.layout.parts(problem.initial.astype(np.float64))
    rows, labels = np.asarray(crf.pairs, np.int64).T
    ends = np.stack([part["start"], part["stop"]]) if chain.ends else None
    moves = np.ascontiguousarray(part["transitions"])
    return np.asarray(crf.coordinates(part["tokens"][rows, labels], moves, ends))
