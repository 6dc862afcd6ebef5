"""What kernels hide, written out: maps to features, for linear models."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from math import factorial, prod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from linnet._params import Params, flag, number, whole
from linnet.errors import DataError, RefusedError
from linnet.kernels.base import Array, Kernel, take
from linnet.kernels.named import kernel_named
from linnet.kernels.strings import Gappy, Spectrum, StringKernel, packed
from linnet.kernels.trees import PartialTree, SubsetTree, TreeKernel
from linnet.kernels.vectors import Gaussian, Linear

MOST_COLUMNS = 2_000_000
Keys = NDArray[np.uint64]


class Transformer(Params):
    """A map from examples to rows, with the protocol of scikit-learn."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Look at the shape of X, or at nothing."""
        return self

    def transform(self, X: Any) -> Any:
        """Rows."""
        raise NotImplementedError

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
        rows = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        if rows.ndim != 2:
            raise DataError(f"X must be a matrix, not of shape {rows.shape}")
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


class Conjunctions(Transformer):
    """Products of up to ``degree`` features that a row has, hashed into 2^bits columns.

    With ``negated`` the absence of a feature is a literal too, worth 1: k-DNF and k-decision lists are
    linear in conjunctions of k literals. Single features are among them.
    """

    def __init__(self, degree: int = 2, negated: bool = False, bits: int = 18) -> None:
        self.degree = degree
        self.negated = negated
        self.bits = bits

    def transform(self, X: Any) -> Any:
        """Sparse rows."""
        from scipy.sparse import csr_matrix

        degree, bits = whole("degree", self.degree), _bits(self.bits)
        if degree > 3:
            raise ValueError(f"degree must be 1, 2 or 3, not {self.degree!r}")
        rows = csr_matrix(X, dtype=np.float64)
        rows.eliminate_zeros()
        negated, features = flag("negated", self.negated), rows.shape[1]
        if negated and features > 1000:
            raise RefusedError(
                f"negated=True makes a literal of each of {features:,} features in every row; give "
                f"1,000 features or fewer"
            )
        made = []
        for begin, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
            index, value = rows.indices[begin:end].astype(np.uint64), rows.data[begin:end]
            if negated:
                absent = np.setdiff1d(np.arange(features, dtype=np.uint64), index)
                index = np.concatenate([index, absent + np.uint64(features)])
                value = np.concatenate([value, np.ones(len(absent))])
            made.append(_conjunctions(index, value, degree))
        return hashed_rows(made, bits)


def _conjunctions(index: Keys, value: Array, degree: int) -> tuple[Keys, Array]:
    order = np.argsort(index)
    index, value = _mixed(index[order] + np.uint64(1), 1), value[order]
    keys, values = [index], [value]
    last_keys, last_values, last = index, value, np.arange(len(index))
    for _ in range(1, degree):
        # Each conjunction is continued by the literals after its last one.
        left = np.repeat(np.arange(len(last)), len(index) - 1 - last)
        begins = np.cumsum(np.r_[0, (len(index) - 1 - last)[:-1]]) if len(last) else np.zeros(0, int)
        right = np.arange(len(left)) - begins[left] + last[left] + 1
        last_keys = _mixed(last_keys[left] * np.uint64(3) + index[right], 2)
        last_values, last = last_values[left] * value[right], right
        keys.append(last_keys)
        values.append(last_values)
    return np.concatenate(keys), np.concatenate(values)


class StringFragments(Transformer):
    """The features of a kernel of strings, hashed: substrings, or subsequences with gaps.

    ``span`` bounds what a subsequence of `Gappy` may stretch over; those beyond it are worth little.
    Rows are as the kernel has them, of length 1 if it is normalised.
    """

    def __init__(self, kernel: Any = "gappy", span: int = 6, bits: int = 18) -> None:
        self.kernel = kernel
        self.span = span
        self.bits = bits

    def transform(self, X: Any) -> Any:
        """Sparse rows."""
        kernel = kernel_named(self.kernel)
        if not isinstance(kernel, StringKernel):
            raise RefusedError(f"StringFragments writes out kernels of strings, not {kernel!r:.60}")
        texts, bits = kernel.read(X), _bits(self.bits)
        characters, offsets = packed(texts)
        row = np.repeat(np.arange(len(texts)), np.diff(offsets))
        left = offsets[row + 1] - np.arange(len(characters))
        if isinstance(kernel, Gappy):
            length, span = kernel._length(), whole("span", self.span)
            if span < length:
                raise ValueError(f"span must be {length} or more, as long as a subsequence")
            shapes = (
                [
                    ((0, *inner, last), float(kernel.decay) ** (last + 1))
                    for last in range(length - 1, span)
                    for inner in combinations(range(1, last), length - 2)
                ]
                if length > 1
                else [((0,), float(kernel.decay))]
            )
        else:
            assert isinstance(kernel, Spectrum)
            shapes = [(tuple(range(p)), worth) for p, worth in kernel.lengths().items()]
        keys, values, rows = [], [], []
        for places, worth in shapes:
            at = np.flatnonzero(left > places[-1])
            key = np.full(len(at), len(places), np.uint64)
            for place in places:
                key = _mixed(key * np.uint64(3) + characters[at + place].astype(np.uint64), 3)
            keys.append(key)
            values.append(np.full(len(at), worth))
            rows.append(row[at])
        made = _summed(
            np.concatenate(keys), np.concatenate(values), np.concatenate(rows), len(texts), bits
        )
        return _of_length_one(made) if getattr(kernel, "normalised", False) else made


class TreeFragments(Transformer):
    """The features of `SubsetTree` or `Subtree`, hashed: fragments of up to ``size`` productions.

    Each is worth √λ^productions, so that products of rows are the kernel without larger fragments.
    With ``normalised`` rows have length 1.
    """

    def __init__(
        self, kernel: Any = "subset_tree", size: int = 5, bits: int = 18, normalised: bool = False
    ) -> None:
        self.kernel = kernel
        self.size = size
        self.bits = bits
        self.normalised = normalised

    def transform(self, X: Any) -> Any:
        """Sparse rows."""
        from scipy.sparse import csr_matrix

        kernel = kernel_named(self.kernel)
        if not isinstance(kernel, TreeKernel) or isinstance(kernel, PartialTree):
            raise RefusedError(
                "TreeFragments writes out SubsetTree and Subtree; use KernelSVM for others"
            )
        size = whole("size", self.size) if isinstance(kernel, SubsetTree) else 1
        trees, bits = kernel.read(X), _bits(self.bits)
        settings = kernel.settings()
        starts, features, values = trees.core.fragments(**settings, size=size, bits=bits)
        made = csr_matrix((values.astype(np.float64), features, starts), shape=(len(trees), 1 << bits))
        return _of_length_one(made) if flag("normalised", self.normalised) else made


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
        pairs = (whole("components", self.components, 2) + 1) // 2
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
        made = np.concatenate([np.cos(angles), np.sin(angles)], axis=1) * root
        return made[:, : int(self.components)] if self.components % 2 == 0 else made

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


def hashed_rows(made: list[tuple[Keys, Array]], bits: int) -> Any:
    """Sparse rows of keys and values."""
    sizes = [len(keys) for keys, _ in made]
    keys = np.concatenate([keys for keys, _ in made]) if made else np.zeros(0, np.uint64)
    values = np.concatenate([values for _, values in made]) if made else np.zeros(0)
    return _summed(keys, values, np.repeat(np.arange(len(made)), sizes), len(made), bits)


def _summed(keys: Keys, values: Array, rows: Any, n: int, bits: int) -> Any:
    from scipy.sparse import csr_matrix

    columns = (keys >> np.uint64(64 - bits)).astype(np.int64)
    return csr_matrix((values, (rows, columns)), shape=(n, 1 << bits))


def _of_length_one(rows: Any) -> Any:
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    rows.data /= np.repeat(np.where(lengths > 0, lengths, 1), np.diff(rows.indptr))
    return rows


def _mixed(keys: Keys, salt: int) -> Keys:
    """Every bit depends on every bit (splitmix64)."""
    z = keys + np.uint64((0x9E3779B97F4A7C15 * salt) % 2**64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: Keys = z ^ (z >> np.uint64(31))
    return found


def _bits(value: Any) -> int:
    bits = whole("bits", value)
    if bits > 30:
        raise ValueError(f"bits must be from 1 to 30, not {value!r}")
    return bits
