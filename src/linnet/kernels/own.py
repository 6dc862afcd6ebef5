"""Kernels that users bring along: a function, or a matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linnet.errors import DataError
from linnet.kernels.base import Array, Gram, Kernel, as_numbers, listed


class Function(Kernel):
    """A function of two examples of any kind, to a number.

    It is called once for each pair, and once for two pairs that differ in their order alone. Nothing
    checks that it is a kernel unless `check` is asked to.
    """

    reads = "anything"

    def __init__(self, function: Callable[[Any, Any], float]) -> None:
        self.function = function

    def read(self, X: Any) -> Any:
        """A list of examples."""
        return listed(X, "examples")

    def between(self, A: Any, B: Any, threads: int = 1) -> Gram:
        """(A, B), of examples that were read."""
        return np.array([[self._of(a, b) for b in B] for a in A], dtype=np.float64).reshape(
            len(A), len(B)
        )

    def within(self, A: Any, threads: int = 1) -> Gram:
        """Half of the pairs."""
        found = np.zeros((len(A), len(A)))
        for i, a in enumerate(A):
            for j in range(i + 1):
                found[i, j] = found[j, i] = self._of(a, A[j])
        return found

    def diagonal(self, A: Any, threads: int = 1) -> Array:
        """K(x, x) of each example."""
        return np.array([self._of(a, a) for a in A], dtype=np.float64)

    def check(self, X: Any, tol: float = 1e-6) -> Any:
        """As of any kernel; both orders of a pair are tried."""
        from linnet.kernels.checking import check_gram

        A = self.read(X)
        return check_gram(np.asarray(self.between(A, A)), tol)

    def _of(self, a: Any, b: Any) -> float:
        if not callable(self.function):
            raise ValueError(f"function must be a function of two examples, not {self.function!r:.60}")
        value = self.function(a, b)
        try:
            found = float(value)
        except (TypeError, ValueError):
            found = float("nan")
        if not np.isfinite(found):
            raise DataError(f"the kernel of {a!r:.40} and {b!r:.40} is {value!r:.40}, no finite number")
        return found


class Precomputed(Kernel):
    """X is K itself: (n, n) in training, and (m, n) for m others."""

    reads = "gram"

    def read(self, X: Any) -> Any:
        """A matrix."""
        given = as_numbers(X.toarray() if hasattr(X, "toarray") else X, "a Gram matrix")
        kept = given.dtype in (np.float32, np.float64)
        values = np.ascontiguousarray(given, dtype=given.dtype if kept else np.float64)
        if not np.isfinite(values).all():
            raise DataError("a value of the Gram matrix is no finite number")
        return values

    def within(self, A: Any, threads: int = 1) -> Gram:
        """The matrix."""
        if A.shape[0] != A.shape[1]:
            raise DataError(f"a Gram matrix has as many rows as columns, not {A.shape}")
        scale = float(np.abs(A).max(initial=0.0))
        if np.abs(A - A.T).max(initial=0.0) > 1e-5 * scale:
            i, j = divmod(int(np.abs(A - A.T).argmax()), len(A))
            raise DataError(
                f"the Gram matrix is not symmetric: K[{i}, {j}] = {A[i, j]:g}, "
                f"K[{j}, {i}] = {A[j, i]:g}"
            )
        return np.asarray(A)

    def __call__(self, X: Any, Z: Any = None, threads: int = 1) -> Array:
        if Z is not None:
            raise DataError("a matrix that is given has no other examples; give its rows as X")
        return np.asarray(self.read(X), dtype=np.float64)

    def diagonal(self, A: Any, threads: int = 1) -> Array:
        """Of the matrix."""
        return np.diagonal(self.within(A)).astype(np.float64)
