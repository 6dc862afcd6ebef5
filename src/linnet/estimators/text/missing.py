"""Texts, labels, numbers and categories that are missing: filled, left out or refused, and told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import LabelColumn, as_texts
from linnet.data.missing import OWN, Lack, Policy, is_missing, tell, where_missing
from linnet.errors import DataError, setting
from linnet.estimators.text.reading import columns_of
from linnet.estimators.text.targets import Targets

Columns = Mapping[str, Any] | None


@dataclass
class Settled:
    """What to learn from or to predict on: nothing is missing in it."""

    texts: _core.Texts
    columns: Columns
    y: Any
    kept: NDArray[np.int64] | None = None  # places of the examples that are left, if not all are
    before: int = 0  # how many there were
    means: dict[str, float] = field(default_factory=dict)  # of numbers, for those that are missing

    def left(self, weights: Any) -> Any:
        """Of one for each example, those of the examples that are left."""
        return weights if self.kept is None or weights is None else np.asarray(weights)[self.kept]


def settled(
    model: Any,
    source: Any,
    name: str,
    columns: Columns,
    y: Any,
    anew: bool,
    lines: Callable[[int], str] | None = None,
) -> Settled:
    """Fill, leave out or refuse what is missing, by the policy of the model.

    Whoever predicts (``y`` is None) wants an answer for each text: what would be left out is filled
    as by default. ``anew``: what the model has learnt does not matter. ``lines`` says where in a file
    an example stands.
    """
    policy = Policy.of(model.missing)
    texts, without_text = _texts(source, name)
    size = len(texts)
    y = list(y) if isinstance(y, Iterator) else y
    if hasattr(y, "iloc") and getattr(y, "shape", ())[1:] == (1,):
        y = y.iloc[:, 0]
    lacks = _Lacks(policy, size, y is not None, lines)
    if without_text is not None:
        lacks.add("text", without_text, name)
    found: dict[str, Any] | None = None
    if columns is not None:
        fresh = anew or not hasattr(model, "model_")
        known: dict[str, float] | None = None if fresh else getattr(model, "means_", {})
        found = _beside(columns_of(model, anew), known, columns, size, lacks)
    if y is not None:
        lacks.add("label", _unlabelled(y), "y")
    if not lacks.seen:
        return Settled(texts, columns if found is None else found, y, means=lacks.means)
    kept = np.flatnonzero(~lacks.left_out)
    tell(lacks.seen)
    if len(kept) == size:
        return Settled(texts, columns if found is None else found, y, means=lacks.means)
    if not len(kept):
        raise DataError(f"of {size} examples none is left: something is missing in each")
    if found is not None:
        found = {column: values[kept] for column, values in found.items()}
    return Settled(texts.take(kept), found, _taken(y, kept), kept, size, lacks.means)


class _Lacks:
    """What is missing so far, and which examples are left out for it."""

    def __init__(
        self, policy: Policy, size: int, may_skip: bool, lines: Callable[[int], str] | None
    ) -> None:
        self.policy, self.size, self.may_skip, self.lines = policy, size, may_skip, lines
        self.left_out = np.zeros(size, dtype=bool)
        self.seen: list[Lack] = []
        self.means: dict[str, float] = {}

    def add(
        self,
        kind: str,
        missing: NDArray[np.bool_],
        where: str,
        column: str = "",
        unknown: bool = False,
    ) -> str:
        """What is done about them. ``unknown``: the model, an old one, knows no mean."""
        done: str = getattr(self.policy, kind)
        if not missing.any():
            return done
        place = int(missing.argmax())
        first = f"position {place}" if column else f"{where}[{place}]"
        if self.lines is not None:
            first = self.lines(place)
        if done == "error":
            culprit = f"{where}[{place}]" if self.lines is None else f"{first}: {column or 'label'}"
            raise DataError(f"{culprit} is missing; fill it, or say what to do by {setting('missing')}")
        if done == "skip" and not self.may_skip:
            done = getattr(Policy(), kind)
        done = "zero" if unknown and done == "mean" else done
        if done == "skip" and len(missing) == self.size:
            self.left_out |= missing
        self.seen.append(Lack(kind, done, int(missing.sum()), len(missing), first, column))
        return done


def _texts(source: Any, name: str) -> tuple[_core.Texts, NDArray[np.bool_] | None]:
    """Texts, and which of them were missing; looked for only if they cannot be read otherwise."""
    if not isinstance(source, (str, bytes, _core.Texts)) and not hasattr(source, "__len__"):
        source = list(source) if isinstance(source, Iterable) else source
    try:
        return as_texts(source, name), None
    except DataError:
        if isinstance(source, (str, bytes)) or getattr(source, "ndim", 1) != 1:
            raise
        values = source.to_pylist() if hasattr(source, "to_pylist") else list(source)
        missing = where_missing(values)
        if not missing.any():
            raise
        there = ["" if gone else v for v, gone in zip(values, missing, strict=True)]
        return as_texts(there, name), missing


def _beside(
    kinds: dict[str, tuple[str, ...]],
    known: dict[str, float] | None,
    columns: Mapping[str, Any],
    size: int,
    lacks: _Lacks,
) -> dict[str, Any] | None:
    """The columns that the model looks at, filled; None if it looks at none, or they are not there."""
    found: dict[str, Any] = {}
    for column in kinds["numeric"]:
        if column in columns:
            found[column] = numbers = _numbers(columns[column])
            if numbers.dtype != np.float64:
                continue
            missing = np.isnan(numbers)
            mean = float(numbers[~missing].mean()) if not missing.all() else 0.0
            lacks.means[column] = mean if np.isfinite(mean) else 0.0
            if numbers.shape == (size,) and missing.any():
                unknown = known is not None and column not in known
                done = lacks.add("number", missing, f"X[{column!r}]", column, unknown)
                fill = lacks.means[column] if known is None else known.get(column, 0.0)
                found[column] = np.where(missing, 0.0 if done == "zero" else fill, numbers)
    for column in kinds["categorical"]:
        if column in columns:
            values = _listed(columns[column])
            missing = where_missing(values)
            if len(missing) == size and missing.any():
                lacks.add("category", missing, f"X[{column!r}]", column)
            found[column] = categories(values)
    return found or None


def categories(values: Iterable[Any]) -> NDArray[Any]:
    """Values of a column as strings; whole numbers are written so, though NaN makes them floats."""
    strings = [OWN if is_missing(value) else _category(value) for value in values]
    return np.array([*strings, None], dtype=object)[:-1]


def _category(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _numbers(values: Any) -> NDArray[np.float64]:
    """Numbers, NaN where one is missing; what is neither is left to the features to refuse."""
    array = np.asarray(values.to_pylist() if hasattr(values, "to_pylist") else values)
    if array.dtype == object and array.ndim == 1:
        array = np.array([np.nan if is_missing(value) else value for value in array.tolist()] + [None])
        array = array[:-1]
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError):
        return array


def _listed(values: Any) -> list[Any]:
    if hasattr(values, "to_pylist"):
        return list(values.to_pylist())
    return list(values.tolist() if hasattr(values, "tolist") else values)


def _unlabelled(y: Any) -> NDArray[np.bool_]:
    if isinstance(y, (LabelColumn, Targets)):
        return np.zeros(len(y), dtype=bool)
    if isinstance(y, np.ndarray) and y.dtype.kind not in "fO":
        return np.zeros(len(y), dtype=bool)
    if isinstance(y, (str, bytes)) or not hasattr(y, "__len__"):
        return np.zeros(0, dtype=bool)  # to be refused
    return where_missing(_listed(y))


def _taken(y: Any, kept: NDArray[np.int64]) -> Any:
    if y is None:
        return None
    if isinstance(y, LabelColumn):
        return y.take(kept)
    if isinstance(y, Targets):
        column = LabelColumn([], y.codes, y.offsets).take(kept)
        return Targets(y.classes, column.codes, column.offsets)
    if isinstance(y, np.ndarray):
        return y[kept]
    values = _listed(y)
    return [values[i] for i in kept.tolist()]
