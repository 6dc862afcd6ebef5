"""What kernels hide, written out: maps to features, for linear models; all monomials."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import Params, number, whole
from linnet.errors import RefusedError
from linnet.kernels.base import Array
from linnet.kernels.vectors import Linear

MOST_COLUMNS = 2_000_000
Keys = NDArray[np.uint64]


class Pieces(NamedTuple):
    """A row taken apart: it is the sum of these values in these columns."""

    names: list[str]
    columns: NDArray[np.int64]
    values: Array


class Transformer(Params):
    """A map from examples to rows, with the protocol of scikit-learn."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Look at the shape of X, or at nothing."""
        return self

    def transform(self, X: Any) -> Any:
        """Rows."""
        raise NotImplementedError

    def pieces(self, X: Any, names: Sequence[str]) -> Pieces:
        """Of one example what its row is made of, by name; ``names`` are those of its features."""
        raise RefusedError(
            f"{type(self).__name__} makes features without names; of a machine with the kernel itself "
            f"explain shows support vectors"
        )

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Both."""
        return self.fit(X, y).transform(X)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(sparse=True, two_d_array=False),
        )


class PolynomialMap(Transformer):
    """The features of (x · z + constant)^degree: all monomials; products of rows are the kernel.

    Degree 2 over two features is [x₁², x₂², √2x₁, √2x₂, √2x₁x₂, 1], and without the constant
    [x₁², √2x₁x₂, x₂²].

    >>> from linnet.kernels import PolynomialMap
    >>> PolynomialMap(2).fit_transform([[3.0, 2.0]]).round(3)
    array([[9.   , 4.   , 4.243, 2.828, 8.485, 1.   ]])
    """

    def __init__(self, degree: int = 2, constant: float = 1.0) -> None:
        self.degree = degree
        self.constant = constant

    def transform(self, X: Any) -> Array:
        """(rows, monomials)."""
        read = Linear().read(X)
        rows = read.toarray() if hasattr(read, "toarray") else read
        degree, c = whole("degree", self.degree), number(self.constant)
        if not 0 <= c < float("inf"):
            raise ValueError(f"constant must be a number of 0 or more, not {self.constant!r}")
        monomials = self._monomials(rows.shape[1], degree, c > 0)
        wide = np.c_[rows, np.full(len(rows), np.sqrt(c))]
        made = np.empty((len(rows), len(monomials)))
        for k, places in enumerate(monomials):
            counts = [places.count(i) for i in set(places)]
            worth = factorial(degree) / prod(map(factorial, counts))
            made[:, k] = np.sqrt(worth) * wide[:, list(places)].prod(axis=1)
        return made

    def pieces(self, X: Any, names: Sequence[str]) -> Pieces:
        """Monomials that are not 0."""
        (row,) = self.transform(X)
        degree, constant = whole("degree", self.degree), number(self.constant) > 0
        monomials = self._monomials(Linear().read(X).shape[1], degree, constant)
        kept = np.flatnonzero(row)
        said = [" · ".join(names[j] for j in monomials[k] if j < len(names)) or "1" for k in kept]
        return Pieces(said, kept, row[kept])

    @staticmethod
    def _monomials(features: int, degree: int, with_constant: bool) -> list[tuple[int, ...]]:
        """Places of factors; that of the constant is ``features``."""
        size = prod(features + with_constant + k for k in range(degree)) // factorial(degree)
        if size > MOST_COLUMNS:
            raise RefusedError(
                f"{size:,} monomials of degree {degree} are too many; use Conjunctions, which hashes "
                f"those that occur, or the kernel"
            )
        found = list(combinations_with_replacement(range(features + with_constant), degree))
        if with_constant:  # powers, products with the constant, other products, the constant
            found.sort(key=lambda p: (p[0] == features, len(set(p)), features not in p, p))
        return found


def columns_of(keys: Keys, bits: int) -> NDArray[np.int64]:
    return (keys >> np.uint64(64 - bits)).astype(np.int64)


def hashed(keys: Keys, values: Array, rows: Any, n: int, bits: int) -> Any:
    from scipy.sparse import csr_matrix

    return csr_matrix((values, (rows, columns_of(keys, bits))), shape=(n, 1 << bits))


def of_length_one(rows: Any) -> Any:
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    rows.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(rows.indptr))
    return rows


def mixed(keys: Keys, salt: int) -> Keys:
    """Every bit depends on every bit (splitmix64)."""
    z = keys + np.uint64((0x9E3779B97F4A7C15 * salt) % 2**64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: Keys = z ^ (z >> np.uint64(31))
    return found


def bits_of(value: Any) -> int:
    bits = whole("bits", value)
    if bits > 30:
        raise ValueError(f"bits must be from 1 to 30, not {value!r}")
    return bits
