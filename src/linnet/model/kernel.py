"""A linear function in the space of a kernel: w = Σ_i β_i φ(x_i), kept as its support vectors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import as_rows
from linnet.kernels import Kernel, Linear
from linnet.kernels.vectors import VectorKernel

Array = NDArray[np.float64]


@dataclass
class KernelModel:
    """score_p(x) = Σ_i weights[i, p] K(x_i, x) + intercepts[p].

    ``support`` are the examples x_i as the kernel reads them, ``places`` their numbers among those of
    training. Of a matrix that was computed beforehand there are no examples, and ``places`` says which
    columns of it count.
    """

    kernel: Kernel
    support: Any
    weights: Array  # (support vectors, columns)
    intercepts: Array  # (columns,)
    places: NDArray[np.int64]
    examples: int  # in training

    def __post_init__(self) -> None:
        if not np.isfinite(self.weights).all() or not np.isfinite(self.intercepts).all():
            raise ValueError("a coefficient is no finite number")

    votes = None  # as of linear models

    @property
    def width(self) -> int:
        """Columns of scores."""
        return int(self.weights.shape[1])

    def __len__(self) -> int:
        """How many support vectors."""
        return len(self.weights)

    def values(self, A: Any, threads: int = 1) -> Any:
        """K(x, support vector) for examples that were read."""
        if self.kernel.reads == "gram":
            return A[:, self.places]
        return self.kernel.between(A, self.support, threads)

    def scores(self, A: Any, threads: int = 1) -> Array:
        """(examples, columns), of examples that were read."""
        n = A.shape[0] if hasattr(A, "shape") else len(A)
        if len(self) == 0 or n == 0:
            return np.tile(self.intercepts, (n, 1))
        if isinstance(self.kernel, Linear):
            found = A @ self._primal
        elif isinstance(self.kernel, VectorKernel):
            found = self._gram.scores(as_rows(A, 0.0), self._floats, threads)
        else:
            found = self.values(A, threads) @ self.weights
        return np.asarray(found, dtype=np.float64) + self.intercepts

    @cached_property
    def _primal(self) -> Array:
        """W itself, where it is a vector of the features."""
        return np.ascontiguousarray(self.support.T @ self.weights)

    @cached_property
    def _gram(self) -> _core.VectorGram:
        assert isinstance(self.kernel, VectorKernel)
        return self.kernel.gram(self.support)

    @cached_property
    def _floats(self) -> NDArray[np.float32]:
        return np.ascontiguousarray(self.weights, dtype=np.float32)

    def __getstate__(self) -> dict[str, Any]:
        """What is made when it is first needed stays behind."""
        return {k: v for k, v in self.__dict__.items() if not k.startswith("_")}
