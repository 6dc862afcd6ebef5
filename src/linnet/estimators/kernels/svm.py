"""Support vector machines with kernels, by sequential minimal optimisation."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._params import flag, whole
from linnet.data import LabelColumn
from linnet.data.label_names import check_label_types
from linnet.errors import DataError, warn_of_training
from linnet.estimators.base import Labels, unchanged_on_failure
from linnet.estimators.grid_settings import REDUCTIONS
from linnet.estimators.kernels.examples import shown_texts
from linnet.estimators.kernels.input import Array, KernelEstimator, dense_gram
from linnet.estimators.labels import weighing
from linnet.estimators.linear.input import column
from linnet.estimators.linear.reductions import Codes, output_code, pair_code, smallest_distance
from linnet.explain.support import LargestSupport
from linnet.kernels import kernel_named
from linnet.kernels.base import take
from linnet.kernels.vectors import VectorKernel
from linnet.model import best_labels
from linnet.model.codes import votes
from linnet.training import TrainingRecord

CODED = {way: voted for way, voted in REDUCTIONS.items() if way != "kesler"}
WAYS = ("auto", "joint", "rest", *CODED)


class KernelSVM(KernelEstimator):
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
        error-correcting code), by sums of margins; 'pairs_votes' or 'ecoc_votes'; 'auto' is joint
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

    kind = "classifier"
    codes_: Codes | None = None  # of machines that vote

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

    def _labels(self, y: Any, n: int) -> NDArray[np.int32]:
        if getattr(getattr(y, "dtype", None), "kind", "f") == "f":
            from sklearn.utils import assert_all_finite

            assert_all_finite(np.asarray(y), input_name="y")
        y = column(y)
        if len(y) != n:
            raise DataError(f"X has {n} examples but y has {len(y)} labels")
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(
                f"y has one class only ({self.classes_.tolist()[0]!r}); a classifier needs two or more "
                f"classes"
            )
        return labels.astype(np.int32)

    def _way(self) -> str:
        if self.multiclass not in WAYS:
            raise ValueError(f"multiclass must be one of {', '.join(WAYS)}, not {self.multiclass!r}")
        flag("shrinking", self.shrinking)
        self._positive("tol", self.tol)
        return "joint" if self.multiclass == "auto" else self.multiclass

    def _solve(
        self, examples: Any, labels: NDArray[np.int32], costs: Array, way: str
    ) -> tuple[Array, Any, TrainingRecord]:
        """Coefficients (examples, columns) and intercepts."""
        k = len(self.classes_)
        record = TrainingRecord("hinge", "smo", "l2", "kernel", self._cost(), 0.0)
        if k > 2 and way in CODED:
            return self._coded(examples, labels, costs, record)
        cache = self._cached(self._gram(examples))
        if k > 2 and way == "joint":
            return self._joint(cache, labels, costs, record)
        signs = [np.where(labels == c, 1.0, -1.0) for c in (range(k) if k > 2 else [1])]
        found = [self._smo(cache, one, costs, record) for one in signs]
        return np.stack([f[0] for f in found], axis=1), [f[1] for f in found], record

    def _smo(
        self, cache: _core.GramCache, signs: Array, costs: Array, record: TrainingRecord
    ) -> tuple[Array, float]:
        limit = -1 if self.max_iter is None else whole("max_iter", self.max_iter)
        beta, intercept, objective, violation, pairs, converged, interrupted = _core.smo_classify(
            cache, signs, costs, float(self.tol), limit, bool(self.shrinking)
        )
        note(record, objective, violation, pairs, converged, interrupted)
        return beta, intercept

    def _coded(
        self, examples: Any, labels: NDArray[np.int32], costs: Array, record: TrainingRecord
    ) -> tuple[Array, Any, TrainingRecord]:
        """A machine for each column of a code: yes, no, or not asked about an example."""
        way, k = self.multiclass, len(self.classes_)
        codes = pair_code(k) if way in ("pairs", "pairs_votes") else output_code(k, self._seed())
        record.facts |= {
            "reduction": way,
            "classifiers": codes.shape[1],
            "distance": smallest_distance(codes),
        }
        columns, intercepts = np.zeros((len(labels), codes.shape[1])), np.zeros(codes.shape[1])
        all_asked = bool((codes != 0).all())
        whole_cache = self._cached(self._gram(examples)) if all_asked else None
        by_rows = isinstance(self.kernel_, VectorKernel)
        matrix = None if all_asked or by_rows else self._matrix(examples)
        for b, asked in enumerate(codes.T):
            places = np.flatnonzero(asked[labels])
            if whole_cache is not None:
                cache = whole_cache
            elif matrix is not None:
                cache = self._cached(dense_gram(matrix[np.ix_(places, places)]))
            else:
                cache = self._cached(self._gram(take(examples, places)))
            signs = asked[labels[places]].astype(np.float64)
            columns[places, b], intercepts[b] = self._smo(cache, signs, costs[places], record)
        if CODED[way]:
            self.codes_ = codes
            return columns, intercepts, record
        return columns @ codes.T.astype(np.float64), intercepts @ codes.T, record

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

    # ------------------------------------------------------------------ prediction

    def decision_function(self, X: Any) -> Array:
        """(examples,) for two labels, positive for the second; else (examples, labels).

        Of machines that vote a score is the number of votes for a label less those against it, and a
        part of a vote by the sum of margins, which decides between equals.
        """
        scores = self._columns(X)
        if self.way_ == "two":
            return np.ascontiguousarray(scores[:, 0])
        return scores if self.codes_ is None else votes(scores, self.codes_)

    def predict(self, X: Any) -> Labels:
        """The best label; equal scores go to the earlier one."""
        return self._decide(self.decision_function(X))

    def _scores(self, X: Any) -> Array:
        return self.decision_function(X)

    def _decision(self, scores: Array) -> Array:
        return scores

    def _decide(self, scores: Array) -> Labels:
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(np.intp)]
        return self.classes_[best_labels(scores)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right labels."""
        y = column(y.values() if isinstance(y, LabelColumn) else y)
        found = self.predict(X)
        if len(found) != len(y):
            raise DataError(f"X has {len(found)} examples but y has {len(y)} labels")
        return float(np.average(found == y, weights=sample_weight))

    @property
    def intercept_(self) -> Array:
        """One for each column of scores."""
        self._check_fitted()
        return self.model_.intercepts

    def no_probabilities(self) -> str | None:
        """Margins are none."""
        return "scores of a support vector machine are margins, not probabilities"

    def explain(self, X: Any, top: int = 5) -> Any:
        """The support vectors that speak most for and against the label of each example."""

        def of(row: int, scores: Array) -> tuple[str, int, float]:
            if self.way_ == "two":
                best = int(scores[row, 0] > 0)
                return str(self.classes_[best]), 0, 1.0 if best else -1.0
            if self.codes_ is not None:
                return self._closest(scores[row], self.codes_)
            best = int(best_labels(scores[row][None])[0])
            return str(self.classes_[best]), best, 1.0

        return self._explain(X, top, of)

    def inspect(self, top: int = 10) -> Any:
        """The support vectors of largest weight, for each column of scores."""
        self._check_fitted()
        top = whole("top", top, 1)
        names = [str(label) for label in self.classes_.tolist()]
        if self.codes_ is not None:
            columns = [self._question(asked) for asked in self.codes_.T]
        else:
            columns = [names[1]] if self.way_ == "two" else names
        return LargestSupport({name: self._largest(k, top) for k, name in enumerate(columns)})

    def _closest(self, margins: Array, codes: Codes) -> tuple[str, int, float]:
        """Of the machines that were asked about the winner the one that was least sure."""
        best = int(best_labels(votes(margins[None], codes))[0])
        asked = np.flatnonzero(codes[best])
        closest = int(asked[np.abs(margins[asked]).argmin()])
        sign = int(codes[best, closest])
        return self._question(sign * codes[:, closest], best), closest, float(sign)

    def _question(self, asked: NDArray[np.int8], first: int | None = None) -> str:
        """What a machine tells apart; of the labels on the first side that one comes first."""
        names = [str(label) for label in self.classes_.tolist()]
        sides = [np.flatnonzero(asked == side).tolist() for side in (1, -1)]
        sides[0].sort(key=lambda k: k != first)
        return " against ".join(", ".join(names[k] for k in side) for side in sides)

    def _label_shown(self, support: int) -> str:
        return str(self.classes_[self.gold_[support]])


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
