"""From raw text to scores, without rows in between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.features.packed_weights import PackedWeights
from linnet.features.sparse_weights import SparseWeights
from linnet.features.text.packed import PackedFeatures

if TYPE_CHECKING:
    from linnet.features.text.learnt import Columnwise, LearntText


class FusedScorer:
    """score[i, y] = bias · W[0, y] + Σ_j W[j + 1, y] x_ij, x the row of text i.

    The same numbers as the rows and a matrix product give, to 1e-5 of Σ_j |W[j + 1, y] x_ij|, and
    the same bits for any number of threads, and for a block of weights and its sparse rows. Weights
    are read where they lie if they are float32.
    """

    def __init__(
        self,
        features: LearntText,
        weights: NDArray[np.floating] | PackedWeights | SparseWeights,
        width: int,
        bias: float,
    ) -> None:
        self._features = features
        size = features.size
        numbering = features.numbering
        packed_values = numbering.values if isinstance(numbering, PackedFeatures) else None
        values = features.own_values
        if isinstance(weights, PackedWeights):
            if packed_values is None and values is not None:
                # Hashed features keep v in full: weights in full go with it.
                weights = weights.block()
            elif weights.features != size or weights.width != width:
                raise ValueError("the packed weights do not fit the features and labels")
        if isinstance(weights, PackedWeights):
            intercept = np.float32(bias) * weights.intercept
            self._beside = weights.beside
            self._tables = _core.ModelTables(
                size,
                intercept,
                weights.codes,
                weights.scales,
                weights.bits,
                packed_values,
                numbering.value_scale if isinstance(numbering, PackedFeatures) else 1.0,
            )
        elif isinstance(weights, SparseWeights):
            core, count = weights.core, features.n_features + 1
            if not isinstance(core, _core.SparseFloats) or (len(weights), weights.width) != (
                count,
                width,
            ):
                raise ValueError("the sparse weights do not fit the features and labels")
            self._beside = core.chosen(np.arange(size + 1, count))
            self._tables = _core.ModelTables(size, core, bias, values)
        else:
            block = np.ascontiguousarray(weights, dtype=np.float32)
            if block.shape != (features.n_features + 1, _core.padded(width)):
                raise ValueError(
                    f"the weights have shape {block.shape}, not "
                    f"{(features.n_features + 1, _core.padded(width))} as these features need"
                )
            self._beside = block[1 + size :, :width]
            self._tables = _core.ModelTables(size, width, block.reshape(-1), bias, values)
        self._core = _core.TextScorer(
            features.analyzer,
            features.table,
            self._tables,
            features.tf,
            features.norm,
            features.elementwise,
            features.part_weights,
        )

    def scores(
        self, texts: Any, threads: int = 1, columns: Columnwise | None = None
    ) -> NDArray[np.float64]:
        """(texts, width) scores; width 1 scores the second of two labels."""
        texts = self._features.prepared(texts)
        scores = self._core.scores(texts, threads)
        if len(self._beside):
            ids, x = self._features.beside(texts, columns, threads)
            for j, value in zip((ids - self._features.size).T, x.T, strict=True):
                known = j >= 0
                scores[known] += value[known, None] * self._beside[j[known]].astype(np.float64)
        return scores
