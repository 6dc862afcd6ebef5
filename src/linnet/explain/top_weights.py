"""What a model goes by: the features with the largest weights, label by label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.features import TextFeatures
from linnet.features.text.packed import PackedFeatures
from linnet.model import LinearModel

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, repr=False)
class TopWeights:
    """For each label features by name and what one occurrence adds to its score, before the norm."""

    labels: dict[str, list[tuple[str, float]]]
    intercepts: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, ready for JSON."""
        return {
            label: {
                "intercept": self.intercepts[label],
                "features": [{"name": name, "weight": weight} for name, weight in rows],
            }
            for label, rows in self.labels.items()
        }

    def __rich__(self) -> Table:
        from rich.table import Table

        from linnet.explain.shown import Text

        table = Table(show_edge=False, pad_edge=False)
        table.add_column("label", style="bold")
        table.add_column("weight", justify="right")
        table.add_column("feature")
        for label, rows in self.labels.items():
            for k, (name, weight) in enumerate(rows):
                style = "green" if weight > 0 else "red"
                table.add_row(Text(label if k == 0 else ""), Text(f"{weight:+.4f}", style), Text(name))
            table.add_section()
        return table

    def __str__(self) -> str:
        lines = []
        for label, rows in self.labels.items():
            lines.append(label)
            lines += [f"  {weight:+9.4f}  {name}" for name, weight in rows]
        return "\n".join(lines)

    __repr__ = __str__


def top_weights(
    features: TextFeatures, model: LinearModel, classes: Sequence[Any], n: int = 20
) -> TopWeights:
    """The ``n`` features that speak loudest for each label.

    A feature's weight is W[j + 1, y] v_j: one occurrence adds it to the score, before the row is
    normalised. With two labels there is one score; the features that lower it speak for the first
    label, and their weights are shown with the sign turned.
    """
    if isinstance(features.numbering, PackedFeatures) and not features.numbering.named:
        raise DataError(
            "the names of features were dropped when this model was quantised; inspect the original, "
            "or quantise it with names"
        )
    values = features.values.astype(np.float64)
    values = {"none": values, "abs": np.abs(values), "square": values * values}[features.elementwise]
    return named_weights(features.names, model, classes, n, values)


def named_weights(
    names: Sequence[str],
    model: LinearModel,
    classes: Sequence[Any],
    n: int,
    values: NDArray[np.float64] | float = 1.0,
) -> TopWeights:
    """The ``n`` largest weights of each label, times what a feature is worth by itself."""
    labels = [str(label) for label in classes]
    columns = [(1.0, y) for y in range(model.width)]  # a sign and a column of weights
    if model.width == 1 and len(labels) == 2:
        columns = [(-1.0, 0), (1.0, 0)]
    coef = model.coef
    found: dict[str, list[tuple[str, float]]] = {}
    intercepts: dict[str, float] = {}
    for label, (sign, y) in zip(labels, columns, strict=False):  # a stream may have shown one label
        weights = sign * coef[y] * values
        best = largest(weights, n)
        found[label] = [(str(names[j]), float(weights[j])) for j in best]
        intercepts[label] = sign * float(model.intercept[y])
    return TopWeights(found, intercepts)


def largest(values: NDArray[np.floating[Any]], n: int) -> list[int]:
    """Where the ``n`` largest values above 0 stand; of equal ones the earlier come first."""
    few = np.flatnonzero(values > 0)
    if len(few) > n:  # all that are not below the last one kept, then in order
        few = few[values[few] >= np.partition(values[few], -n)[-n]]
    return [int(k) for k in few[np.argsort(-values[few], kind="stable")][:n]]
