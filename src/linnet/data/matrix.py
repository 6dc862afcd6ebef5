"""Feature matrices for the core, without copying what can be read in place."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import DataError


@dataclass(frozen=True)
class CsrRows:
    """Sparse rows without SciPy, with the arrays of SciPy's CSR.

    Row i has ``values[k]`` at ``indices[k]`` for indptr[i] ≤ k < indptr[i + 1], in any order.
    ``distinct`` says that no row names a feature twice, so that nobody need look.
    Rows whose parts were normalised apart say where these begin. Values that are all 1 may be one
    number that stands for all, see `of_ones`.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float32]
    features: int
    distinct: bool = False
    part_starts: NDArray[np.int64] | None = None  # as indptr, for each part of each row

    @classmethod
    def of_ones(
        cls, indptr: NDArray[np.int64], indices: NDArray[np.int32], features: int, distinct: bool
    ) -> CsrRows:
        """All values are 1, and take no memory."""
        values = np.broadcast_to(np.float32(1), indices.shape)
        return cls(indptr, indices, values, features, distinct)

    @property
    def all_ones(self) -> bool:
        """Does one number stand for all values?"""
        return self.values.strides == (0,) and bool((self.values[:1] == 1).all())

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.indptr) - 1, self.features

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def entries(self) -> int:
        """Of all rows together."""
        return len(self.indices)

    def __getitem__(self, places: NDArray[np.integer[Any]]) -> CsrRows:
        """The rows at these places, in this order."""
        lengths = np.diff(self.indptr)[places]
        indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        at = np.repeat(self.indptr[places] - indptr[:-1], lengths) + np.arange(indptr[-1])
        parts = self.part_starts
        if parts is not None:
            sizes = np.diff(parts).reshape(len(self), -1)[places]
            parts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        indices, values = self.indices[at], self.values[at]
        return replace(self, indptr=indptr, indices=indices, values=values, part_starts=parts)

    def scaled(self, factors: NDArray[np.float32]) -> CsrRows:
        """x_j times a factor of its feature, over the same places."""
        return replace(self, values=self.values * factors[self.indices])

    def among(self, kept: NDArray[np.integer[Any]]) -> CsrRows:
        """With these features only (ascending), numbered anew in their order."""
        numbers = np.full(self.features, -1, dtype=np.int32)
        numbers[kept] = np.arange(len(kept), dtype=np.int32)
        indices = numbers[self.indices]
        known = indices >= 0
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(known, dtype=np.int64)])
        return replace(
            self,
            indptr=before[self.indptr],
            indices=indices[known],
            values=self.values[known],
            features=len(kept),
            part_starts=None,
        )

    def scipy(self) -> Any:
        """The same arrays as a SciPy CSR matrix."""
        from scipy.sparse import csr_matrix

        values = np.ascontiguousarray(self.values)
        return csr_matrix((values, self.indices, self.indptr), shape=self.shape)


def join_rows(parts: Sequence[CsrRows]) -> CsrRows:
    """One after the other; all have the same features."""
    first = parts[0]
    if len(parts) == 1:
        return first
    ends = np.cumsum([0, *(len(part.indices) for part in parts)]).tolist()

    def starts(of: Callable[[CsrRows], Any]) -> NDArray[np.int64]:
        shifted = [of(part)[1:] + end for part, end in zip(parts, ends, strict=False)]
        return np.concatenate([np.zeros(1, np.int64), *shifted])

    return CsrRows(
        starts(lambda part: part.indptr),
        np.concatenate([part.indices for part in parts]),
        np.concatenate([part.values for part in parts]),
        first.features,
        first.distinct,
        None if first.part_starts is None else starts(lambda part: part.part_starts),
    )


def as_rows(X: Any, bias: float) -> _core.Rows:
    """Rows of a SciPy sparse, a dense matrix or CsrRows; ``bias`` is the constant feature's value.

    CSR with 32- or 64-bit indices and float32 or float64 values, and C-ordered dense float arrays,
    are read where they lie. Anything else is converted first.
    """
    if isinstance(X, CsrRows):
        if hasattr(X, "core"):  # in a file
            rows: _core.Rows = X.core(bias)
            return rows
        if X.distinct:
            values = None if X.all_ones else np.ascontiguousarray(X.values)
            return _core.Rows.csr(X.indptr, X.indices, values, X.features, bias)
        X = X.scipy()
    check_sparse(X)
    if hasattr(X, "tocsr"):
        csr = X.tocsr()
        rows = _csr(csr, bias)
        if rows.has_duplicates():  # the core counts on one entry per feature and row
            csr = csr.copy()
            csr.sum_duplicates()
            rows = _csr(csr, bias)
        return rows
    return _core.Rows.dense(_real(X), bias)


def _csr(X: Any, bias: float) -> _core.Rows:
    return _core.Rows.csr(_index(X.indptr), _index(X.indices), _real(X.data), X.shape[1], bias)


def rows_arrays(
    rows: _core.Rows,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """Where rows start, their features and values; of rows that are computed, too."""
    return rows.arrays(0, rows.size)


def rows_between(rows: _core.Rows, begin: int, end: int) -> _core.Rows:
    """The rows [begin, end), copied, of whatever kind they are."""
    return _made(*rows.arrays(begin, end), rows.features, rows.bias)


def _made(starts: Any, indices: Any, values: Any, features: int, bias: float) -> _core.Rows:
    return _core.Rows.csr(starts, indices, values, features, bias)


def _sent(rows: _core.Rows) -> tuple[Any, ...]:
    return _made, (*rows_arrays(rows), rows.features, rows.bias)


copyreg.pickle(_core.Rows, _sent)  # to workers in other processes


def check_sparse(X: Any) -> None:
    """SciPy trusts the arrays of its matrices and would write past their ends; we look first.

    Column indices of CSR are left to the core, which checks them when it takes them over.
    """
    kind = getattr(X, "format", None)
    if kind in ("csr", "csc"):
        starts, ends = np.asarray(X.indptr), len(X.data)
        major, minor = X.shape if kind == "csr" else X.shape[::-1]
        if len(X.indices) != ends:
            raise _damaged(f"it has {len(X.indices)} indices but {ends} values")
        if len(starts) != major + 1 or starts[0] != 0 or starts[-1] != ends:
            raise _damaged(f"indptr must hold {major + 1} numbers from 0 to {ends}")
        falls = np.flatnonzero(starts[1:] < starts[:-1])
        if len(falls):
            raise _damaged(f"indptr decreases after position {falls[0]}")
        if kind == "csc":
            _check_indices(X.indices, minor)
    elif kind == "coo":
        _check_indices(X.row, X.shape[0])
        _check_indices(X.col, X.shape[1])


def _check_indices(indices: Any, size: int) -> None:
    if len(indices) and not (indices.min() >= 0 and indices.max() < size):
        raise _damaged(f"an index is outside [0, {size})")


def _damaged(what: str) -> DataError:
    return DataError(f"X is a damaged sparse matrix: {what}; build it anew from its entries")


def _real(values: Any) -> Any:
    array = np.asarray(values)
    dtype = array.dtype if array.dtype in (np.float32, np.float64) else np.float64
    return np.ascontiguousarray(array, dtype=dtype)


def _index(values: Any) -> Any:
    dtype = values.dtype if values.dtype in (np.int32, np.int64) else np.int64
    return np.ascontiguousarray(values, dtype=dtype)
