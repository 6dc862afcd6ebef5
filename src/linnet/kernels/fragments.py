"""The features of kernels of strings and of trees, hashed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from linnet._params import flag, whole
from linnet.errors import RefusedError
from linnet.kernels.maps import Pieces, Transformer, bits_of, columns_of, hashed, mixed, of_length_one
from linnet.kernels.named import kernel_named
from linnet.kernels.strings import Gappy, Spectrum, StringKernel, packed
from linnet.kernels.trees import PartialTree, SubsetTree, TreeKernel


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
        kernel, texts, bits = self._kernel(), self._kernel().read(X), bits_of(self.bits)
        found = [
            (keys, np.full(len(at), worth), rows) for _, worth, keys, at, rows in self._each(texts)
        ]
        keys, values, rows = (np.concatenate(parts) for parts in zip(*found, strict=True))
        made = hashed(keys, values, rows, len(texts), bits)
        return of_length_one(made) if getattr(kernel, "normalised", False) else made

    def pieces(self, X: Any, names: Sequence[str]) -> Pieces:
        """Each occurrence of a fragment; a gap is written as a dot."""
        kernel, (text,) = self._kernel(), self._kernel().read(X)
        said, keys, values = [], [], []
        for places, worth, key, at, _ in self._each([text]):
            keys.append(key)
            values.append(np.full(len(at), worth))
            for begin in at.tolist():
                stretch = text[begin : begin + places[-1] + 1]
                said.append("".join(c if k in places else "·" for k, c in enumerate(stretch)))
        columns, worths = columns_of(np.concatenate(keys), bits_of(self.bits)), np.concatenate(values)
        if getattr(kernel, "normalised", False):
            _, place = np.unique(columns, return_inverse=True)
            length = float(np.sqrt(np.square(np.bincount(place, worths)).sum()))
            worths = worths / (length or 1.0)
        return Pieces(said, columns, worths)

    def _kernel(self) -> StringKernel:
        kernel = kernel_named(self.kernel)
        if not isinstance(kernel, StringKernel):
            raise RefusedError(f"StringFragments writes out kernels of strings, not {kernel!r:.60}")
        return kernel

    def _shapes(self) -> list[tuple[tuple[int, ...], float]]:
        """Places of characters from the first one on, and what an occurrence is worth."""
        kernel = self._kernel()
        if not isinstance(kernel, Gappy):
            assert isinstance(kernel, Spectrum)
            return [(tuple(range(p)), worth) for p, worth in kernel.lengths().items()]
        length, span = kernel._length(), whole("span", self.span)
        if span < length:
            raise ValueError(f"span must be {length} or more, as long as a subsequence")
        if length == 1:
            return [((0,), float(kernel.decay))]
        return [
            ((0, *inner, last), float(kernel.decay) ** (last + 1))
            for last in range(length - 1, span)
            for inner in combinations(range(1, last), length - 2)
        ]

    def _each(self, texts: list[str]) -> Iterator[tuple[Any, ...]]:
        """Of each shape its places and worth, and the keys, places and texts of its occurrences."""
        characters, offsets = packed(texts)
        row = np.repeat(np.arange(len(texts)), np.diff(offsets))
        left = offsets[row + 1] - np.arange(len(characters))
        for places, worth in self._shapes():
            at = np.flatnonzero(left > places[-1])
            key = np.full(len(at), len(places), np.uint64)
            for place in places:
                key = mixed(key * np.uint64(3) + characters[at + place].astype(np.uint64), 3)
            yield places, worth, key, at, row[at]


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
        trees, bits = kernel.read(X), bits_of(self.bits)
        settings = kernel.settings()
        starts, features, values = trees.core.fragments(**settings, size=size, bits=bits)
        made = csr_matrix((values.astype(np.float64), features, starts), shape=(len(trees), 1 << bits))
        return of_length_one(made) if flag("normalised", self.normalised) else made
