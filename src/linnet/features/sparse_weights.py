"""Weights of many labels, most of them zero: rows of (label, weight)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core

Block = NDArray[np.float32] | NDArray[np.float64]
WORTHWHILE = 0.75  # of the bytes of the full block


@dataclass(frozen=True)
class SparseWeights:
    """What is not zero of a block (features + 1, padded width), in rows of which equal ones are one.

    Row r lies at ``places[r]``: row ``places[r]`` of ``full``, where rows are in full that nearly are;
    from ``len(full)`` on byte ``places[r] - len(full)`` of ``rows``, whose bytes are described in
    cpp/linnet/decoding/sparse_weights.hpp. Scores are to the bit those of the block. Arrays are used
    where they lie.
    """

    places: NDArray[np.uint32]
    full: Block  # (rows, padded width)
    rows: NDArray[np.uint8]
    width: int

    @classmethod
    def of(cls, block: Block, width: int) -> SparseWeights | None:
        """The rows of a block, or None if they are hardly smaller than the block."""
        if width < 2 or block.dtype not in (np.float32, np.float64):
            return None
        most = int(WORTHWHILE * block.nbytes)
        found = _kind(block.dtype).made(np.ascontiguousarray(block), width, most)
        if found is None:
            return None
        places, full, rows = found
        return cls(places, full.reshape(-1, block.shape[1]), rows, width)

    def __len__(self) -> int:
        return len(self.places)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the weights."""
        return self.full.dtype

    @property
    def core(self) -> _core.SparseFloats | _core.SparseDoubles:
        """What scores; made in no time, since it reads the arrays where they lie."""
        made: _core.SparseFloats | _core.SparseDoubles = _kind(self.dtype)(
            self.width, self.places, self.full.reshape(-1), self.rows
        )
        return made

    def block(self) -> Block:
        """(features + 1, padded width), made each time; read-only, since nobody would see changes."""
        made = self.core.dense()
        made.flags.writeable = False
        return made

    def chosen(self, rows: Any) -> Block:
        """(len(rows), width): some rows in full."""
        return self.core.chosen(np.ascontiguousarray(rows, dtype=np.int64))

    def tensors(self, prefix: str) -> dict[str, NDArray[Any]]:
        """What a model file holds."""
        return {
            f"{prefix}.places": self.places,
            f"{prefix}.full": self.full,
            f"{prefix}.rows": self.rows,
        }

    @classmethod
    def from_tensors(
        cls, prefix: str, tensors: Mapping[str, NDArray[Any]], width: int
    ) -> SparseWeights:
        """The inverse; arrays stay where they lie, and all but the weights is checked."""
        names = ("places", "full", "rows")
        missing = [name for name in names if f"{prefix}.{name}" not in tensors]
        if missing:
            raise ValueError(f"the tensor {prefix + '.' + missing[0]!r} is missing")
        places, full, rows = (tensors[f"{prefix}.{name}"] for name in names)
        if (
            places.dtype != np.uint32
            or rows.dtype != np.uint8
            or full.dtype not in (np.float32, np.float64)
            or (places.ndim, full.ndim, rows.ndim) != (1, 2, 1)
            or full.shape[1] != _core.padded(width)
        ):
            raise ValueError("the sparse rows are of other types or shapes")
        found = cls(places, full, rows, width)
        _ = found.core  # it checks the lengths
        _core.check_sparse_rows(width, places, len(full), rows, full.itemsize)
        return found


def _kind(dtype: np.dtype[Any]) -> Any:
    return _core.SparseFloats if dtype == np.float32 else _core.SparseDoubles
