"""Counting: naive Bayes and hidden Markov models in closed form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import number
from linnet.errors import RefusedError
from linnet.learners.base import Learner
from linnet.learners.checks import check_dense
from linnet.learners.shards import Counts, restored
from linnet.structures import Problem, Solver, State, Trait, Weights
from linnet.structures.families import Family, log_shares
from linnet.structures.layout import grown

Reals = NDArray[np.float64]
VARIANTS = ("multinomial", "bernoulli", "complement")
NOT_COUNTED = (
    "it needs features that are the events of a story, one after the other; these overlap; use 'lbfgs' "
    "or 'perceptron'"
)


@dataclass(frozen=True)
class Dirichlet:
    """Add-α smoothing: the most likely parameters under a prior that counts α of everything.

    ``events`` is the α of P(event | label), ``labels`` that of all other families.
    """

    events: float
    labels: float

    @classmethod
    def of(cls, smoothing: float, transition_smoothing: float | None) -> Dirichlet:
        """Checked; transitions are smoothed as emissions are unless something else is said."""
        labels = smoothing if transition_smoothing is None else transition_smoothing
        for name, alpha in (("smoothing", smoothing), ("transition_smoothing", labels)):
            if not 0 <= number(alpha) < float("inf"):
                raise ValueError(f"{name} must be 0 or more, not {alpha!r}")
        return cls(float(smoothing), float(labels))

    def of_family(self, family: Family) -> Reals:
        """α of every outcome."""
        return family.prior(self.events if family.events else self.labels)


class CountedTables:
    """Counts of events as log-probabilities, family by family."""

    def __init__(self, problem: Problem) -> None:
        self.structure = problem.structure

    def weights(self, counts: Reals, prior: Dirichlet) -> Reals:
        """The M step: in each family, probabilities given the same thing sum to one."""
        weights = np.zeros_like(counts)
        pairs = zip(self.structure.families(counts), self.structure.families(weights), strict=True)
        for counted, written in pairs:
            written.write(log_shares(counted.values() + prior.of_family(counted)))
        return weights

    def log_prior(self, weights: Reals, prior: Dirichlet) -> float:
        """Σ α log p, up to a constant."""
        total = 0.0
        for family in self.structure.families(weights):
            held = prior.of_family(family)
            total += float(held[held > 0] @ family.values()[held > 0])
        return total

    @staticmethod
    def log_likelihood(counts: Reals, weights: Reals) -> float:
        """The product w · f: of instances with all their labels, their log-likelihood."""
        seen = counts > 0
        return float(counts[seen] @ weights[seen])


class Counting(Learner):
    """Relative frequencies: maximises the joint likelihood P(x, y).

    Of texts it is naive Bayes, P(y) Π_j P(x_j | y):

    - ``multinomial``: P(j|y) = (count(y, j) + α) / (Σ_j count(y, j) + αV); α = 0 is maximum
      likelihood, where a word never seen with a label rules the label out.
    - ``bernoulli``: P(j present|y) = (documents(y, j) + α) / (documents(y) + 2α); a feature counts as
      present when its value is positive.
    - ``complement`` (Rennie et al. 2003): minus the multinomial log-probabilities of all other labels.

    Sentences with a tag for every token become a hidden Markov model: multinomial tables of events,
    of next tags (or the end) and of first tags; ``transition_smoothing`` is the α of those of tags,
    ``smoothing`` if it is None.

    The weights are log-probabilities, one column per label even for two labels, because the
    difference of two logs of zero would be lost in a single column.
    """

    name: ClassVar[str] = "counting"
    family: ClassVar[str] = "counting"
    losses: ClassVar[frozenset[str]] = frozenset({"joint_likelihood"})
    losses_why: ClassVar[str] = (
        "relative frequencies maximise the joint likelihood only; use 'lbfgs', 'dual' or 'sgd'"
    )
    penalties: ClassVar[frozenset[str]] = frozenset({"none"})
    penalties_why: ClassVar[str] = (
        "its prior is the smoothing constant; set that, and use penalty='none'"
    )
    columns: ClassVar[bool] = True
    needs_unit_intercept: ClassVar[bool] = True  # it is the prior, and what absence says
    incremental: ClassVar[bool] = True
    sharded: ClassVar[bool] = True

    def __init__(
        self,
        variant: str = "multinomial",
        smoothing: float = 1.0,
        prior: str = "empirical",
        transition_smoothing: float | None = None,
    ) -> None:
        self.variant = variant
        self.smoothing = smoothing
        self.prior = prior
        self.transition_smoothing = transition_smoothing

    @property
    def needs(self) -> Mapping[Trait, str]:
        """A story."""
        return {Trait.COUNTED: NOT_COUNTED}

    def solver(self, problem: Problem) -> CountingSolver:
        """Counts in one pass."""
        if self.variant not in VARIANTS:
            raise ValueError(f"variant must be one of {', '.join(VARIANTS)}, not {self.variant!r}")
        if self.prior not in ("empirical", "uniform"):
            raise ValueError(f"prior must be 'empirical' or 'uniform', not {self.prior!r}")
        labels = Trait.LABELS in problem.structure.traits
        if labels and self.transition_smoothing is not None:
            raise ValueError("transition_smoothing is of tags that follow each other; leave it out")
        if not labels and (self.variant != "multinomial" or self.prior != "empirical"):
            raise ValueError("a hidden Markov model is multinomial, with empirical first tags")
        smoothing = Dirichlet.of(self.smoothing, 0.0 if labels else self.transition_smoothing)
        if self.smoothing == 0 and self.variant != "multinomial":
            raise ValueError(f"{self.variant} naive Bayes needs smoothing > 0")
        problem.structure.check_events()
        check_dense(self, problem)
        return CountingSolver(self, problem, smoothing)

    def stream(self, problem: Problem) -> CountingSolver:
        """Counts that later batches add to."""
        return self.solver(problem)

    def resume(self, problem: Problem, weights: Weights) -> CountingSolver:
        """There is no way back from probabilities to counts."""
        raise RefusedError(
            "only the probabilities of naive Bayes are known here, not the counts that a batch is "
            "added to (as after loading a model file); begin with partial_fit, or fit again"
        )


class CountingSolver(Solver):
    """One pass that counts; then log-probabilities. Counts add up over batches."""

    counts_mistakes = False
    plain = True

    def __init__(self, settings: Counting, problem: Problem, smoothing: Dirichlet) -> None:
        self.settings, self.problem, self.smoothing = settings, problem, smoothing
        self.layout = problem.structure.layout
        self.counts: Reals = np.zeros(self.layout.dim)
        self._weights: Reals = np.zeros(0)

    def grown(self, problem: Problem) -> CountingSolver:
        """The counts so far, to which a batch with new features and labels can be added."""
        solver = CountingSolver(self.settings, problem, self.smoothing)
        solver.counts = grown(self.counts, self.layout, solver.layout)
        return solver

    def epoch(self) -> _core.EpochStats:
        """Count and normalise; the objective is minus the log-likelihood and the log of the prior."""
        self.counts += Counts(self.problem).gold()
        tables, stats = CountedTables(self.problem), _core.EpochStats()
        self._weights = tables.weights(self.counts, self.smoothing)
        if Trait.LABELS in self.problem.structure.traits:
            self._vary(self._weights)
        else:
            stats.objective = -(
                tables.log_likelihood(self.counts, self._weights)
                + tables.log_prior(self._weights, self.smoothing)
            )
        stats.converged = True
        return stats

    def _vary(self, weights: Reals) -> None:
        """Other models of texts, over the same counts."""
        structure, settings = self.problem.structure, self.settings
        (events, labels), (table, counted) = map(structure.families, (weights, self.counts))
        log_prior = labels.values()
        if settings.prior == "uniform":
            log_prior = np.full_like(log_prior, -np.log(log_prior.size))
        if settings.variant == "bernoulli":
            present = (table.values() + settings.smoothing) / (
                counted.values().T + 2 * settings.smoothing
            )
            log_absent = np.log1p(-present)
            events.write(np.log(present) - log_absent)
            log_prior = log_prior + log_absent.sum(axis=1)
        elif settings.variant == "complement":
            others = table.values()
            others = others.sum(axis=0) - others + settings.smoothing
            events.write(-log_shares(others))
            log_prior = np.zeros_like(log_prior)
        labels.write(log_prior)

    def __getstate__(self) -> dict[str, Any]:
        """The counts are copied; the data they were taken from are not."""
        return {k: v for k, v in self.__dict__.items() if k != "problem"}

    def state(self) -> State:
        """Counts, and what was made of them."""
        return {"counts": self.counts.copy(), "weights": self._weights}

    def restore(self, state: State) -> None:
        """Go on from there."""
        self.counts, self._weights = restored(state, counts=self.counts, weights=self.counts)

    def weights(self) -> Reals:
        """Log-probabilities in the layout of the structure."""
        return self._weights
