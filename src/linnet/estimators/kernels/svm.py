"""Support vector machines with kernels, by sequential minimal optimisation."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import flag, whole
from linnet.data.label_names import check_label_types
from linnet.errors import warn_of_training
from linnet.estimators.base import unchanged_on_failure
from linnet.estimators.kernels.classifier import KernelClassifier
from linnet.estimators.kernels.examples import shown_texts
from linnet.estimators.kernels.input import Array
from linnet.estimators.kernels.reductions import Constraints, code_of, facts_of, learn_code, summed
from linnet.estimators.labels import weighing
from linnet.kernels import kernel_named
from linnet.kernels.base import take
from linnet.training import TrainingRecord


class KernelSVM(KernelClassifier):
    """A support vector machine: ½‖w‖² + C Σ_i loss, w in the space of a kernel.

    Two labels: max Σα − ½ Σ α_i α_j y_i y_j K(x_i, x_j) with Σ α_i y_i = 0 and 0 ≤ α_i ≤ C, by pairs.
    [Platt 1998; Fan, Chen and Lin 2005]

    Parameters
    ----------
    kernel : 'gaussian', 'linear', 'polynomial', …, with settings as in 'polynomial degree=3'; a kernel
        of `linnet.kernels`; or a function of two examples
    C : what a margin that is not kept costs
    multiclass : for more than two labels 'joint' (Crammer and Singer 2001, without intercepts), or
        machines of two: 'rest' (each against the rest), 'pairs' (each against each) or 'ecoc' (an
        error-correcting code), by sums of margins; 'pairs_votes' or 'ecoc_votes'; 'kesler', one machine
        of all constraints between labels (Weston and Watkins 1999, without intercepts); 'auto' is joint
    tol : by how much the optimality conditions may be violated; with 'joint' the relative duality gap
    cache : memory for rows of the kernel
    shrinking : set examples aside that will not move, where the cache does not hold all rows
    max_iter : limit of steps; with 'joint' of passes
    class_weight : None, 'balanced' or a dict
    features : a `TextFeatures`, where X holds texts and the kernel reads rows

    X is a matrix, a list of dicts, of texts, or whatever the kernel reads: strings, trees.

    Attributes
    ----------
    classes_, kernel_ (with what was left to the data), model_ (a `KernelModel`), support_, dual_coef_,
    intercept_, record_

    Examples
    --------
    >>> from linnet import KernelSVM
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> xor = KernelSVM("polynomial degree=2", C=100.0).fit(X, [0, 1, 1, 0])
    >>> xor.predict([[0, 1], [1, 1]])
    array([1, 0])
    """

    def __init__(
        self,
        kernel: Any = "gaussian",
        C: float = 1.0,
        *,
        multiclass: str = "auto",
        tol: float = 1e-3,
        cache: Any = "200MB",
        shrinking: bool = True,
        max_iter: int | None = None,
        class_weight: Any = None,
        features: Any = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.multiclass = multiclass
        self.tol = tol
        self.cache = cache
        self.shrinking = shrinking
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.features = features
        self.random_state = random_state
        self.n_jobs = n_jobs

    # ------------------------------------------------------------------ training

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train on examples of any kind that the kernel reads, and labels y."""
        with unchanged_on_failure(self):
            C, way = self._cost(), self._way()
            flag("shrinking", self.shrinking)
            self._positive("tol", self.tol)
            check_label_types(y)
            examples = self._examples(X, reset=True)
            labels = self._labels(y, examples.shape[0] if hasattr(examples, "shape") else len(examples))
            self.kernel_ = kernel_named(self.kernel).fitted(examples)
            weights = self._weights(sample_weight, _Sized(len(labels)), labels, self.class_weight)
            present = weighing(weights)
            if self.kernel_.reads == "gram":
                present = None  # the columns stay as they are
            kept = np.arange(len(labels)) if present is None else present
            if present is not None:
                examples, labels, weights = take(examples, kept), labels[kept], weights[kept]
            self.codes_ = None
            coefficients, intercepts, record = self._solve(examples, labels, C * weights, way)
            self.model_ = self._with_support(examples, coefficients, intercepts)
            self.model_.places = kept[self.model_.places]
            self.model_.examples = max(len(kept), int(kept[-1]) + 1)
            self.gold_ = labels[np.searchsorted(kept, self.model_.places)].astype(np.int32)
            self.shown_ = shown_texts(X, self.model_.places)
            self.way_ = way if len(self.classes_) > 2 else "two"
            record.facts["support vectors"] = len(self.model_)
            self.record_ = record
        return self

    def _solve(
        self, examples: Any, labels: NDArray[np.int32], costs: Array, way: str
    ) -> tuple[Array, Any, TrainingRecord]:
        """Coefficients (examples, columns) and intercepts."""
        k = len(self.classes_)
        record = TrainingRecord("hinge", "smo", "l2", "kernel", self._cost(), 0.0)
        if k == 2:
            signs = np.where(labels == 1, 1.0, -1.0)
            beta, intercept = self._smo(self._cached(self._gram(examples)), signs, costs, record)
            return beta[:, None], [intercept], record
        if way == "joint":
            return self._joint(self._cached(self._gram(examples)), labels, costs, record)
        if way == "kesler":
            return self._kesler(examples, labels, costs, record)
        codes = code_of(way, k, self._seed())
        record.facts |= facts_of(way, codes)
        found = learn_code(
            self,
            examples,
            labels,
            codes,
            lambda cache, signs, places: self._smo(cache, signs, costs[places], record),
        )
        columns, intercepts, self.codes_ = summed(way, codes, *found)
        return columns, intercepts, record

    def _kesler(
        self, examples: Any, labels: NDArray[np.int32], costs: Array, record: TrainingRecord
    ) -> tuple[Array, Any, TrainingRecord]:
        """A machine of positive examples, whose intercept one without features takes away."""
        width = len(self.classes_)
        constraints = Constraints(self, examples, labels, width, zeros=True)
        signs = np.r_[np.ones(constraints.count), 0.0]
        beta, _ = self._smo(constraints.cache, signs, np.r_[np.repeat(costs, width - 1), 0.0], record)
        record.facts |= constraints.facts
        return constraints.by_label(beta[:-1]), np.zeros(width), record

    def _smo(
        self, cache: _core.GramCache, signs: Array, costs: Array, record: TrainingRecord
    ) -> tuple[Array, float]:
        limit = -1 if self.max_iter is None else whole("max_iter", self.max_iter)
        beta, intercept, objective, violation, pairs, converged, interrupted = _core.smo_classify(
            cache, signs, costs, float(self.tol), limit, bool(self.shrinking)
        )
        note(record, objective, violation, pairs, converged, interrupted)
        return beta, intercept

    def _joint(
        self, cache: _core.GramCache, labels: NDArray[np.int32], costs: Array, record: TrainingRecord
    ) -> tuple[Array, Any, TrainingRecord]:
        record.learner, record.structure = "dual", "joint kernel"
        limit = 1000 if self.max_iter is None else whole("max_iter", self.max_iter)
        width = len(self.classes_)
        tau, objective, gap, epochs, converged, interrupted = _core.kernel_crammer_singer(
            cache, labels, costs, width, float(self.tol), limit, self._seed()
        )
        note(record, objective, gap, epochs, converged, interrupted)
        record.facts["gap"] = record.facts.pop("violation")  # what the conditions come to here
        return tau, np.zeros(width), record

    def no_probabilities(self) -> str | None:
        """Margins are none."""
        return "scores of a support vector machine are margins, not probabilities"


class _Sized:
    """Something of so many rows."""

    def __init__(self, n: int) -> None:
        self.shape = (n, 1)


def note(
    record: TrainingRecord,
    objective: float,
    violation: float,
    steps: int,
    converged: bool,
    interrupted: bool,
) -> None:
    """What a solver reported; sums over several problems."""
    facts = record.facts
    facts["objective"] = facts.get("objective", 0.0) + objective
    facts["violation"] = max(facts.get("violation", 0.0), violation)
    facts["steps"] = facts.get("steps", 0) + steps
    state = "interrupted" if interrupted else "converged" if converged else "limit"
    if record.stopped in ("", "converged"):
        record.stopped = state
    if interrupted:
        warn_of_training("training was interrupted; the coefficients are not optimal")
    elif not converged:
        warn_of_training(
            f"not converged after {steps} steps: the conditions are violated by {violation:.3g}; "
            f"raise max_iter or tol"
        )
