"""Naive Bayes log-count ratios of rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data.elsewhere import RowsElsewhere
from linnet.data.matrix import CsrRows, as_rows


def label_ratios(
    rows: CsrRows, codes: NDArray[np.int32], n_labels: int, alpha: float = 1.0, binary: bool = True
) -> NDArray[np.float32]:
    """How much more of each feature there is with a label than without it, (features, labels).

    r = ln((α + p) / ‖α + p‖₁) − ln((α + q) / ‖α + q‖₁), where p sums a feature over the rows of the
    label and q over all others. A feature counts 1 wherever it is not zero (``binary``), so that rows
    may be normalised already; otherwise the values are summed.
    """
    codes = np.ascontiguousarray(codes, dtype=np.int32)
    if isinstance(rows, RowsElsewhere):
        sums = np.zeros((rows.features, n_labels))
        for part in rows.each(_label_sums, [codes], n_labels, binary):
            sums += part
        return _core.LabelSums.of(sums).ratios(alpha)
    return _core.label_ratios(as_rows(rows, 0.0), codes, n_labels, alpha, binary)


def _label_sums(
    rows: CsrRows, codes: NDArray[np.int32], n_labels: int, binary: bool
) -> NDArray[np.float64]:
    """Of a shard."""
    sums = _core.LabelSums(rows.features, n_labels)
    sums.add_rows(as_rows(rows, 0.0), codes, binary)
    return sums.sums


def reweighed(
    rows: CsrRows,
    old: NDArray[np.float32],
    new: NDArray[np.float32],
    norm: str,
    elementwise: str = "none",
) -> CsrRows:
    """Rows as they would be with other values v of the features; each part keeps its norm.

    So a model may be tried on texts whose labels have had no part in v. A feature whose old value is 0
    has left no trace and stays 0.
    """
    factors = np.divide(new, old, out=np.zeros_like(new), where=old != 0)
    if elementwise != "none":
        factors = np.abs(factors) if elementwise == "abs" else np.square(factors)
    found = rows.scaled(factors)
    if norm == "none":
        return found
    starts = rows.indptr if rows.part_starts is None else rows.part_starts
    before, after = (_sizes(values, starts, norm) for values in (rows.values, found.values))
    scale = np.divide(before, after, out=np.zeros_like(after), where=after > 0)
    return replace(found, values=found.values * np.repeat(scale, np.diff(starts)))


def _sizes(values: NDArray[np.float32], starts: NDArray[np.int64], norm: str) -> NDArray[np.float32]:
    """The norm of each part."""
    powers = np.abs(values) if norm == "l1" else np.square(values)
    sums = np.append(np.cumsum(powers, dtype=np.float64), 0.0)  # [-1] is the sum of nothing
    totals = np.maximum(sums[starts[1:] - 1] - sums[starts[:-1] - 1], 0)
    return np.asarray(totals if norm == "l1" else np.sqrt(totals), dtype=np.float32)
