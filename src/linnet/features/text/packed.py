"""A vocabulary in two bytes for each feature: the numbering of quantised models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.errors import DataError
from linnet.features.text.names import StoredNames
from linnet.features.text.numbering import Tensors, checked


class PackedFeatures:
    """Slots with a fingerprint of 16 bits, 0 if empty; the number of a feature is its slot.

    A gram that was never stored is taken for a feature about once in ten thousand. ``values`` are v
    in 8 bits, v_j = value_scale · values[j], or None where v is 1.
    """

    collisions = 0

    def __init__(
        self,
        fingerprints: NDArray[np.uint16],
        values: NDArray[np.int8] | None,
        value_scale: float,
        names: Tensors | None,
    ) -> None:
        self.fingerprints = fingerprints
        self.values = values
        self.value_scale = value_scale
        self._names = names
        self.size = len(fingerprints)
        self.table = _core.FeatureTable.packed(fingerprints)

    @property
    def exact_values(self) -> NDArray[np.float32] | None:
        """The values v as float32."""
        if self.values is None:
            return None
        return np.float32(self.value_scale) * self.values.astype(np.float32)

    @property
    def named(self) -> bool:
        """Were names kept?"""
        return self._names is not None

    @property
    def names(self) -> Sequence[str]:
        if self._names is None:
            raise ValueError("the names of features were dropped when the model was quantised")
        return StoredNames(self._names["name_bytes"], self._names["name_offsets"])

    @property
    def document_frequencies(self) -> NoReturn:
        raise ValueError("a quantised model does not know document frequencies")

    def fit(self, *_: Any) -> NoReturn:
        self.grow()

    def grow(self, *_: Any) -> NoReturn:
        raise ValueError("a quantised model learns no new features; train the original on")

    def spec(self) -> dict[str, Any]:
        return {
            "scaled": self.values is not None,
            "value_scale": self.value_scale,
            "named": self.named,
        }

    def tensors(self, with_df: bool = False) -> Tensors:
        found: Tensors = {"fingerprints": self.fingerprints} | (self._names or {})
        if self.values is not None:
            found["values"] = self.values
        return found

    @classmethod
    def from_parts(cls, spec: Mapping[str, Any], tensors: Mapping[str, Any]) -> PackedFeatures:
        """The inverse of `spec` and `tensors`."""
        fingerprints = checked(tensors, {"fingerprints": (np.uint16, None)})["fingerprints"]
        size = len(fingerprints)
        values = names = None
        if spec["scaled"]:
            values = checked(tensors, {"values": (np.int8, size)})["values"]
        if spec["named"]:
            wanted = {"name_bytes": (np.uint8, None), "name_offsets": (np.int64, size + 1)}
            names = checked(tensors, wanted)
        scale = float(spec["value_scale"])
        if not abs(scale) < 1e30:  # v must be a float32
            raise DataError(f"the text features are damaged: value_scale is {scale}")
        try:
            return cls(fingerprints, values, scale, names)
        except ValueError as error:
            raise DataError(f"the text features are damaged: {error}") from None
