"""Weights in 8 or 4 bits, one scale for each label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core


@dataclass(frozen=True)
class PackedWeights:
    """Small integers q in place of weights; row 0 and ``beside`` stay float32.

    In 8 bits W[f + 1, y] ≈ scales[y] · q[f, y], in 4 bits scales[y] · q|q|. q is feature-major without
    padding: 8 bits a signed byte, 4 bits two to a byte, the earlier in the low nibble.
    """

    codes: NDArray[np.uint8]
    scales: NDArray[np.float32]  # (width,)
    intercept: NDArray[np.float32]  # (width,): row 0
    beside: NDArray[np.float32]  # (columns, width): features that do not come from the text
    features: int  # that are packed
    bits: int

    @classmethod
    def of(
        cls,
        rows: NDArray[np.float32],
        intercept: NDArray[np.float32],
        beside: NDArray[np.float32],
        bits: int,
    ) -> PackedWeights:
        """Pack (features, width) rows of weights."""
        codes, scales = _core.pack_weights(np.ascontiguousarray(rows, dtype=np.float32), bits)
        return cls(codes, scales, intercept, beside, len(rows), bits)

    @property
    def width(self) -> int:
        """How many labels have a score."""
        return len(self.scales)

    def __len__(self) -> int:
        """How many rows, that of the constant feature included."""
        return 1 + self.features + len(self.beside)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the weights once they are unpacked."""
        return self.scales.dtype

    @property
    def nbytes(self) -> int:
        """The size of all of it."""
        return sum(tensor.nbytes for tensor in self.tensors().values())

    def block(self) -> NDArray[np.float32]:
        """(features + columns + 1, padded width): as learners lay weights out."""
        rows = _core.unpack_weights(self.codes, self.scales, self.features, self.bits)
        weights = np.zeros((len(self), _core.padded(self.width)), dtype=np.float32)
        weights[0, : self.width] = self.intercept
        weights[1 : 1 + self.features, : self.width] = rows
        weights[1 + self.features :, : self.width] = self.beside
        return weights

    def chosen(self, rows: Any) -> NDArray[np.float32]:
        """(len(rows), width): some rows, unpacked."""
        rows = np.asarray(rows, dtype=np.int64)
        packed, beside = (rows > 0) & (rows <= self.features), rows > self.features
        weights = np.empty((len(rows), self.width), dtype=np.float32)
        weights[rows == 0] = self.intercept
        weights[packed] = self._unpacked(rows[packed] - 1)
        weights[beside] = self.beside[rows[beside] - 1 - self.features]
        return weights

    def _unpacked(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        places = (rows[:, None] * self.width + np.arange(self.width)).reshape(-1)
        if self.bits == 8:
            codes = self.codes[places]
        else:  # the nibbles of these rows, side by side
            nibbles = self.codes[places // 2] >> (4 * (places % 2)).astype(np.uint8) & 15
            nibbles = np.append(nibbles, np.zeros(len(nibbles) % 2, np.uint8))
            codes = nibbles[::2] | nibbles[1::2] << 4
        return _core.unpack_weights(codes, self.scales, len(rows), self.bits)

    def spec(self) -> dict[str, Any]:
        """What the tensors do not tell, ready for JSON."""
        return {"bits": self.bits, "features": self.features}

    def tensors(self) -> dict[str, NDArray[Any]]:
        """What a model file holds."""
        return {
            "codes": self.codes,
            "scales": self.scales,
            "intercept": self.intercept,
            "beside": self.beside,
        }

    @classmethod
    def from_parts(cls, spec: dict[str, Any], tensors: dict[str, NDArray[Any]]) -> PackedWeights:
        """The inverse of ``spec`` and ``tensors``; arrays are used where they lie."""
        found = cls(
            codes=tensors["codes"],
            scales=tensors["scales"],
            intercept=tensors["intercept"],
            beside=tensors["beside"].reshape(-1, len(tensors["scales"])),
            features=int(spec["features"]),
            bits=int(spec["bits"]),
        )
        size = found.features * found.width
        if (
            [a.dtype for a in (found.codes, found.scales, found.intercept, found.beside)]
            != [np.uint8, np.float32, np.float32, np.float32]
            or found.scales.ndim != 1
            or found.bits not in (8, 4)
            or found.features < 0
            or found.width < 1
            or found.intercept.shape != (found.width,)
            or found.codes.shape != (size if found.bits == 8 else (size + 1) // 2,)
        ):
            raise ValueError("the packed weights do not fit the features and labels")
        return found
