"""Feature matrices for the core, without copying what can be read in place."""

from __future__ import annotations

from typing import Any

import numpy as np

import linnet._core as _core


def as_rows(X: Any, bias: float) -> _core.Rows:
    """Rows of a SciPy sparse or a dense matrix; ``bias`` is the value of the constant feature.

    CSR with 32- or 64-bit indices and float32 or float64 values, and C-ordered dense float arrays,
    are read where they lie. Anything else is converted first.
    """
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


def _real(values: Any) -> Any:
    array = np.asarray(values)
    dtype = array.dtype if array.dtype in (np.float32, np.float64) else np.float64
    return np.ascontiguousarray(array, dtype=dtype)


def _index(values: Any) -> Any:
    dtype = values.dtype if values.dtype in (np.int32, np.int64) else np.int64
    return np.ascontiguousarray(values, dtype=dtype)
