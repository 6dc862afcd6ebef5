"""What every kernel has: examples that it reads, and a Gram matrix of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import Params
from linnet.errors import DataError

if TYPE_CHECKING:
    from linnet.kernels.checking import KernelCheck
    from linnet.kernels.combining import Product, Sum

Array = NDArray[np.float64]
Gram = NDArray[np.floating[Any]]


class Kernel(Params):
    """K(x, z) = φ(x) · φ(z).

    ``kernel(X)`` is the Gram matrix of X, ``kernel(X, Z)`` that of the examples of X by those of Z.
    Kernels can be added and multiplied. ``reads`` says what examples are: 'rows' of numbers, 'strings',
    'trees', 'anything' (of a function of the user's) or 'gram', rows of a matrix that is there already.
    """

    reads: ClassVar[str]

    def read(self, X: Any) -> Any:
        """Examples as this kernel has them, checked; they have a length and can be taken from."""
        raise NotImplementedError

    def between(self, A: Any, B: Any, threads: int = 1) -> Gram:
        """(A, B), of examples that were read."""
        raise NotImplementedError

    def diagonal(self, A: Any, threads: int = 1) -> Array:
        """K(x, x) of each example that was read."""
        raise NotImplementedError

    def within(self, A: Any, threads: int = 1) -> Gram:
        """The Gram matrix of examples with one another."""
        return self.between(A, A, threads)

    def fitted(self, A: Any) -> Kernel:
        """With what it leaves to the data."""
        return self

    def __call__(self, X: Any, Z: Any = None, threads: int = 1) -> Array:
        A = self.read(X)
        if Z is None:
            return np.asarray(self.fitted(A).within(A, threads), dtype=np.float64)
        return np.asarray(self.fitted(A).between(A, self.read(Z), threads), dtype=np.float64)

    def check(self, X: Any, tol: float = 1e-6) -> KernelCheck:
        """Is it symmetric and positive semi-definite on these examples? With what shows it is not."""
        from linnet.kernels.checking import check_gram

        return check_gram(self(X), tol)

    def __add__(self, other: Any) -> Sum:
        from linnet.kernels.combining import Sum

        return Sum([self, other])

    def __mul__(self, other: Any) -> Product:
        from linnet.kernels.combining import Product

        return Product([self, other])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Kernel) or type(self) is not type(other):
            return False
        return self.get_params(deep=False) == other.get_params(deep=False)

    def __hash__(self) -> int:
        return hash(type(self))

    def copied(self, **changed: Any) -> Self:
        """With other settings."""
        return type(self)(**{**self.get_params(deep=False), **changed})


def take(examples: Any, places: NDArray[np.integer[Any]] | Sequence[int]) -> Any:
    """The examples at these places."""
    if isinstance(examples, list):
        return [examples[int(i)] for i in places]
    return examples[np.asarray(places, dtype=np.intp)]


def listed(X: Any, what: str) -> list[Any]:
    """Examples one by one."""
    if isinstance(X, (str, bytes, dict)) or not hasattr(X, "__iter__"):
        raise DataError(f"X is a single {type(X).__name__}; give a list of {what}")
    return list(X)


def as_numbers(X: Any, what: str = "a matrix of numbers") -> NDArray[Any]:
    """X as an array of two dimensions."""
    try:
        values = np.asarray(X)
    except ValueError:
        raise DataError(f"X must be {what}; its rows differ in length") from None
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise DataError(f"X must be {what}, not of {values.dtype} {values.shape}")
    return values


def check_finite(X: Any) -> None:
    """Of a matrix, sparse or dense."""
    values = X.data if hasattr(X, "tocsr") else X
    with np.errstate(invalid="ignore", over="ignore"):  # a sum is one pass, without an array of bools
        if not np.isfinite(values.sum()) and not np.isfinite(values).all():
            raise DataError("X holds NaN or infinity; a kernel needs numbers")
