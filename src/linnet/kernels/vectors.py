"""Kernels of vectors: linear, polynomial, Gaussian."""

from __future__ import annotations

from typing import Any

import numpy as np

import linnet._core as _core
from linnet._params import number, whole
from linnet.data import CsrRows, as_rows
from linnet.errors import DataError
from linnet.kernels.base import Array, Gram, Kernel, as_numbers, check_finite


class VectorKernel(Kernel):
    """A function of x · z and of the norms."""

    reads = "rows"

    def read(self, X: Any) -> Any:
        """A matrix, sparse or dense."""
        if isinstance(X, CsrRows) or hasattr(X, "tocsr"):
            made = X.scipy() if isinstance(X, CsrRows) else X.tocsr()
        else:
            made = np.ascontiguousarray(as_numbers(X), dtype=np.float64)
        check_finite(made)
        return made

    def settings(self) -> dict[str, Any]:
        """As the core takes them."""
        raise NotImplementedError

    def gram(self, A: Any) -> _core.VectorGram:
        """The core's side of it, over these rows."""
        return _core.VectorGram(as_rows(A, 0.0), **self.settings())

    def between(self, A: Any, B: Any, threads: int = 1) -> Gram:
        """(A, B), of examples that were read."""
        if A.shape[1] != B.shape[1]:
            raise DataError(f"X has {A.shape[1]} features, the others {B.shape[1]}")
        if A.shape[0] == 0 or B.shape[0] == 0:
            return np.zeros((A.shape[0], B.shape[0]))
        return self.gram(B).matrix(as_rows(A, 0.0), threads)

    def diagonal(self, A: Any, threads: int = 1) -> Array:
        """K(x, x) of each row."""
        return self.gram(A).diagonal().astype(np.float64)


class Linear(VectorKernel):
    """x · z."""

    def settings(self) -> dict[str, Any]:
        """As the core takes them."""
        return {"form": "linear"}


class Polynomial(VectorKernel):
    """(x · z + constant)^degree.

    >>> from linnet.kernels import Polynomial
    >>> Polynomial(2, constant=1.0)([[1.0, 2.0]], [[3.0, 1.0]])
    array([[36.]])
    """

    def __init__(self, degree: int = 2, constant: float = 1.0) -> None:
        self.degree = degree
        self.constant = constant

    def settings(self) -> dict[str, Any]:
        """As the core takes them."""
        if not 0 <= number(self.constant) < float("inf"):
            raise ValueError(f"constant must be a number of 0 or more, not {self.constant!r}")
        degree = whole("degree", self.degree)
        return {"form": "polynomial", "degree": degree, "constant": float(self.constant)}


class Gaussian(VectorKernel):
    """exp(−‖x − z‖² / (2σ²)); without ``sigma`` 2σ² is the variance of the data, Σ_j Var(x_j)."""

    def __init__(self, sigma: float | None = None) -> None:
        self.sigma = sigma

    def settings(self) -> dict[str, Any]:
        """As the core takes them."""
        if not 0 < number(self.sigma) < float("inf"):
            raise ValueError(f"sigma must be a positive number, not {self.sigma!r}")
        return {"form": "gaussian", "precision": 1 / (2 * float(self.sigma or 0) ** 2)}

    def fitted(self, A: Any) -> Kernel:
        """With a σ."""
        if self.sigma is not None:
            return self
        squares = A.multiply(A).sum() if hasattr(A, "tocsr") else np.square(A).sum()
        mean = np.asarray(A.mean(axis=0), dtype=np.float64)
        variance = float(squares) / A.shape[0] - float(np.square(mean).sum())
        return Gaussian(float(np.sqrt(variance / 2)) if variance > 1e-12 else 1.0)
