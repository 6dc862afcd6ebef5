"""The features of kernels of strings and of trees, hashed."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from linnet._params import flag, whole
from linnet.errors import RefusedError
from linnet.kernels.maps import Transformer, bits_of, hashed, mixed, of_length_one
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
        kernel = kernel_named(self.kernel)
        if not isinstance(kernel, StringKernel):
            raise RefusedError(f"StringFragments writes out kernels of strings, not {kernel!r:.60}")
        texts, bits = kernel.read(X), bits_of(self.bits)
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
                key = mixed(key * np.uint64(3) + characters[at + place].astype(np.uint64), 3)
            keys.append(key)
            values.append(np.full(len(at), worth))
            rows.append(row[at])
        made = hashed(
            np.concatenate(keys), np.concatenate(values), np.concatenate(rows), len(texts), bits
        )
        return of_length_one(made) if getattr(kernel, "normalised", False) else made


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
