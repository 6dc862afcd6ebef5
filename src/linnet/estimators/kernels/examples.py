"""Examples of any kind, as kernels read them: rows of numbers, texts, strings, trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.data import Brackets, BracketTree, CsrRows, Examples, Trees
from linnet.data.sequences import token_strings
from linnet.errors import DataError, RefusedError
from linnet.estimators.linear.input import RowsEstimator
from linnet.features import TextFeatures
from linnet.formats import parse_brackets
from linnet.kernels import Kernel
from linnet.kernels.base import check_finite


class ExamplesEstimator(RowsEstimator):
    """Estimators of whatever a kernel reads; texts become rows by ``features`` where it reads rows."""

    features: Any
    n_jobs: int | None
    features_: Any

    several_ = False

    def _reader(self, reset: bool) -> Kernel:
        """Who says what examples are; ``reset`` in training."""
        raise NotImplementedError

    @property
    def reads_text(self) -> bool:  # type: ignore[override]
        """Does what was learnt read texts?"""
        if not self.__sklearn_is_fitted__():
            return False
        return self.features_ is not None or self._reader(False).reads in ("strings", "trees")

    def _examples(self, X: Any, reset: bool) -> Any:
        """X as the kernel reads it; ``reset`` in training."""
        kernel = self._reader(reset)
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
