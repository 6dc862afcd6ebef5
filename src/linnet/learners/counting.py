"""Counting: naive Bayes and hidden Markov models in closed form."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import number
from linnet.errors import RefusedError
from linnet.learners.base import Learner, Problem, Solver, Weights
from linnet.learners.hmm import Dirichlet, HmmTables

Table = NDArray[np.float64]


class Counting(Learner):
    """Relative frequencies: maximises the joint likelihood P(x, y) = P(y) Π_j P(x_j | y).

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
    structures: ClassVar[frozenset[str]] = frozenset({"binary", "multiclass", "chain"})
    columns: ClassVar[bool] = True
    needs_unit_intercept: ClassVar[bool] = True  # it is the prior, and what absence says
    incremental: ClassVar[bool] = True
    structures_why: ClassVar[str] = (
        "it needs features that partition the text, one block per label; joint features overlap; use "
        "'lbfgs' or 'perceptron'"
    )

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

    def solver(self, problem: Problem) -> CountingSolver | HmmSolver:
        """Counts in one pass."""
        if self.variant not in _VARIANTS:
            raise ValueError(f"variant must be one of {', '.join(_VARIANTS)}, not {self.variant!r}")
        if self.prior not in ("empirical", "uniform"):
            raise ValueError(f"prior must be 'empirical' or 'uniform', not {self.prior!r}")
        if not 0 <= number(self.smoothing) < float("inf"):
            raise ValueError(f"smoothing must be 0 or more, not {self.smoothing!r}")
        if self.smoothing == 0 and self.variant != "multinomial":
            raise ValueError(f"{self.variant} naive Bayes needs smoothing > 0")
        if problem.chain is None:
            return CountingSolver(self, problem)
        if self.variant != "multinomial" or self.prior != "empirical":
            raise ValueError("a hidden Markov model is multinomial, with empirical first tags")
        return HmmSolver(problem, Dirichlet.of(self.smoothing, self.transition_smoothing))

    def stream(self, problem: Problem) -> CountingSolver | HmmSolver:
        """Counts that later batches add to."""
        return self.solver(problem)

    def resume(self, problem: Problem, weights: Weights) -> CountingSolver:
        """There is no way back from probabilities to counts."""
        raise RefusedError(
            "only the probabilities of naive Bayes are known here, not the counts that a batch is "
            "added to (as after loading a model file); begin with partial_fit, or fit again"
        )


class HmmSolver(Solver):
    """One pass that counts tags, pairs of tags and their events."""

    counts_mistakes = False

    def __init__(self, problem: Problem, prior: Dirichlet) -> None:
        self.problem, self.prior, self.tables = problem, prior, HmmTables(problem)
        self._weights: Table = np.zeros(0)

    def epoch(self) -> _core.EpochStats:
        """Count and normalise; the objective is minus the log-likelihood and the log of the prior."""
        tables, stats = self.tables, _core.EpochStats()
        counts = _core.count_gold(tables.data)
        self._weights = tables.weights(counts, self.prior)
        stats.objective = -(
            tables.log_likelihood(counts, self._weights) + tables.log_prior(self._weights, self.prior)
        )
        stats.converged = True
        return stats

    def weights(self) -> Table:
        """Log-probabilities in the layout of chains."""
        return self._weights


class CountingSolver(Solver):
    """One pass that counts; then log-probabilities. Counts add up over batches."""

    counts_mistakes = False
    plain = True

    def __init__(self, settings: Counting, problem: Problem) -> None:
        self.settings = settings
        self.problem = problem
        self.table = np.zeros((problem.n_labels, problem.rows.features))
        self.documents = np.zeros(problem.n_labels)
        self._weights = np.zeros(0)

    def grown(self, problem: Problem) -> CountingSolver:
        """The counts so far, to which a batch with new features and labels can be added."""
        solver = CountingSolver(self.settings, problem)
        labels, features = self.table.shape
        solver.table[:labels, :features] = self.table
        solver.documents[:labels] = self.documents
        return solver

    def epoch(self) -> _core.EpochStats:
        """Count and normalise."""
        problem, settings = self.problem, self.settings
        counts = _core.count_gold(problem.data()).reshape(-1, _core.padded(problem.width))
        self.table += counts[1:, : problem.width].T
        self.documents += np.bincount(problem.labels, problem.weights, problem.n_labels)
        with np.errstate(divide="ignore"):  # log 0 = −inf is meant
            weights, intercept = _VARIANTS[settings.variant](
                self.table, self.documents, settings.smoothing
            )
            if settings.prior == "uniform":
                log_prior = np.full(problem.n_labels, -np.log(problem.n_labels))
            else:
                log_prior = np.log(self.documents) - np.log(self.documents.sum())
        block = np.zeros_like(counts)
        block[1:, : problem.width] = weights.T
        block[0, : problem.width] = intercept + (0 if settings.variant == "complement" else log_prior)
        self._weights = block.ravel()
        stats = _core.EpochStats()
        stats.converged = True
        return stats

    def __getstate__(self) -> dict[str, Any]:
        """The counts are copied; the data they were taken from are not."""
        return {k: v for k, v in self.__dict__.items() if k != "problem"}

    def weights(self) -> Table:
        """Log-probabilities in the block layout."""
        return self._weights


def _multinomial(table: Table, documents: Table, alpha: float) -> tuple[Table, Table]:
    smoothed = table + alpha
    totals = smoothed.sum(axis=1, keepdims=True)
    # A label without any word: every word has probability zero under maximum likelihood.
    log_totals = np.log(np.where(totals > 0, totals, 1.0))
    return np.log(smoothed) - log_totals, np.zeros(len(documents))


def _bernoulli(table: Table, documents: Table, alpha: float) -> tuple[Table, Table]:
    present = (table + alpha) / (documents[:, None] + 2 * alpha)
    log_absent = np.log1p(-present)
    return np.log(present) - log_absent, log_absent.sum(axis=1)


def _complement(table: Table, documents: Table, alpha: float) -> tuple[Table, Table]:
    others = table.sum(axis=0) - table + alpha
    return np.log(others.sum(axis=1, keepdims=True)) - np.log(others), np.zeros(len(documents))


_VARIANTS = {"multinomial": _multinomial, "bernoulli": _bernoulli, "complement": _complement}
