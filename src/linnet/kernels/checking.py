"""Is a matrix a Gram matrix? With the vector that shows that it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linnet._params import number
from linnet.errors import DataError
from linnet.kernels.base import Array


@dataclass(frozen=True)
class KernelCheck:
    """What was found: how far K_ij and K_ji differ and where, the least eigenvalue and its vector.

    Without positive semi-definiteness ``vector`` is v of length 1 with vᵀKv = ``eigenvalue`` < 0: as
    coefficients of the examples it makes a weight vector w of squared length below 0, which no space of
    features has.
    """

    symmetric: bool
    positive: bool
    asymmetry: float
    pair: tuple[int, int]
    eigenvalue: float
    vector: Array

    def __bool__(self) -> bool:
        return self.symmetric and self.positive

    def __str__(self) -> str:
        if not self.symmetric:
            i, j = self.pair
            return f"not symmetric: K[{i}, {j}] and K[{j}, {i}] differ by {self.asymmetry:g}"
        if self.positive:
            return f"symmetric and positive semi-definite; the least eigenvalue is {self.eigenvalue:g}"
        most = np.argsort(-np.abs(self.vector), kind="stable")[:5]
        shown = ", ".join(f"{self.vector[i]:+.3f} of example {i}" for i in most)
        return f"not positive semi-definite: v'Kv = {self.eigenvalue:g} < 0 for v with {shown}"


def check_gram(K: Any, tol: float = 1e-6) -> KernelCheck:
    """Of a square matrix; ``tol`` is relative to its largest value."""
    K = np.asarray(K, dtype=np.float64)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or len(K) == 0:
        raise DataError(f"a Gram matrix is square and not empty, not of shape {K.shape}")
    if not 0 <= number(tol) < 1:
        raise ValueError(f"tol must be a number from 0 to 1, not {tol!r}")
    room = tol * float(np.abs(K).max(initial=0.0)) * len(K)
    differences = np.abs(K - K.T)
    i, j = divmod(int(differences.argmax()), len(K))
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    return KernelCheck(
        symmetric=bool(differences[i, j] <= room),
        positive=bool(values[0] >= -room),
        asymmetry=float(differences[i, j]),
        pair=(i, j),
        eigenvalue=float(values[0]),
        vector=vectors[:, 0],
    )
