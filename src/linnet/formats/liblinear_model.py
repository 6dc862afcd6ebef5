"""Model files of LIBLINEAR: text, a few settings, then one line of weights per feature."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError

Array = NDArray[np.float64]

# The solvers of classifiers: loss and penalty. Others are for regression and outliers.
SOLVERS = {
    "L2R_LR": ("logistic", "l2"),
    "L2R_L2LOSS_SVC_DUAL": ("squared_hinge", "l2"),
    "L2R_L2LOSS_SVC": ("squared_hinge", "l2"),
    "L2R_L1LOSS_SVC_DUAL": ("hinge", "l2"),
    "MCSVM_CS": ("hinge", "l2"),
    "L1R_L2LOSS_SVC": ("squared_hinge", "l1"),
    "L1R_LR": ("logistic", "l1"),
    "L2R_LR_DUAL": ("logistic", "l2"),
}


@dataclass(frozen=True)
class LiblinearModel:
    """score(x, y) = bias·intercepts[y] + Σ_f x_f weights[f, y].

    Labels are in ascending order; two of them share one column, which scores the second, unless they
    were trained jointly (MCSVM_CS).
    """

    solver: str
    labels: NDArray[np.int64]
    weights: Array  # (features, 1 or labels)
    intercepts: Array  # (1 or labels,)
    bias: float  # 0: none

    @property
    def loss(self) -> str:
        """By Linnet's name."""
        return SOLVERS[self.solver][0]

    @property
    def penalty(self) -> str:
        """By Linnet's name."""
        return SOLVERS[self.solver][1]


def read_liblinear(path: str | os.PathLike[str]) -> LiblinearModel:
    """Read what LIBLINEAR's ``train`` or ``save_model`` wrote; errors name the file and line."""
    name = os.fspath(path)
    with open(name, "rb") as file:
        head, lines = _head(name, file.read())
    solver = head.get("solver_type", "")
    if solver not in SOLVERS:
        raise DataError(f"{name}: {solver!r:.40} is no solver of classifiers: {', '.join(SOLVERS)}")
    classes, features = _whole(name, head, "nr_class"), _whole(name, head, "nr_feature")
    bias = _number(name, head, "bias")
    labels = _labels(name, head.get("label", ""), classes)
    columns = 1 if classes == 2 and solver != "MCSVM_CS" else classes
    rows = features + (bias >= 0)
    table = _weights(name, lines, columns, rows)
    order = np.argsort(labels)
    if columns == 1:  # LIBLINEAR's column scores the label it names first
        table = table if labels[0] > labels[1] else -table
    else:
        table = np.ascontiguousarray(table[:, order])
    intercepts = table[features] if bias > 0 else np.zeros(columns)
    return LiblinearModel(solver, labels[order], table[:features], intercepts, max(bias, 0.0))


Lines = list[tuple[int, bytes]]  # each with its number


def _head(name: str, raw: bytes) -> tuple[dict[str, str], Lines]:
    """Settings by name, and the lines of weights."""
    if not raw.startswith(b"solver_type "):
        raise DataError(f"{name}: the first line is not 'solver_type …': no model file of LIBLINEAR")
    head: dict[str, str] = {}
    lines = list(enumerate(raw.split(b"\n"), start=1))
    for at, line in lines:
        key, _, value = line.decode("ascii", "replace").strip().partition(" ")
        if key == "w":
            return head, [(n, text) for n, text in lines[at:] if text.strip()]
        if at > 20:
            break
        head[key] = value.strip()
    raise DataError(f"{name}: there is no line 'w' before the weights; the file was cut off")


def _whole(name: str, head: dict[str, str], key: str) -> int:
    value = _number(name, head, key)
    if value != int(value) or not 1 <= value < 2**31:
        raise DataError(f"{name}: {key} is {head[key]}, not a whole number of 1 or more")
    return int(value)


def _number(name: str, head: dict[str, str], key: str) -> float:
    try:
        value = float(head[key])
    except (KeyError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise DataError(f"{name}: {key} is missing or no number")
    return value


def _labels(name: str, text: str, classes: int) -> NDArray[np.int64]:
    try:
        labels = np.array([int(word) for word in text.split()], dtype=np.int64)
    except (ValueError, OverflowError):
        raise DataError(f"{name}: the labels are not whole numbers: {text:.60}") from None
    if classes < 2 or len(labels) != classes or len(set(labels.tolist())) != classes:
        raise DataError(f"{name}: {classes} classes need as many labels, two or more, each once")
    return labels


def _weights(name: str, lines: Lines, columns: int, rows: int) -> Array:
    if len(lines) != rows:
        raise DataError(f"{name}: {len(lines)} lines of weights, but {rows} features; it was cut off?")
    try:
        flat = np.array(b" ".join(text for _, text in lines).split(), dtype=np.float64)
    except ValueError:
        flat = np.empty(0)
    if len(flat) == rows * columns and np.isfinite(flat).all():
        return flat.reshape(rows, columns)
    at = next((at for at, text in lines if not _is_row(text, columns)), lines[-1][0])
    raise DataError(f"{name}:{at}: a line of weights must hold {columns} finite numbers")


def _is_row(text: bytes, columns: int) -> bool:
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError:
        return False
    return len(numbers) == columns and all(math.isfinite(v) for v in numbers)
