"""Small parsers: weights in 8 or 4 bits in the file, one scale for each relation.

Features of arcs are hashed, so that none can be dropped. What is loaded is widened to float32: it
parses as fast as before, with weights that are rounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linnet.errors import DataError
from linnet.features.packed_weights import PackedWeights
from linnet.features.text.quantise import check_bounds
from linnet.model.trees import TreeModel

Tensors = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class PackedTrees:
    """The tensors of a model of trees, packed one by one; the first row of each stays float32."""

    tables: dict[str, PackedWeights]
    flat: frozenset[str]  # those with one weight for each feature

    @classmethod
    def of(cls, model: TreeModel, bits: int) -> PackedTrees:
        """Pack a model."""
        return cls.of_tensors(model.tensors(), model.width, bits)

    @classmethod
    def of_tensors(cls, tensors: Tensors, width: int, bits: int) -> PackedTrees:
        """Pack tensors, of which ``width`` columns are used."""
        check_bounds(bits, None)
        tables = {}
        for name, array in tensors.items():
            rows = array.reshape(len(array), -1)[:, : 1 if array.ndim == 1 else width]
            beside = np.zeros((0, rows.shape[1]), np.float32)
            tables[name] = PackedWeights.of(rows[1:], rows[0].copy(), beside, bits)
        return cls(tables, frozenset(n for n, array in tensors.items() if array.ndim == 1))

    def widened(self) -> Tensors:
        """The tensors of the model again, but for what rounding took away."""
        blocks = {name: packed.block() for name, packed in self.tables.items()}
        return {n: np.ascontiguousarray(b[:, 0]) if n in self.flat else b for n, b in blocks.items()}

    def rounded(self, model: TreeModel) -> TreeModel:
        """The model with these weights."""
        return replace(TreeModel.from_parts(model.spec(), self.widened()), packed=self)

    # In a file

    def spec(self) -> dict[str, Any]:
        """What the tensors do not tell, ready for JSON."""
        return {
            name: packed.spec() | {"flat": name in self.flat} for name, packed in self.tables.items()
        }

    def tensors(self) -> Tensors:
        """What a model file holds."""
        return {
            f"{name}.{part}": array
            for name, packed in self.tables.items()
            for part, array in packed.tensors().items()
        }

    @classmethod
    def from_parts(cls, spec: Any, tensors: Mapping[str, NDArray[Any]]) -> PackedTrees:
        """The inverse; raises DataError for what cannot have been packed."""
        try:
            tables = {
                name: PackedWeights.from_parts(about, _under(f"{name}.", tensors))
                for name, about in spec.items()
            }
            flat = frozenset(name for name, about in spec.items() if about["flat"])
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise DataError(f"the packed weights of the parser are damaged: {error}") from None
        if any(packed.width != 1 for name, packed in tables.items() if name in flat):
            raise DataError("the packed weights of the parser are damaged: they do not fit together")
        return cls(tables, flat)


def _under(prefix: str, tensors: Mapping[str, NDArray[Any]]) -> Tensors:
    return {n.removeprefix(prefix): a for n, a in tensors.items() if n.startswith(prefix)}
