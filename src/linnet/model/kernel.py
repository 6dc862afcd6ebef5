"""A linear function in the space of a kernel: w = Σ_i β_i φ(x_i), kept as its support vectors."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linnet._core as _core
from linnet.data import as_rows
from linnet.errors import RefusedError
from linnet.kernels import Kernel, Linear, Normalised, SubsetTree, Subtree
from linnet.kernels.vectors import VectorKernel

Array = NDArray[np.float64]


@dataclass
class KernelModel:
    """score_p(x) = Σ_i weights[i, p] K(x_i, x) + intercepts[p].

    ``support`` are the examples x_i as the kernel reads them, ``places`` their numbers among those of
    training. Of a matrix that was computed beforehand there are no examples, and ``places`` says which
    columns of it count. With ``fragments`` a sum over trees is one over fragments of up to so many
    productions, and no longer depends on how many support vectors there are.
    """

    kernel: Kernel
    support: Any
    weights: Array  # (support vectors, columns)
    intercepts: Array  # (columns,)
    places: NDArray[np.int64]
    examples: int  # in training
    fragments: int | None = None

    def __post_init__(self) -> None:
        if self.fragments is not None:
            fragmented(self.kernel)
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
        elif self.fragments is not None:
            normalised = isinstance(self.kernel, Normalised)
            found = self.fragment_weights.scores(A.core, normalised, threads)
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

    @cached_property
    def fragment_weights(self) -> _core.FragmentWeights:
        """W over fragments of trees."""
        assert self.fragments is not None
        kernel, weights = fragmented(self.kernel), self.weights
        if isinstance(self.kernel, Normalised):  # a single leaf has no features
            own = kernel.diagonal(self.support)
            weights = weights / np.sqrt(np.where(own > 0, own, 1))[:, None]
        weights = np.ascontiguousarray(weights)
        settings = kernel.settings()
        return _core.FragmentWeights(self.support.core, weights, **settings, size=self.fragments)

    def __getstate__(self) -> dict[str, Any]:
        """What is made when it is first needed stays behind."""
        made = {field.name for field in fields(self)}
        return {k: v for k, v in self.__dict__.items() if k in made}


def fragmented(kernel: Kernel) -> SubsetTree | Subtree:
    """The kernel of trees whose features can be written out, alone or within `Normalised`."""
    inner = kernel.kernel if isinstance(kernel, Normalised) else kernel
    if not isinstance(inner, (SubsetTree, Subtree)):
        raise RefusedError(
            f"fragments are the features of SubsetTree and Subtree, normalised or not, and not of "
            f"{kernel!r:.60}"
        )
    return inner
