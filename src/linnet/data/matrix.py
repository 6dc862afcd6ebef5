"""Feature matrices for the core, without copying what can be read in place."""

from __future__ import annotations

from typing import Any

import numpy as np

import linnet._core as _core
from linnet.errors import DataError


def as_rows(X: Any, bias: float) -> _core.Rows:
    """Rows of a SciPy sparse or a dense matrix; ``bias`` is the value of the constant feature.

    CSR with 32- or 64-bit indices and float32 or float64 values, and C-ordered dense float arrays,
    are read where they lie. Anything else is converted first.
    """
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
