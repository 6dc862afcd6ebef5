"""What all estimators with kernels share: a Gram matrix to learn from, and support vectors."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._memory import byte_size
from linnet._params import number, whole
from linnet.errors import DataError, RefusedError
from linnet.estimators.kernels.examples import ExamplesEstimator
from linnet.explain.support import SupportExplanation, SupportShare
from linnet.kernels import Kernel, Precomputed, Subtree, kernel_named
from linnet.kernels.base import take
from linnet.kernels.vectors import VectorKernel
from linnet.model.kernel import KernelModel, fragmented

Array = NDArray[np.float64]


class KernelEstimator(ExamplesEstimator):
    """Estimators whose weights are sums over training examples."""

    task = "classify"
    kernel: Any
    cache: Any
    kernel_: Kernel
    model_: KernelModel
    shown_: list[str] | None

    def _reader(self, reset: bool) -> Kernel:
        return kernel_named(self.kernel) if reset else self.kernel_

    def _gram(self, examples: Any) -> _core.GramRows:
        """What the learner asks for rows of the kernel."""
        if isinstance(self.kernel_, VectorKernel):
            return self.kernel_.gram(examples)
        return dense_gram(self._matrix(examples))

    def _matrix(self, examples: Any) -> NDArray[Any]:
        """All values of the kernel, where its rows are not computed one by one."""
        values = np.ascontiguousarray(self.kernel_.within(examples, self._threads()))
        if not np.isfinite(values).all():
            raise DataError("a value of the kernel is no finite number")
        return values

    def _cached(self, gram: _core.GramRows) -> _core.GramCache:
        return _core.GramCache(gram, byte_size("cache", self.cache))

    def _cost(self) -> float:
        C = number(self.C)
        if not 0 < C < float("inf"):
            raise ValueError(f"C must be a positive number, not {self.C!r}")
        return C

    def _positive(self, name: str, value: Any) -> float:
        if not 0 < number(value) < float("inf"):
            raise ValueError(f"{name} must be a positive number, not {value!r}")
        return float(value)

    def _with_support(self, examples: Any, weights: Array, intercepts: Any) -> KernelModel:
        """The model of all coefficients; examples of none are let go."""
        places = np.flatnonzero((weights != 0).any(axis=1))
        support = None if self.kernel_.reads == "gram" else take(examples, places)
        if self.kernel_.reads == "rows" and not hasattr(support, "tocsr"):
            from scipy.sparse import csr_matrix

            support = csr_matrix(support)  # as in the file: products in the same order
        return KernelModel(
            self.kernel_,
            support,
            np.ascontiguousarray(weights[places]),
            np.atleast_1d(np.asarray(intercepts, dtype=np.float64)),
            places.astype(np.int64),
            len(weights),
        )

    def _columns(self, X: Any) -> Array:
        """Scores of X as they are, a column each."""
        self._check_fitted()
        examples = self._examples(X, reset=False)
        if self.kernel_.reads == "gram" and examples.shape[1] != self.model_.examples:
            raise DataError(
                f"X has {examples.shape[1]} columns; one for each of the {self.model_.examples} "
                f"training examples is wanted"
            )
        return self._sound(self.model_.scores(examples, self._threads()))

    def written_out(self, size: int | None = None) -> Self:
        """A copy that predicts by fragments of trees, of up to ``size`` productions (5 if not said).

        Its scores are w · φ(T) over the fragments that its support vectors have, which are hashed once.
        They are those of `SubsetTree` without the largest fragments, and those of `Subtree`, which has
        one fragment for each node and no ``size``.
        """
        self._check_fitted()
        whole_subtrees = isinstance(fragmented(self.kernel_), Subtree)
        if whole_subtrees and size is not None:
            raise RefusedError("size=… has no effect: the fragments of Subtree are all written out")
        made = copy(self)
        most = 5 if size is None else whole("size", size, 1)
        made.model_ = replace(self.model_, fragments=most)
        _ = made.model_.fragment_weights  # now, so that a size that is too large is told
        return made

    # ------------------------------------------------------------------ what was learnt

    @property
    def support_(self) -> NDArray[np.int64]:
        """The places of the support vectors among the training examples."""
        self._check_fitted()
        return self.model_.places

    @property
    def dual_coef_(self) -> Array:
        """(support vectors, columns): what each adds."""
        self._check_fitted()
        return self.model_.weights

    @property
    def n_iter_(self) -> int:
        """Steps that were taken, or passes."""
        self._check_fitted()
        return max(1, self.record_.n_iter, int(self.record_.facts.get("steps", 0)))

    def nonzero_weights(self) -> int:
        """How many support vectors there are."""
        return len(self.model_)

    def trials(self, names: frozenset[str], X: Any, y: Any) -> Any:
        """Of examples of any kind but a Gram matrix."""
        from linnet.estimators.kernels.trials import kernel_trials

        return kernel_trials(self, X, y)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed" or isinstance(self.kernel, Precomputed)
        return tags

    def file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a model file holds."""
        from linnet.estimators.kernels.file import kernel_parts

        return kernel_parts(self)

    def _shares(
        self, examples: Any, row: int, column: int, sign: float, top: int
    ) -> tuple[list[SupportShare], float, float]:
        """The support vectors that add most to a score, what the others add, and the intercept."""
        model = self.model_
        similar = np.asarray(model.values(take(examples, [row]), self._threads()), np.float64)[0]
        added = sign * model.weights[:, column] * similar
        order = np.argsort(-np.abs(added), kind="stable")[:top]
        shares = [
            SupportShare(
                int(model.places[i]),
                self.shown_[i] if self.shown_ is not None else "",
                self._label_shown(int(i)),
                float(sign * model.weights[i, column]),
                float(similar[i]),
            )
            for i in order
        ]
        return shares, float(added.sum() - added[order].sum()), float(sign * model.intercepts[column])

    def explain(self, X: Any, top: int = 5) -> Any:
        """The support vectors that decide, for each example."""
        raise NotImplementedError

    def explanations(self, X: Any, by: str = "word") -> Any:
        """As `explain`, one after the other."""
        return iter(self.explain(X))

    def _largest(self, column: int, top: int) -> list[tuple[str, float]]:
        """The support vectors of largest weight in a column."""
        weights = self.model_.weights[:, column]
        order = np.argsort(-np.abs(weights), kind="stable")[:top]
        return [(self._shown(int(i)), float(weights[i])) for i in order]

    def _shown(self, support: int) -> str:
        label = self._label_shown(support)
        name = f"example {self.model_.places[support]}" + (f" ({label})" if label else "")
        return name if self.shown_ is None else f"{name}: {self.shown_[support]}"

    def _label_shown(self, support: int) -> str:
        return ""

    def _explain(self, X: Any, top: int, of: Any) -> Any:
        """``of(row, scores)``: the label as a string, its column and its sign."""
        self._check_fitted()
        top = whole("top", top, 1)
        single = isinstance(X, str)
        examples = self._examples([X] if single else X, reset=False)
        scores = self._sound(self.model_.scores(examples, self._threads()))
        found = []
        for row in range(len(scores)):
            label, column, sign = of(row, scores)
            shares, others, intercept = self._shares(examples, row, column, sign, top)
            score = float(sign * scores[row, column])
            found.append(SupportExplanation(label, score, intercept, shares, others))
        return found[0] if single else found


def dense_gram(values: NDArray[Any]) -> _core.GramRows:
    """A matrix as learners take it."""
    if values.dtype == np.float32:
        return _core.DenseGram32(np.ascontiguousarray(values))
    return _core.DenseGram64(np.ascontiguousarray(values, dtype=np.float64))
