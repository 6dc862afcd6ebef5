"""Kernels made of kernels: sums, products, and lengths of 1."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from linnet.errors import RefusedError
from linnet.kernels.base import Array, Gram, Kernel


class _Several(Kernel):
    def __init__(self, kernels: Sequence[Kernel]) -> None:
        self.kernels = kernels

    @property
    def reads(self) -> str:  # type: ignore[override]
        """What all of them read."""
        if not self.kernels or not all(isinstance(k, Kernel) for k in self.kernels):
            raise ValueError(f"kernels must be a list of kernels, not {self.kernels!r:.80}")
        known = {kernel.reads for kernel in self.kernels} - {"anything"}
        if len(known) > 1:
            raise RefusedError(
                f"kernels of {' and '.join(sorted(known))} have no examples in common; use Function "
                f"with a function that looks at both parts of an example"
            )
        return next(iter(known), "anything")

    def read(self, X: Any) -> Any:
        """As the first that is particular about it."""
        wanted = self.reads
        return next(kernel for kernel in self.kernels if kernel.reads == wanted).read(X)

    def fitted(self, A: Any) -> Kernel:
        """Each with what it leaves to the data."""
        return type(self)([kernel.fitted(A) for kernel in self.kernels])


class Sum(_Several):
    """K₁ + K₂ + …: the features of all."""

    def between(self, A: Any, B: Any, threads: int = 1) -> Gram:
        """(A, B), of examples that were read."""
        return reduce(np.add, (kernel.between(A, B, threads) for kernel in self.kernels))

    def diagonal(self, A: Any, threads: int = 1) -> Array:
        """K(x, x) of each example."""
        return reduce(np.add, (kernel.diagonal(A, threads) for kernel in self.kernels))


class Product(_Several):
    """K₁ · K₂ · …: the conjunctions of a feature of each."""

    def between(self, A: Any, B: Any, threads: int = 1) -> Gram:
        """(A, B), of examples that were read."""
        return reduce(np.multiply, (kernel.between(A, B, threads) for kernel in self.kernels))

    def diagonal(self, A: Any, threads: int = 1) -> Array:
        """K(x, x) of each example."""
        return reduce(np.multiply, (kernel.diagonal(A, threads) for kernel in self.kernels))


class Normalised(Kernel):
    """K(x, z) / √(K(x, x) K(z, z)): the cosine; 0 with an example that has no features."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    @property
    def reads(self) -> str:  # type: ignore[override]
        """As the kernel inside."""
        if not isinstance(self.kernel, Kernel):
            raise ValueError(f"kernel must be a kernel, not {self.kernel!r:.80}")
        if self.kernel.reads == "gram":
            raise RefusedError("a matrix that is given is normalised before, K / √(d dᵀ)")
        return self.kernel.reads

    def read(self, X: Any) -> Any:
        """As the kernel inside."""
        assert self.reads
        return self.kernel.read(X)

    def fitted(self, A: Any) -> Kernel:
        """With what the kernel leaves to the data."""
        return Normalised(self.kernel.fitted(A))

    def between(self, A: Any, B: Any, threads: int = 1) -> Gram:
        """(A, B), of examples that were read."""
        left = self._factors(self.kernel.diagonal(A, threads))
        right = self._factors(self.kernel.diagonal(B, threads))
        return self.kernel.between(A, B, threads) * left[:, None] * right[None, :]

    def within(self, A: Any, threads: int = 1) -> Gram:
        """The diagonal is that of the matrix."""
        values = self.kernel.within(A, threads)
        factors = self._factors(np.diagonal(values).astype(np.float64))
        return values * factors[:, None] * factors[None, :]

    def diagonal(self, A: Any, threads: int = 1) -> Array:
        """1, or 0 of an example without features."""
        return (self.kernel.diagonal(A, threads) > 0).astype(np.float64)

    @staticmethod
    def _factors(diagonal: Array) -> Array:
        return np.where(diagonal > 0, 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1)), 0.0)
