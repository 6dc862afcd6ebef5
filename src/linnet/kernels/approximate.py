"""Maps whose products are a kernel nearly: random Fourier features, and similarities to landmarks."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import whole
from linnet.errors import DataError, RefusedError
from linnet.kernels.base import Array, Kernel, take
from linnet.kernels.maps import Transformer
from linnet.kernels.named import kernel_named
from linnet.kernels.vectors import Gaussian, Linear


class RandomFourier(Transformer):
    """cos(w·x) and sin(w·x) for random w: products approximate `Gaussian`. [Rahimi and Recht 2007]

    ``components`` is the number of columns, two for each w; the error falls with its root.
    """

    def __init__(
        self, sigma: float | None = None, components: int = 1000, random_state: int = 0
    ) -> None:
        self.sigma = sigma
        self.components = components
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw w, for so many features; without ``sigma`` that of the data."""
        A = Linear().read(X)
        self.kernel_ = Gaussian(self.sigma).fitted(A)
        self.kernel_.settings()  # type: ignore[attr-defined]
        pairs, odd = divmod(whole("components", self.components, 2), 2)
        if odd:
            raise ValueError(f"components must be even, two for each w, not {self.components!r}")
        rng = np.random.default_rng(whole("random_state", self.random_state, 0))
        drawn = rng.normal(size=(A.shape[1], pairs)).astype(np.float32)
        self.directions_ = drawn * np.float32(1 / self.kernel_.get_params()["sigma"])
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:
        """(rows, components)."""
        self._check()
        A = Linear().read(X)
        if A.shape[1] != len(self.directions_):
            raise DataError(f"X has {A.shape[1]} features, {len(self.directions_)} were fitted")
        angles = np.asarray(A @ self.directions_, dtype=np.float32)
        root = np.float32(1 / np.sqrt(self.directions_.shape[1]))
        return np.concatenate([np.cos(angles), np.sin(angles)], axis=1) * root

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "directions_")

    def _check(self) -> None:
        _check_fitted(self)


class Nystroem(Transformer):
    """K(x, landmarks) K(landmarks, landmarks)^(−½): products approximate any kernel.

    Landmarks are ``components`` examples, drawn at random; with all examples it is exact on them.
    [Williams and Seeger 2001]
    """

    def __init__(self, kernel: Any = "gaussian", components: int = 300, random_state: int = 0) -> None:
        self.kernel = kernel
        self.components = components
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw landmarks."""
        kernel = kernel_named(self.kernel)
        if kernel.reads == "gram":
            raise RefusedError("kernel='precomputed' has no examples to take landmarks from")
        A = kernel.read(X)
        n = A.shape[0] if hasattr(A, "shape") else len(A)
        if n == 0:
            raise DataError("X is empty: there are no landmarks")
        rng = np.random.default_rng(whole("random_state", self.random_state, 0))
        places = np.sort(rng.permutation(n)[: whole("components", self.components)])
        self.kernel_: Kernel = kernel.fitted(A)
        self.landmarks_ = take(A, places)
        values, vectors = np.linalg.eigh(np.asarray(self.kernel_.within(self.landmarks_), np.float64))
        kept = values > 1e-7 * max(values[-1], 0)  # below it is rounding
        self.projection_ = vectors[:, kept] / np.sqrt(values[kept])
        return self

    def transform(self, X: Any) -> Array:
        """(rows, at most components)."""
        _check_fitted(self)
        values = self.kernel_.between(self.kernel_.read(X), self.landmarks_)
        return np.asarray(values @ self.projection_, dtype=np.float64)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "landmarks_")


def _check_fitted(transformer: Transformer) -> None:
    if not transformer.__sklearn_is_fitted__():
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(f"This {type(transformer).__name__} is not fitted yet. Call 'fit' first.")
