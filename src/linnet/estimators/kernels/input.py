"""What all estimators with kernels share: examples of any kind, and a Gram matrix to learn from."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet._memory import byte_size
from linnet._params import number, whole
from linnet.data import Brackets, BracketTree, CsrRows, Examples, Trees
from linnet.data.sequences import token_strings
from linnet.errors import DataError, RefusedError
from linnet.estimators.linear.input import RowsEstimator
from linnet.explain.support import SupportExplanation, SupportShare
from linnet.features import TextFeatures
from linnet.formats import parse_brackets
from linnet.kernels import Kernel, Precomputed, Subtree, kernel_named
from linnet.kernels.base import check_finite, take
from linnet.kernels.vectors import VectorKernel
from linnet.model.kernel import KernelModel, fragmented

Array = NDArray[np.float64]


class KernelEstimator(RowsEstimator):
    """Estimators whose weights are sums over training examples."""

    task = "classify"
    kernel: Any
    features: Any
    cache: Any
    n_jobs: int | None
    kernel_: Kernel
    features_: Any
    model_: KernelModel
    shown_: list[str] | None

    several_ = False

    @property
    def reads_text(self) -> bool:  # type: ignore[override]
        """Does what was learnt read texts?"""
        if not self.__sklearn_is_fitted__():
            return False
        return self.features_ is not None or self.kernel_.reads in ("strings", "trees")

    # ------------------------------------------------------------------ input

    def _examples(self, X: Any, reset: bool) -> Any:
        """X as the kernel reads it; ``reset`` in training."""
        kernel = kernel_named(self.kernel) if reset else self.kernel_
        X = as_trees(X) if kernel.reads == "trees" else as_strings(X)
        if kernel.reads != "rows":
            if self.features is not None:
                raise RefusedError(
                    f"features=… has no effect: a kernel of {kernel.reads} reads them as they are"
                )
            if reset:
                self.features_, self.vocabulary_ = None, None
            examples = kernel.read(X)
            if reset and len(examples) == 0:
                raise DataError("X is empty: there is nothing to learn from")
            return examples
        if _are_trees(X):
            raise DataError(
                f"X holds trees, and {kernel!r:.60} reads rows of numbers; use 'subset_tree'"
            )
        if reset:
            texts = _are_texts(X)
            if self.features is not None and not texts:
                raise RefusedError("features=… has no effect: X holds no texts")
            self.features_ = (self.features or TextFeatures()) if texts else None
            if self.features_ is not None:
                made = type(self.features_)(**self.features_.get_params(deep=False))
                rows, self.features_ = made.fit_rows(X, threads=self._threads()), made
                self.vocabulary_, self.n_features_in_ = None, rows.features
                return rows.scipy()
        elif self.features_ is not None:
            return self.features_.rows(X, threads=self._threads()).scipy()
        read = self._read(X, reset=reset)
        read = read.scipy() if isinstance(read, CsrRows) else read
        check_finite(read)
        return read

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


def as_strings(X: Any) -> Any:
    """The texts of a file; whatever else is given stays as it is."""
    if isinstance(X, Examples) and X.texts is not None:
        return token_strings(X.texts)
    return X


def as_trees(X: Any) -> Any:
    """The trees of texts in brackets, one each, such as ``(NP (N linnets))``; else X as it is."""
    texts = as_strings(X)
    if isinstance(texts, str) or not _are_texts(texts) or len(texts) == 0:
        return X
    lines = [" ".join(str(text).splitlines()) for text in texts]
    try:
        trees = parse_brackets("\n".join(lines))
        begins = trees.sequences.lines[trees.offsets[:-1][trees.lengths > 0]]
        whole = all(line.count("(") == line.count(")") for line in lines)
        if whole and np.array_equal(begins, np.arange(1, len(lines) + 1)):
            return trees
    except DataError:
        pass
    found: list[BracketTree] = []
    for i, line in enumerate(lines):  # one of them is none, or there are two where one is wanted
        where = f"{X.source}, line {X.lines[i]}" if isinstance(X, Examples) else f"X[{i}]"
        try:
            found += parse_brackets(line)
        except DataError as error:
            raise DataError(f"{where}: {str(error).removeprefix('the text, line 1: ')}") from None
        if len(found) != i + 1:
            raise DataError(f"{where}: {line!r:.60} holds several trees, and one is wanted")
    return found


def _are_texts(X: Any) -> bool:
    if isinstance(X, (str, bytes)):
        raise DataError("X is a single text; give a list of texts")
    if isinstance(X, (list, tuple)) and len(X):
        return isinstance(X[0], str)
    dtype = getattr(X, "dtype", None)
    if getattr(dtype, "kind", "") in ("U", "T") or str(dtype) in ("string", "str", "String"):
        return True
    one_column = getattr(dtype, "kind", "") == "O" and getattr(X, "ndim", 0) == 1
    return one_column and len(X) > 0 and isinstance(_first(X), str)


def _are_trees(X: Any) -> bool:
    if isinstance(X, (Brackets, Trees)):
        return True
    first = X[0] if isinstance(X, (list, tuple)) and len(X) else None
    nested = isinstance(first, tuple) and any(isinstance(part, tuple) for part in first)
    return nested or isinstance(first, BracketTree)


def _first(X: Any) -> Any:
    return next(iter(X))


def shown_texts(X: Any, places: NDArray[np.int64]) -> list[str] | None:
    """The beginnings of the texts at these places; None where X holds no strings."""
    X = as_strings(X)
    if not _are_texts(X):
        return None
    texts = list(X)
    return [" ".join(str(texts[i]).split())[:80] for i in places.tolist()]
